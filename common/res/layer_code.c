/* layer_code.c - "code" and "codeentry": published code, never run, read to know that it is there. Source:
 * docs/spec/resource-format.md 24. */
#include "res/internal.h"

stn_status stn_decode_code(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_code *k = stn_rd_zalloc(c, 1, sizeof *k);

    if (!k)
        return stn_rd_end(c);
    k->name = stn_rd_text(c, in);
    if (stn_rd_ok(c)) {
        k->len = (uint32_t)stn_bytes_left(in);
        k->data = stn_bytes_take(in, k->len);
    }
    *out = k;
    return stn_rd_end(c);
}

void stn_encode_code(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_code *k = layer->as.code;
    stn_wr_text(w, k->name, "class name");
    if (k->len)
        stn_buf_put(w->b, k->data, k->len);
}

/* ---- codeentry ---- */

typedef struct tables {
    stn_vec entries, uses;
} tables;

static void push_entry(stn_rd *c, tables *t, stn_code_entry e)
{
    stn_code_entry *to = stn_vec_push(c, &t->entries, sizeof *to);
    if (to)
        *to = e;
}

static void push_use(stn_rd *c, tables *t, stn_code_use u)
{
    stn_code_use *to = stn_vec_push(c, &t->uses, sizeof *to);
    if (to)
        *to = u;
}

/* The class string stands behind the empty entry name as well. */
static void read_pairs(stn_rd *c, stn_bytes *in, tables *t, bool args)
{
    while (stn_rd_ok(c)) {
        stn_code_entry e = {.entry = stn_rd_text(c, in), .cls = stn_rd_text(c, in)};
        if (!*e.entry)
            return;
        if (args && stn_rd_ok(c)) {
            e.has_args = true;
            e.args = stn_rd_values(c, in);
        }
        if (stn_rd_ok(c))
            push_entry(c, t, e);
    }
}

static void read_uses(stn_rd *c, stn_bytes *in, tables *t)
{
    while (stn_rd_ok(c)) {
        stn_code_use u = {.res.name = stn_rd_text(c, in)};
        if (!*u.res.name)
            return;
        u.res.version = stn_bytes_u16(in);
        if (stn_rd_ok(c))
            push_use(c, t, u);
    }
}

static void take_entry(stn_rd *c, const stn_values *l, tables *t)
{
    stn_code_entry e = {0};
    stn_err err = {0};

    if (l->count < 3) {
        stn_rd_fail(c, STN_FAULT_VALUE, "\"ent\" of %u items, at least 3 are needed", l->count);
        return;
    }
    if (stn_rd_convert(c, stn_value_as_text(&l->items[1], &e.entry, &err), &err, "entry") != STN_OK ||
        stn_rd_convert(c, stn_value_as_text(&l->items[2], &e.cls, &err), &err, "class") != STN_OK)
        return;
    if (l->count > 3) {
        if (l->items[3].kind != STN_VALUE_LIST) {
            stn_rd_fail(c, STN_FAULT_VALUE, "arguments of \"%.40s\" are no list", e.entry);
            return;
        }
        e.has_args = true;
        e.args = l->items[3].u.list;
    }
    push_entry(c, t, e);
}

static void read_lists(stn_rd *c, stn_bytes *in, tables *t)
{
    stn_values lists = stn_rd_values(c, in);

    for (uint32_t i = 0; stn_rd_ok(c) && i < lists.count; i++) {
        const stn_value *v = &lists.items[i];
        if (v->kind != STN_VALUE_LIST || v->u.list.count == 0 || v->u.list.items[0].kind != STN_VALUE_TEXT) {
            stn_rd_fail(c, STN_FAULT_VALUE, "an element is no list that starts with a text");
            return;
        }
        const stn_values *l = &v->u.list;
        if (strcmp(l->items[0].u.text, "ent") == 0) {
            take_entry(c, l, t);
        } else if (strcmp(l->items[0].u.text, "use") == 0) {
            for (uint32_t k = 1; stn_rd_ok(c) && k < l->count; k++) {
                stn_code_use u = {.indirect = true, .res.name = ""};
                if (l->items[k].kind == STN_VALUE_RES)
                    u.res = l->items[k].u.res;
                else if (l->items[k].kind != STN_VALUE_RESID)
                    stn_rd_fail(c, STN_FAULT_VALUE, "\"use\" names no resource");
                push_use(c, t, u);
            }
        }
    }
}

stn_status stn_decode_codeentry(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_codeentry *k = stn_rd_zalloc(c, 1, sizeof *k);
    tables t = {0};

    if (!k)
        return stn_rd_end(c);
    while (stn_rd_ok(c) && stn_bytes_left(in) > 0) {
        uint8_t block = stn_bytes_u8(in);
        switch (block) {
        case 1:
        case 3:
            read_pairs(c, in, &t, block == 3);
            break;
        case 2:
            read_uses(c, in, &t);
            break;
        case 4:
            read_lists(c, in, &t);
            break;
        default:
            return stn_rd_fail(c, STN_FAULT_FORMAT, "block %u, known are 1 to 4", block);
        }
    }
    k->count = t.entries.count;
    k->entries = t.entries.items;
    k->use_count = t.uses.count;
    k->uses = t.uses.items;
    *out = k;
    return stn_rd_end(c);
}

const char *stn_res_codeentry_get(const stn_res_codeentry *code, const char *entry, stn_values *args)
{
    const char *cls = NULL;
    bool have_args = false;

    *args = (stn_values){0};
    for (uint32_t i = code->count; i-- > 0;) {
        const stn_code_entry *e = &code->entries[i];
        if (strcmp(e->entry, entry) != 0)
            continue;
        if (!cls)
            cls = e->cls;
        if (!have_args && e->has_args) {
            have_args = true;
            *args = e->args;
        }
    }
    return cls;
}

/* Entries without arguments in block 1, those with some in block 3, uses by name in block 2. Where a name
 * occurs in both, the order between blocks keeps the last class last. */
void stn_encode_codeentry(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_codeentry *k = layer->as.codeentry;

    for (uint32_t i = 0; i < k->count;) {
        bool args = k->entries[i].has_args;
        stn_buf_u8(w->b, args ? 3 : 1);
        for (; i < k->count && k->entries[i].has_args == args; i++) {
            stn_wr_name(w, k->entries[i].entry, "entry");
            stn_wr_text(w, k->entries[i].cls, "class");
            if (args)
                stn_wr_values(w, &k->entries[i].args, true);
        }
        stn_buf_u16(w->b, 0); /* empty entry, empty class */
    }
    for (uint32_t i = 0; i < k->use_count; i++) {
        const stn_code_use *u = &k->uses[i];
        if (u->indirect && !*u->res.name) {
            stn_wr_fail(w, "a use by resource number cannot be written");
        } else if (u->indirect) {
            stn_value items[2] = {stn_value_text("use"), {.kind = STN_VALUE_RES, .u.res = u->res}};
            stn_value list = stn_value_list(items, 2);
            stn_buf_u8(w->b, 4);
            stn_wr_values(w, &(stn_values){1, &list}, true);
        } else {
            stn_buf_u8(w->b, 2);
            stn_wr_name(w, u->res.name, "used resource");
            stn_wr_u16(w, u->res.version, "version");
            stn_buf_u8(w->b, 0);
        }
    }
}
