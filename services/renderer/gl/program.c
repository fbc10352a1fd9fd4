#include "renderer/gl/program.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/table.h"
#include "renderer/gl/progcache.h"
#include "renderer/gl/shaders.h"

#include <glad/gl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PROGRAMS 512

enum { PENDING, READY, FAILED };

struct entry {
    stn_program program;
    uint64_t key;
    int state;
};

struct stn_programs {
    stn_glrec *rec;
    stn_table *by_key;
    struct entry entries[MAX_PROGRAMS];
    size_t count, next; /* entries before `next` are not pending */
    unsigned ready, failed, from_cache;
    stn_progcache *cache; /* NULL: the driver gives none out */
    bool full_said;
};

/* What decides which fragments there are and where: kept in every pass. */
#define GEOMETRY                                                                                             \
    (STN_MAT_ALPHATEST | STN_MAT_CLIP | STN_MAT_SKIN | STN_MAT_SWAY | STN_MAT_TERRAIN | STN_MAT_MORPH |      \
     STN_MAT_GRID | STN_MAT_WALL | STN_MAT_ATLAS)

/* A picture of numbers needs where things are and nothing else: ground has no holes (the layers of a tile lie
 * on each other), and a texture through a palette counts as solid. */
static uint32_t id_features(uint32_t features)
{
    uint32_t kept = features & (STN_MAT_SKIN | STN_MAT_SWAY | STN_MAT_MORPH | STN_MAT_TERRAIN | STN_MAT_GRID);

    if ((features & STN_MAT_ALPHATEST) && (features & STN_MAT_TEX) &&
        !(features & (STN_MAT_TERRAIN | STN_MAT_PAL)))
        kept |= STN_MAT_ALPHATEST | STN_MAT_TEX;
    return kept;
}

uint64_t stn_program_key(uint32_t features, int pass, int shadows, int normals)
{
    if (pass == STN_PASS_ID)
        return id_features(features) | (uint64_t)pass << 32;
    if (pass != STN_PASS_COLOUR) {
        uint32_t kept = features & GEOMETRY;

        if (kept & STN_MAT_ALPHATEST)
            kept |= features & (STN_MAT_TEX | STN_MAT_PAL);
        return kept | (uint64_t)pass << 32;
    }
    if (!(features & STN_MAT_LIT))
        shadows = STN_SHADOWS_NONE;
    return features | (uint64_t)pass << 32 | (uint64_t)shadows << 34 | (uint64_t)normals << 36;
}

static void defines_of(stn_buf *b, uint64_t key)
{
    static const struct {
        uint32_t bit;
        const char *text;
    } names[] = {
        {STN_MAT_LIT, "LIT"},
        {STN_MAT_TEX, "TEX"},
        {STN_MAT_ALPHATEST, "ALPHATEST"},
        {STN_MAT_VCOL, "VCOL"},
        {STN_MAT_OVERLAY_CP, "OVERLAY 1"},
        {STN_MAT_OVERLAY_OL, "OVERLAY 2"},
        {STN_MAT_OVERLAY_A, "OVERLAY 3"},
        {STN_MAT_BUMP, "BUMP"},
        {STN_MAT_BUMP_OTEX, "BUMP_OTEX"},
        {STN_MAT_HUE, "HUE"},
        {STN_MAT_PAL, "PAL"},
        {STN_MAT_CLIP, "CLIP"},
        {STN_MAT_CEL_D, "CEL_D"},
        {STN_MAT_CEL_S, "CEL_S"},
        {STN_MAT_ENV, "ENV"},
        {STN_MAT_BOTTOMFOG, "BOTTOMFOG"},
        {STN_MAT_OBFOG, "OBFOG"},
        {STN_MAT_WATER, "WATER"},
        {STN_MAT_FOAM, "FOAM"},
        {STN_MAT_SKIN, "SKIN"},
        {STN_MAT_SWAY, "SWAY"},
        {STN_MAT_TERRAIN, "TERRAIN"},
        {STN_MAT_MORPH, "MORPH"},
        {STN_MAT_GRID, "GRID"},
        {STN_MAT_WALL, "WALL"},
        {STN_MAT_ATLAS, "ATLAS"},
        {STN_MAT_TINT, "TINT"},
        {STN_MAT_CRACK, "CRACK"},
    };
    static const char *const passes[] = {"PASS_COLOUR", "PASS_SHADOW", "PASS_ID"};
    unsigned shadows = (unsigned)(key >> 34 & 3), normals = (unsigned)(key >> 36 & 3);

    stn_buf_printf(b, "#define %s 1\n", passes[(key >> 32 & 3) % 3]);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (key & names[i].bit)
            stn_buf_printf(b, "#define %s%s\n", names[i].text, strchr(names[i].text, ' ') ? "" : " 1");
    if (key & STN_MAT_BUMP)
        stn_buf_printf(b, "#define HAS_TAN 1\n");
    if (shadows)
        stn_buf_printf(b, "#define SHADOW %u\n", shadows);
    if (normals)
        stn_buf_printf(b, "#define NORMALS %u\n", normals);
}

