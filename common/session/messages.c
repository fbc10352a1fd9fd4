#include "session/messages.h"

static stn_status cut(stn_err *err, uint8_t type, size_t len)
{
    return stn_fail(err, STN_TRUNCATED, "message %s of %zu bytes ends too early", stn_rmsg_name(type), len);
}

static stn_status read_list(stn_bytes *in, stn_arena *arena, stn_values *out, stn_err *err)
{
    return stn_values_read(in, arena, STN_MESSAGE_DEPTH, out, NULL, NULL, err);
}

/* Ids up to -1, or to the end. */
static stn_status read_ids(stn_bytes *in, stn_arena *arena, const int32_t **out, uint32_t *count,
                           stn_err *err)
{
    int32_t *ids = stn_arena_array(arena, stn_bytes_left(in) / 4 + 1, sizeof *ids);
    uint32_t n = 0;

    if (!ids)
        return stn_fail(err, STN_NO_MEMORY, "widget ids");
    while (stn_bytes_left(in)) {
        int32_t id = stn_bytes_i32(in);

        if (!stn_bytes_ok(in))
            return stn_fail(err, STN_TRUNCATED, "a list of widget ids ends inside an id");
        if (id == -1)
            break;
        ids[n++] = id;
    }
    *out = ids;
    *count = n;
    return STN_OK;
}

static stn_status read_barrier(stn_bytes *in, stn_arena *arena, stn_message *m, stn_err *err)
{
    stn_status st = read_ids(in, arena, &m->u.barrier.deps, &m->u.barrier.n_deps, err);

    m->u.barrier.bars = m->u.barrier.deps;
    m->u.barrier.n_bars = m->u.barrier.n_deps;
    if (st == STN_OK && stn_bytes_left(in))
        st = read_ids(in, arena, &m->u.barrier.bars, &m->u.barrier.n_bars, err);
    return st;
}

static void read_coord(stn_bytes *in, int32_t out[2])
{
    out[0] = stn_bytes_i32(in);
    out[1] = stn_bytes_i32(in);
}

static void read_mapiv(stn_bytes *in, stn_message *m)
{
    m->u.mapiv.kind = stn_bytes_u8(in);
    if (m->u.mapiv.kind <= 1)
        read_coord(in, m->u.mapiv.ul);
    if (m->u.mapiv.kind == 1)
        read_coord(in, m->u.mapiv.lr);
}

stn_status stn_message_read(uint8_t type, const uint8_t *data, size_t len, bool from_client, stn_arena *arena,
                            stn_message *out, stn_err *err)
{
    stn_bytes in = stn_bytes_of(data, len);
    stn_status st = STN_OK;

    *out = (stn_message){.type = type};
    switch (type) {
    case STN_RMSG_NEWWDG:
        out->u.new_widget.id = stn_bytes_i32(&in);
        out->u.new_widget.kind = stn_bytes_cstr(&in, NULL);
        out->u.new_widget.parent = stn_bytes_i32(&in);
        if (stn_bytes_ok(&in) && (st = read_list(&in, arena, &out->u.new_widget.pargs, err)) == STN_OK)
            st = read_list(&in, arena, &out->u.new_widget.cargs, err);
        break;
    case STN_RMSG_ADDWDG:
        out->u.add_widget.id = stn_bytes_i32(&in);
        out->u.add_widget.parent = stn_bytes_i32(&in);
        if (stn_bytes_ok(&in))
            st = read_list(&in, arena, &out->u.add_widget.pargs, err);
        break;
    case STN_RMSG_WDGMSG:
        out->u.widget.id = stn_bytes_i32(&in);
        out->u.widget.name = stn_bytes_cstr(&in, NULL);
        if (stn_bytes_ok(&in))
            st = read_list(&in, arena, &out->u.widget.args, err);
        break;
    case STN_RMSG_DSTWDG:
        out->u.dead_widget = stn_bytes_i32(&in);
        break;
    case STN_RMSG_WDGBAR:
        st = read_barrier(&in, arena, out, err);
        break;
    case STN_RMSG_RESID:
        out->u.resid.id = stn_bytes_u16(&in);
        out->u.resid.name = stn_bytes_cstr(&in, NULL);
        out->u.resid.version = stn_bytes_u16(&in);
        break;
    case STN_RMSG_MAPIV:
        read_mapiv(&in, out);
        break;
    case STN_RMSG_USERAGENT:
        out->u.agent.key = stn_bytes_cstr(&in, NULL);
        out->u.agent.value = stn_bytes_cstr(&in, NULL);
        break;
    case STN_RMSG_SESSKEY:
        if (from_client) {
            st = stn_value_read(&in, arena, STN_MESSAGE_DEPTH, &out->u.session_key, NULL, err);
            break;
        }
        out->u.bytes.data = data;
        out->u.bytes.len = len;
        break;
    case STN_RMSG_GLOBLOB:
        out->u.bytes.data = data;
        out->u.bytes.len = len;
        break;
    default:
        return stn_fail(err, STN_UNSUPPORTED, "reliable message of the unknown type %u", type);
    }
    if (st == STN_OK && !stn_bytes_ok(&in))
        st = cut(err, type, len);
    return st;
}

