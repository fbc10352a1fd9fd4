/* vec-rendering DIR: the figures of docs/spec/rendering.md 24. A file that is not in the folder is passed
 * over. */
#include "vec_rendering.h"

#include "base/bytes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rec_open(rec_file *f, const char *dir, const char *name)
{
    size_t len;

    memset(f, 0, sizeof *f);
    f->name = name;
    f->text = f->next = (char *)vec_read(dir, name, &len);
    return f->text != NULL;
}

static void push(rec_file *f, char *field)
{
    if (f->fields == f->cap) {
        f->cap = f->cap ? f->cap * 2 : 64;
        f->field = realloc(f->field, (size_t)f->cap * sizeof *f->field);
        if (!f->field) {
            fprintf(stderr, "%s: out of memory\n", f->name);
            exit(1);
        }
    }
    f->field[f->fields++] = field;
}

bool rec_next(rec_file *f)
{
    while (f->next && *f->next) {
        char *line = f->next, *end = strchr(line, '\n');

        f->next = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        f->line++;
        if (*line == '\0' || *line == '#')
            continue;
        f->fields = 0;
        for (char *tab; (tab = strchr(line, '\t')) != NULL; line = tab + 1) {
            *tab = '\0';
            push(f, line);
        }
        push(f, line);
        f->at = 1;
        return true;
    }
    return false;
}

bool rec_is(const rec_file *f, const char *type)
{
    return strcmp(f->field[0], type) == 0;
}

void rec_close(rec_file *f)
{
    free(f->text);
    free(f->field);
    memset(f, 0, sizeof *f);
}

const char *rec_text(rec_file *f)
{
    return f->at < f->fields ? f->field[f->at++] : "";
}

float rec_f32(rec_file *f)
{
    return stn_f32_of_bits((uint32_t)strtoul(rec_text(f), NULL, 16));
}

double rec_f64(rec_file *f)
{
    return stn_f64_of_bits(strtoull(rec_text(f), NULL, 16));
}

long rec_int(rec_file *f)
{
    return strtol(rec_text(f), NULL, 10);
}

stn_v3 rec_v3(rec_file *f)
{
    float x = rec_f32(f), y = rec_f32(f), z = rec_f32(f);

    return (stn_v3){x, y, z};
}

stn_v4 rec_v4(rec_file *f)
{
    float x = rec_f32(f), y = rec_f32(f), z = rec_f32(f), w = rec_f32(f);

    return (stn_v4){x, y, z, w};
}

stn_m4 rec_m4(rec_file *f)
{
    stn_m4 m;

    for (int i = 0; i < 16; i++)
        m.m[i] = rec_f32(f);
    return m;
}

static int64_t ordered(float v)
{
    int64_t b = (int32_t)stn_bits_of_f32(v);

    return b < 0 ? INT64_C(-0x80000000) - b : b;
}

bool same_f32(float a, float b, int ulps)
{
    int64_t d;

    if (stn_bits_of_f32(a) == stn_bits_of_f32(b) || (isnan(a) && isnan(b)))
        return true;
    if (ulps == 0 || isnan(a) || isnan(b))
        return false;
    d = ordered(a) - ordered(b);
    return d >= -ulps && d <= ulps;
}

bool same_f32s(const float *a, const float *b, int n, int ulps)
{
    for (int i = 0; i < n; i++)
        if (!same_f32(a[i], b[i], ulps))
            return false;
    return true;
}

bool same_f64(double a, double b)
{
    return stn_bits_of_f64(a) == stn_bits_of_f64(b) || (isnan(a) && isnan(b));
}

int main(int argc, char **argv)
{
    vec_report r = {0};

    if (argc != 2) {
        fprintf(stderr, "usage: vec-rendering DIR\n");
        return 2;
    }
    vec_matrix(&r, argv[1]);
    vec_project(&r, argv[1]);
    vec_place(&r, argv[1]);
    vec_shadow(&r, argv[1]);
    vec_lights(&r, argv[1]);
    vec_cameras(&r, argv[1]);
    vec_graph(&r, argv[1]);
    vec_order(&r, argv[1]);
    vec_state(&r, argv[1]);
    vec_batch(&r, argv[1]);
    vec_frustum(&r, argv[1]);
    vec_lightgrid(&r, argv[1]);
    vec_meshdata(&r, argv[1]);
    vec_input(&r, argv[1]);
    vec_mipmap(&r, argv[1]);
    vec_shade(&r, argv[1]);
    vec_images(&r, argv[1]);
    return vec_done(&r);
}