static GLuint compile(GLenum kind, const char *defines, const char *text, stn_err *err)
{
    const GLchar *parts[4] = {"#version 330 core\n", defines, stn_shader_common, text};
    GLuint shader = glCreateShader(kind);
    GLint ok = GL_FALSE;

    glShaderSource(shader, 4, parts, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char log[200] = "";

        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        glDeleteShader(shader);
        stn_fail(err, STN_UNSUPPORTED, "the driver refuses a %s shader: %s",
                 kind == GL_VERTEX_SHADER ? "vertex" : "fragment", log);
        return 0;
    }
    return shader;
}

static GLuint link_program(const char *defines, const char *vertex, const char *fragment, bool keep,
                           stn_err *err)
{
    GLuint vs = compile(GL_VERTEX_SHADER, defines, vertex, err), fs = 0, program = 0;
    GLint ok = GL_FALSE;

    if (!vs)
        return 0;
    fs = compile(GL_FRAGMENT_SHADER, defines, fragment, err);
    if (fs) {
        program = glCreateProgram();
        glAttachShader(program, vs);
        glAttachShader(program, fs);
        if (keep)
            glProgramParameteri(program, GL_PROGRAM_BINARY_RETRIEVABLE_HINT, GL_TRUE);
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &ok);
        if (!ok) {
            char log[200] = "";

            glGetProgramInfoLog(program, sizeof log, NULL, log);
            glDeleteProgram(program);
            program = 0;
            stn_fail(err, STN_UNSUPPORTED, "the driver refuses to link a program: %s", log);
        }
        glDeleteShader(fs);
    }
    glDeleteShader(vs);
    return program;
}

static void bind_block(GLuint program, const char *name, GLuint binding)
{
    GLuint at = glGetUniformBlockIndex(program, name);

    if (at != GL_INVALID_INDEX)
        glUniformBlockBinding(program, at, binding);
}

static void bind_sampler(GLuint program, const char *name, int unit)
{
    GLint at = glGetUniformLocation(program, name);

    if (at >= 0)
        glUniform1i(at, unit);
}

static void bind_inputs(GLuint program)
{
    bind_block(program, "Frame", STN_BLOCK_FRAME);
    bind_block(program, "Material", STN_BLOCK_MATERIAL);
    bind_sampler(program, "tex_base", STN_MAT_T_BASE);
    bind_sampler(program, "tex_overlay", STN_MAT_T_OVERLAY);
    bind_sampler(program, "tex_clip", STN_MAT_T_CLIP);
    bind_sampler(program, "tex_bump", STN_MAT_T_BUMP);
    bind_sampler(program, "tex_pal", STN_MAT_T_PAL);
    bind_sampler(program, "tex_waves", STN_UNIT_WAVES);
    bind_sampler(program, "tex_foam", STN_UNIT_FOAM);
    bind_sampler(program, "tex_clouds", STN_UNIT_CLOUDS);
    bind_sampler(program, "sky_cube", STN_UNIT_SKY);
    bind_sampler(program, "shadow_map", STN_UNIT_SHADOW);
    bind_sampler(program, "instances", STN_UNIT_INSTANCES);
    bind_sampler(program, "morph_map", STN_UNIT_MORPH);
    bind_sampler(program, "source", STN_UNIT_SOURCE);
    bind_sampler(program, "depth_map", STN_UNIT_SOURCE);
    bind_sampler(program, "normal_map", STN_UNIT_SOURCE_2);
}