/* ---- writing */

static const uint32_t quiet32 = 0x7fc00000;
static const uint64_t quiet64 = UINT64_C(0x7ff8000000000000);

static float one_nan32(float v)
{
    return v != v ? stn_f32_of_bits(quiet32) : v;
}

static double one_nan64(double v)
{
    return v != v ? stn_f64_of_bits(quiet64) : v;
}

static stn_status put_list(stn_buf *out, const stn_value *items, size_t count, unsigned depth, stn_err *err);

static stn_status put_value(stn_buf *out, const stn_value *v, unsigned depth, stn_err *err)
{
    stn_value x = *v;
    stn_status st;

    switch ((stn_value_kind)v->kind) {
    case STN_VALUE_LIST:
    case STN_VALUE_MAP:
        stn_buf_u8(out, v->kind == STN_VALUE_LIST ? STN_TAG_LIST : STN_TAG_MAP);
        st = v->kind == STN_VALUE_LIST
                 ? put_list(out, v->u.list.items, v->u.list.count, depth + 1, err)
                 : put_list(out, v->u.map->items, 2 * (size_t)v->u.map->pairs, depth + 1, err);
        stn_buf_u8(out, STN_TAG_END);
        return st;
    case STN_VALUE_LONG:
        if (v->u.l >= INT32_MIN && v->u.l <= INT32_MAX)
            x = stn_value_int((int32_t)v->u.l);
        break;
    case STN_VALUE_F32:
        x.u.f32 = one_nan32(v->u.f32);
        break;
    case STN_VALUE_F64:
        x.u.f64 = one_nan64(v->u.f64);
        break;
    case STN_VALUE_POINT:
        for (int i = 0; i < 2; i++)
            x.u.point[i] = one_nan64(v->u.point[i]);
        break;
    case STN_VALUE_FCOLOR:
        for (int i = 0; i < 4; i++)
            x.u.fcolor[i] = one_nan32(v->u.fcolor[i]);
        break;
    default:
        break;
    }
    return stn_value_write(out, &x, err);
}

static stn_status put_list(stn_buf *out, const stn_value *items, size_t count, unsigned depth, stn_err *err)
{
    stn_status st = STN_OK;

    if (depth > STN_MESSAGE_DEPTH)
        return stn_fail(err, STN_TOO_BIG, "arguments nested deeper than %d", STN_MESSAGE_DEPTH);
    for (size_t i = 0; i < count && st == STN_OK; i++)
        st = put_value(out, &items[i], depth, err);
    return st;
}

stn_status stn_args_write(stn_buf *out, const stn_values *args, stn_err *err)
{
    stn_status st = put_list(out, args->items, args->count, 0, err);

    return st == STN_OK && out->failed ? stn_fail(err, STN_NO_MEMORY, "arguments") : st;
}

stn_status stn_message_write_widget(stn_buf *out, int32_t id, const char *name, const stn_values *args,
                                    stn_err *err)
{
    stn_buf_u32(out, (uint32_t)id);
    stn_buf_cstr(out, name);
    return stn_args_write(out, args, err);
}

stn_status stn_message_write_agent(stn_buf *out, const char *key, const char *value, stn_err *err)
{
    stn_buf_cstr(out, key);
    stn_buf_cstr(out, value);
    return out->failed ? stn_fail(err, STN_NO_MEMORY, "client property %s", key) : STN_OK;
}
