#include "renderer/scene/sections.h"

static uint32_t total(const stn_sections *s)
{
    return s->index ? s->index_count : s->vertex_count;
}

stn_status stn_sections_check(const stn_sections *s, stn_err *err)
{
    uint64_t sum = 0;

    if (s->mode_count < 1)
        return stn_fail(err, STN_BAD_DATA, "a mesh without a primitive mode");
    for (uint32_t i = 0; i < s->mode_count; i++)
        if (s->mode[i] >= STN_PRIM_MODES)
            return stn_fail(err, STN_BAD_DATA, "section %u has the unknown mode %u", i, s->mode[i]);
    for (uint32_t i = 0; s->len && i < s->len_count; i++)
        sum += s->len[i];
    if (sum > total(s))
        return stn_fail(err, STN_BAD_DATA, "sections take %llu of %u indices", (unsigned long long)sum,
                        total(s));
    for (uint32_t i = 0; s->index && i < s->index_count; i++)
        if (s->index[i] >= s->vertex_count)
            return stn_fail(err, STN_BAD_DATA, "index %u is vertex %u of %u", i, s->index[i],
                            s->vertex_count);
    return STN_OK;
}

uint32_t stn_sections_count(const stn_sections *s)
{
    return s->len ? s->len_count : 1;
}

stn_prim_mode stn_sections_mode(const stn_sections *s, uint32_t section)
{
    return (stn_prim_mode)s->mode[section < s->mode_count ? section : s->mode_count - 1];
}

static uint32_t length(const stn_sections *s, uint32_t section)
{
    return s->len ? (section < s->len_count ? s->len[section] : 0) : section == 0 ? total(s) : 0;
}

uint32_t stn_sections_primitives(const stn_sections *s, uint32_t section)
{
    uint32_t n = length(s, section);

    switch (stn_sections_mode(s, section)) {
    case STN_PRIM_TRIANGLES:
        return n / 3;
    case STN_PRIM_TRIANGLE_STRIP:
    case STN_PRIM_TRIANGLE_FAN:
        return n > 2 ? n - 2 : 0;
    case STN_PRIM_LINES:
        return n / 2;
    case STN_PRIM_LINE_STRIP:
        return n > 1 ? n - 1 : 0;
    case STN_PRIM_LINE_LOOP:
    case STN_PRIM_POINTS:
        return n;
    case STN_PRIM_LINES_ADJACENCY:
        return n / 4;
    case STN_PRIM_TRIANGLES_ADJACENCY:
        return n / 6;
    case STN_PRIM_TRIANGLE_STRIP_ADJACENCY:
        return n / 2 > 2 ? n / 2 - 2 : 0;
    case STN_PRIM_MODES:
        break;
    }
    return 0;
}

/* Where corner k of primitive p is in its section. */
static uint32_t corner(stn_prim_mode mode, uint32_t p, uint32_t k, uint32_t n)
{
    switch (mode) {
    case STN_PRIM_TRIANGLES:
        return 3 * p + k;
    case STN_PRIM_TRIANGLE_STRIP: /* every second triangle is turned round, so that all face one way */
        return p + (k < 2 && p % 2 == 1 ? 1 - k : k);
    case STN_PRIM_TRIANGLE_FAN:
        return k == 0 ? 0 : p + k;
    case STN_PRIM_LINES:
        return 2 * p + k;
    case STN_PRIM_LINE_LOOP:
        return (p + k) % n;
    case STN_PRIM_LINES_ADJACENCY:
        return 4 * p + k;
    case STN_PRIM_TRIANGLES_ADJACENCY:
        return 6 * p + k;
    case STN_PRIM_TRIANGLE_STRIP_ADJACENCY:
        return 2 * p + k;
    default:
        return p + k;
    }
}

uint32_t stn_sections_vertices(const stn_sections *s, uint32_t section, uint32_t p, uint32_t out[6])
{
    static const uint8_t corners[STN_PRIM_MODES] = {3, 3, 3, 2, 2, 2, 1, 4, 6, 6};
    stn_prim_mode mode;
    uint32_t start = 0;

    if (section >= stn_sections_count(s) || p >= stn_sections_primitives(s, section))
        return 0;
    mode = stn_sections_mode(s, section);
    for (uint32_t i = 0; i < section; i++)
        start += s->len[i];
    for (uint32_t k = 0; k < corners[mode]; k++) {
        uint32_t at = start + corner(mode, p, k, length(s, section));

        out[k] = s->index ? s->index[at] : at;
    }
    return corners[mode];
}