uint32_t stn_program_simple(const char *vertex, const char *fragment, const char *defines, stn_err *err)
{
    GLuint program = link_program(defines, vertex, fragment, false, err);

    if (program) {
        glUseProgram(program);
        bind_inputs(program);
        glUseProgram(0);
    }
    return program;
}

/* Binaries are of one driver in one version. */
static stn_progcache *open_cache(const char *folder)
{
    static const GLenum words[] = {GL_VENDOR, GL_RENDERER, GL_VERSION};
    uint64_t hash = STN_HASH_START;
    GLint formats = 0;
    char path[4096];

    if (!folder || !GLAD_GL_ARB_get_program_binary)
        return NULL;
    glGetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS, &formats);
    if (formats < 1)
        return NULL;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *text = (const char *)glGetString(words[i]);

        if (text)
            hash = stn_hash_feed(hash, text, strlen(text) + 1);
    }
    if (snprintf(path, sizeof path, "%s/%016llx.programs", folder, (unsigned long long)hash) >=
        (int)sizeof path)
        return NULL;
    return stn_progcache_new(path);
}

stn_status stn_programs_new(stn_glrec *rec, const char *cache_folder, stn_programs **out, stn_err *err)
{
    stn_programs *p = calloc(1, sizeof *p);

    *out = NULL;
    if (!p || !(p->by_key = stn_table_new())) {
        free(p);
        return stn_fail(err, STN_NO_MEMORY, "shader programs");
    }
    p->rec = rec;
    p->cache = open_cache(cache_folder);
    *out = p;
    return STN_OK;
}

void stn_programs_free(stn_programs *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->count; i++)
        if (p->entries[i].program.name)
            glDeleteProgram(p->entries[i].program.name);
    stn_progcache_free(p->cache);
    stn_table_free(p->by_key);
    free(p);
}

void stn_programs_keep(stn_programs *p)
{
    if (p->cache)
        stn_progcache_save(p->cache);
}

static uint64_t source_key(const char *defines)
{
    const char *const texts[] = {defines, stn_shader_common, stn_shader_vertex, stn_shader_fragment};
    uint64_t hash = STN_HASH_START;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        hash = stn_hash_feed(hash, texts[i], strlen(texts[i]) + 1);
    return hash;
}

/* 0: it is not there, or the driver does not take it any more. */
static GLuint from_cache(stn_programs *p, uint64_t key)
{
    uint32_t format;
    size_t len;
    const void *data = p->cache ? stn_progcache_get(p->cache, key, &format, &len) : NULL;
    GLuint program;
    GLint ok = GL_FALSE;

    if (!data)
        return 0;
    program = glCreateProgram();
    glProgramBinary(program, format, data, (GLsizei)len);
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (ok) {
        p->from_cache++;
        return program;
    }
    while (glGetError() != GL_NO_ERROR) /* an unknown format is an error besides, and no one's fault */
        continue;
    glDeleteProgram(program);
    return 0;
}

static void to_cache(stn_programs *p, uint64_t key, GLuint program)
{
    GLint len = 0;
    GLenum format = 0;
    void *data;

    glGetProgramiv(program, GL_PROGRAM_BINARY_LENGTH, &len);
    data = len > 0 ? malloc((size_t)len) : NULL;
    if (!data)
        return;
    glGetProgramBinary(program, len, &len, &format, data);
    stn_progcache_put(p->cache, key, format, data, (size_t)len);
    free(data);
}

static GLuint made(stn_programs *p, const char *defines, stn_err *err)
{
    uint64_t key = source_key(defines);
    GLuint program = from_cache(p, key);

    if (program)
        return program;
    program = link_program(defines, stn_shader_vertex, stn_shader_fragment, p->cache != NULL, err);
    if (program && p->cache)
        to_cache(p, key, program);
    return program;
}

static void make(stn_programs *p, struct entry *e)
{
    stn_buf defines = {.max = 4096};
    stn_err err = {0};

    defines_of(&defines, e->key);
    stn_buf_u8(&defines, 0);
    if (!defines.failed)
        e->program.name = made(p, (const char *)defines.data, &err);
    stn_buf_fini(&defines);
    if (!e->program.name) {
        e->state = FAILED;
        p->failed++;
        stn_log_error("shader program %llx: %s; things that need it are drawn plain",
                      (unsigned long long)e->key, err.text);
        return;
    }
    stn_glrec_program(p->rec, e->program.name);
    bind_inputs(e->program.name);
    e->program.instance_base = glGetUniformLocation(e->program.name, "instance_base");
    e->state = READY;
    p->ready++;
}

static struct entry *want(stn_programs *p, uint64_t key)
{
    struct entry *e = stn_table_get(p->by_key, key);

    if (e)
        return e;
    if (p->count == MAX_PROGRAMS || !stn_table_put(p->by_key, key, &p->entries[p->count], NULL)) {
        if (!p->full_said)
            stn_log_warn("more than %d shader programs are asked for; the rest is drawn plain", MAX_PROGRAMS);
        p->full_said = true;
        return NULL;
    }
    e = &p->entries[p->count];
    e->key = key;
    e->program.number = (uint16_t)p->count;
    p->count++;
    return e;
}

int stn_program_pass(uint64_t key)
{
    return (int)(key >> 32 & 3);
}

int stn_program_normals(uint64_t key)
{
    return (int)(key >> 36 & 3);
}

/* Textured and lit, then without transitions too. */
uint64_t stn_program_stand_in(uint64_t key, int i)
{
    const uint64_t frame = key & ~(uint64_t)UINT32_MAX;
    const uint32_t features = (uint32_t)key, where = features & GEOMETRY;

    return i == 0 ? frame | where | (features & (STN_MAT_LIT | STN_MAT_TEX | STN_MAT_VCOL | STN_MAT_TINT))
                  : frame | (where & ~(uint32_t)STN_MAT_CLIP) | (features & (STN_MAT_LIT | STN_MAT_TEX));
}

static const stn_program *stand_in(stn_programs *p, uint64_t key)
{
    for (int i = 0; i < STN_STAND_INS; i++) {
        uint64_t other = stn_program_stand_in(key, i);
        struct entry *e = other != key ? want(p, other) : NULL;

        if (e && e->state == READY)
            return &e->program;
    }
    return NULL;
}

const stn_program *stn_programs_get(stn_programs *p, uint64_t key)
{
    struct entry *e = want(p, key);

    if (e && e->state == READY)
        return &e->program;
    return stand_in(p, key);
}

const stn_program *stn_programs_link(stn_programs *p, uint64_t key)
{
    struct entry *e = want(p, key);

    if (e && e->state == PENDING)
        make(p, e);
    return e && e->state == READY ? &e->program : stand_in(p, key);
}

size_t stn_programs_pump(stn_programs *p, int64_t budget_ns)
{
    int64_t start = p->next < p->count ? stn_clock_ns() : 0;

    while (p->next < p->count) {
        struct entry *e = &p->entries[p->next++];

        if (e->state != PENDING)
            continue; /* made before its turn */
        make(p, e);
        if (stn_clock_ns() - start >= budget_ns)
            break;
    }
    return p->count - p->next;
}

unsigned stn_programs_from_cache(const stn_programs *p)
{
    return p->from_cache;
}

void stn_programs_counts(const stn_programs *p, unsigned *ready, unsigned *pending, unsigned *failed)
{
    *ready = p->ready;
    *pending = (unsigned)(p->count - p->next);
    *failed = p->failed;
}
