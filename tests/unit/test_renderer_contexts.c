/* GL contexts and their records (docs/spec/rendering.md 23.7): what is set already is not set again, names
 * belong to who can use them, and what a driver loses is made anew. On a driver that writes down what it is
 * told, and on a real one with two contexts on two threads. */
#include "renderer/gl/contexts.h"
#include "renderer/gl/nullgl.h"
#include "renderer/gl/surface.h"
#include "renderer/gl/target.h"

#include <glad/gl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* --- a driver that writes down --- */

static unsigned made_textures, made_arrays, gone_textures, gone_arrays, viewports, uses;
static GLuint last_name;

static void GLAD_API_PTR gen_textures(GLsizei n, GLuint *out)
{
    made_textures += (unsigned)n;
    *out = ++last_name;
}
static void GLAD_API_PTR gen_arrays(GLsizei n, GLuint *out)
{
    made_arrays += (unsigned)n;
    *out = ++last_name;
}
static void GLAD_API_PTR drop_textures(GLsizei n, const GLuint *names)
{
    (void)names;
    gone_textures += (unsigned)n;
}
static void GLAD_API_PTR drop_arrays(GLsizei n, const GLuint *names)
{
    (void)names;
    gone_arrays += (unsigned)n;
}
static void GLAD_API_PTR set_viewport(GLint x, GLint y, GLsizei w, GLsizei h)
{
    (void)x;
    (void)y;
    (void)w;
    (void)h;
    viewports++;
}
static void GLAD_API_PTR use_program(GLuint name)
{
    (void)name;
    uses++;
}

static stn_surface *open_driver(void)
{
    stn_surface *s = NULL;
    stn_err err = {0};

    assert_int_equal(
        stn_surface_new(&(stn_surface_options){.kind = STN_SURFACE_NULL, .width = 8, .height = 8}, &s, &err),
        STN_OK);
    glad_glGenTextures = gen_textures;
    glad_glGenVertexArrays = gen_arrays;
    glad_glDeleteTextures = drop_textures;
    glad_glDeleteVertexArrays = drop_arrays;
    glad_glViewport = set_viewport;
    glad_glUseProgram = use_program;
    made_textures = made_arrays = gone_textures = gone_arrays = viewports = uses = 0;
    return s;
}

static uint32_t make_texture(void *arg, stn_glrec *rec)
{
    GLuint name;

    (void)arg;
    glGenTextures(1, &name);
    stn_glrec_texture(rec, 0, GL_TEXTURE_2D, name, 0);
    return name;
}

static uint32_t make_array(void *arg, stn_glrec *rec)
{
    GLuint name;

    (void)arg;
    glGenVertexArrays(1, &name);
    stn_glrec_vao(rec, name);
    return name;
}

static uint32_t make_nothing(void *arg, stn_glrec *rec)
{
    (void)arg;
    (void)rec;
    return 0;
}

enum { FIRST = 11, SHARING = 12, APART = 13 };

/* The first is current. */
static stn_contexts *three(void)
{
    stn_contexts *c = stn_contexts_new();
    stn_err err = {0};

    assert_non_null(c);
    assert_int_equal(stn_contexts_add(c, FIRST, 0, &err), STN_OK);
    assert_int_equal(stn_contexts_add(c, SHARING, FIRST, &err), STN_OK);
    assert_int_equal(stn_contexts_add(c, APART, 0, &err), STN_OK);
    assert_int_equal(stn_contexts_switch(c, FIRST, &err), STN_OK);
    return c;
}

static void go_to(stn_contexts *c, uint64_t key)
{
    stn_err err = {0};

    assert_int_equal(stn_contexts_switch(c, key, &err), STN_OK);
}

static void what_is_set_is_not_set_again_until_it_is_forgotten(void **state)
{
    stn_surface *s = open_driver();
    stn_contexts *c = three();
    stn_glrec *rec = stn_contexts_record(c);

    (void)state;
    for (int i = 0; i < 3; i++) {
        stn_glrec_viewport(rec, 0, 0, 64, 48);
        stn_glrec_program(rec, 7);
    }
    assert_int_equal(viewports, 1);
    assert_int_equal(uses, 1);
    assert_int_equal(rec->issued, 2);
    assert_int_equal(rec->skipped, 4);
    stn_contexts_invalidate(c);
    for (int i = 0; i < 2; i++)
        stn_glrec_viewport(rec, 0, 0, 64, 48);
    assert_int_equal(viewports, 2); /* exactly once */
    /* Another context knows nothing of it, and leaves it alone. */
    go_to(c, SHARING);
    stn_glrec_viewport(stn_contexts_record(c), 0, 0, 64, 48);
    go_to(c, FIRST);
    stn_glrec_viewport(stn_contexts_record(c), 0, 0, 64, 48);
    assert_int_equal(viewports, 3);
    stn_contexts_free(c);
    stn_surface_free(s);
}

static void a_key_that_is_not_known_is_refused(void **state)
{
    stn_contexts *c = three();
    stn_err err = {0};

    (void)state;
    assert_int_equal(stn_contexts_switch(c, 99, &err), STN_NOT_FOUND);
    assert_non_null(strstr(err.text, "99"));
    assert_int_equal(stn_contexts_switch(c, 0, &err), STN_NOT_FOUND);
    assert_int_equal(stn_contexts_lost(c, 99, &err), STN_NOT_FOUND);
    assert_int_equal(stn_contexts_add(c, 20, 99, &err), STN_USAGE);
    assert_int_equal(stn_contexts_add(c, FIRST, 0, &err), STN_USAGE);
    assert_int_equal(stn_contexts_add(c, 0, 0, &err), STN_USAGE);
    assert_int_equal(stn_contexts_unique(c), 1); /* still the first */
    for (uint64_t key = 100; key < 100 + STN_CONTEXTS_MAX - 3; key++)
        assert_int_equal(stn_contexts_add(c, key, 0, &err), STN_OK);
    assert_int_equal(stn_contexts_add(c, 200, 0, &err), STN_TOO_BIG);
    stn_contexts_free(c);
}

static void who_shares_finds_names_but_for_arrays(void **state)
{
    stn_surface *s = open_driver();
    stn_contexts *c = three();
    stn_globject texture = {.kind = STN_GL_TEXTURE, .make = make_texture};
    stn_globject array = {.kind = STN_GL_VERTEX_ARRAY, .make = make_array};
    stn_globject never = {.kind = STN_GL_BUFFER, .make = make_nothing};
    stn_glref unique = stn_contexts_unique(c), sharable = stn_contexts_sharable(c);
    uint32_t picture = stn_globject_name(c, &texture), form = stn_globject_name(c, &array);

    (void)state;
    assert_true(picture && form);
    assert_int_equal(stn_globject_name(c, &texture), picture);
    go_to(c, SHARING);
    assert_int_equal(stn_contexts_sharable(c), sharable);
    assert_int_not_equal(stn_contexts_unique(c), unique);
    assert_int_equal(stn_globject_name(c, &texture), picture);
    assert_int_not_equal(stn_globject_name(c, &array), form);
    assert_int_equal(made_textures, 1);
    assert_int_equal(made_arrays, 2);
    go_to(c, APART);
    assert_int_not_equal(stn_contexts_sharable(c), sharable);
    assert_int_not_equal(stn_globject_name(c, &texture), picture);
    assert_int_equal(made_textures, 2);
    assert_int_equal(stn_globject_name(c, &never), 0);
    stn_globject_drop(c, &never);
    go_to(c, FIRST);
    assert_int_equal(stn_globject_name(c, &array), form);
    stn_contexts_free(c);
    stn_surface_free(s);
}

static void names_wait_for_a_context_of_theirs(void **state)
{
    stn_surface *s = open_driver();
    stn_contexts *c = three();
    stn_globject texture = {.kind = STN_GL_TEXTURE, .make = make_texture};
    stn_globject array = {.kind = STN_GL_VERTEX_ARRAY, .make = make_array};

    (void)state;
    stn_globject_name(c, &texture);
    stn_globject_name(c, &array);
    stn_globject_drop(c, &texture);
    stn_globject_drop(c, &array);
    assert_int_equal(gone_textures + gone_arrays, 0);
    go_to(c, APART);
    assert_int_equal(stn_contexts_flush(c), 0);
    go_to(c, SHARING); /* the texture is its own too, the array is not */
    assert_int_equal(stn_contexts_flush(c), 1);
    assert_int_equal(gone_textures, 1);
    assert_int_equal(gone_arrays, 0);
    go_to(c, FIRST);
    assert_int_equal(stn_contexts_flush(c), 1);
    assert_int_equal(gone_arrays, 1);
    assert_int_equal(stn_contexts_flush(c), 0);
    /* It was bound: a name that GL hands out again is bound again. */
    assert_int_not_equal(stn_contexts_record(c)->vao, array.names[0].name);
    stn_contexts_free(c);
    stn_surface_free(s);
}

static void a_context_takes_only_its_own_names_with_it(void **state)
{
    stn_surface *s = open_driver();
    stn_contexts *c = three();
    stn_globject texture = {.kind = STN_GL_TEXTURE, .make = make_texture};
    stn_globject dropped = {.kind = STN_GL_VERTEX_ARRAY, .make = make_array};
    stn_globject array = {.kind = STN_GL_VERTEX_ARRAY, .make = make_array};
    uint32_t picture = stn_globject_name(c, &texture), form = stn_globject_name(c, &array);
    stn_err err = {0};

    (void)state;
    stn_globject_name(c, &dropped);
    go_to(c, SHARING);
    stn_globject_name(c, &array);
    stn_globject_name(c, &dropped);
    stn_globject_drop(c, &dropped); /* one waits for each of the two */
    stn_contexts_remove(c);
    assert_int_equal(gone_arrays, 2); /* the one that waited and the one in use */
    assert_int_equal(gone_textures, 0); /* the first has it still */
    assert_null(stn_contexts_record(c));
    assert_int_equal(stn_globject_name(c, &texture), 0);
    assert_int_equal(stn_contexts_switch(c, SHARING, &err), STN_NOT_FOUND);
    go_to(c, FIRST);
    assert_int_equal(stn_globject_name(c, &texture), picture);
    assert_int_equal(stn_globject_name(c, &array), form);
    stn_contexts_remove(c); /* the last that has the texture */
    assert_int_equal(gone_arrays, 4);
    assert_int_equal(gone_textures, 1);
    assert_int_equal(texture.count + array.count, 0);
    stn_contexts_free(c);
    stn_surface_free(s);
}

static void what_a_driver_loses_is_made_anew_of_what_is_kept(void **state)
{
    stn_surface *s = open_driver();
    stn_contexts *c = three();
    stn_globject texture = {.kind = STN_GL_TEXTURE, .make = make_texture};
    stn_globject array = {.kind = STN_GL_VERTEX_ARRAY, .make = make_array};
    stn_globject waiting = {.kind = STN_GL_TEXTURE, .make = make_texture};
    uint32_t picture = stn_globject_name(c, &texture), form = stn_globject_name(c, &array), apart;
    stn_err err = {0};

    (void)state;
    stn_globject_name(c, &waiting);
    stn_globject_drop(c, &waiting);
    stn_glrec_viewport(stn_contexts_record(c), 0, 0, 64, 48);
    go_to(c, APART);
    apart = stn_globject_name(c, &texture);
    assert_int_equal(stn_contexts_lost(c, SHARING, &err), STN_OK); /* and with it the first, which shares */
    assert_int_equal(gone_textures + gone_arrays, 0); /* there is nobody to tell it to */
    assert_int_equal(stn_globject_name(c, &texture), apart); /* nothing happened to this one */
    go_to(c, FIRST);
    assert_int_equal(stn_contexts_flush(c), 0);
    stn_glrec_viewport(stn_contexts_record(c), 0, 0, 64, 48);
    assert_int_equal(viewports, 2);
    assert_int_not_equal(stn_globject_name(c, &texture), picture);
    assert_int_not_equal(stn_globject_name(c, &array), form);
    stn_contexts_free(c);
    stn_surface_free(s);
}

/* --- a real driver --- */

typedef struct painter {
    stn_surface *surface;
    stn_glrec *rec;
    uint32_t texture; /* of the other context */
    uint8_t seen[4];
    bool failed;
} painter;

static const uint8_t orange[4] = {250, 140, 30, 255};

static uint32_t make_orange(void *arg, stn_glrec *rec)
{
    uint32_t name = stn_target_texture(rec, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 1, 1);

    (void)arg;
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, orange);
    return name;
}

/* Reads the other's texture through a framebuffer of its own. */
static void *paint(void *arg)
{
    painter *p = arg;
    GLuint fbo;
    stn_err err = {0};

    p->failed = stn_surface_take(p->surface, &err) != STN_OK;
    if (p->failed)
        return NULL;
    glGenFramebuffers(1, &fbo);
    stn_glrec_fbo(p->rec, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, p->texture, 0);
    p->failed = glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE;
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p->seen);
    p->failed = p->failed || glGetError() != GL_NO_ERROR;
    glDeleteFramebuffers(1, &fbo);
    stn_surface_let_go(p->surface);
    return NULL;
}

static void a_second_context_draws_with_the_first_ones_textures(void **state)
{
    stn_surface_options so = {.kind = STN_SURFACE_HEADLESS, .width = 8, .height = 8};
    stn_surface *first = NULL;
    painter p = {0};
    stn_contexts *c = three();
    stn_globject texture = {.kind = STN_GL_TEXTURE, .make = make_orange};
    pthread_t thread;
    stn_err err = {0};

    (void)state;
    if (stn_surface_new(&so, &first, &err) != STN_OK) {
        printf("skipped: %s\n", err.text);
        stn_contexts_free(c);
        skip();
    }
    p.texture = stn_globject_name(c, &texture);
    glFinish(); /* what one context made is there for the other when it is done */
    so.shares_with = first;
    assert_int_equal(stn_surface_new(&so, &p.surface, &err), STN_OK);
    stn_surface_let_go(p.surface);
    go_to(c, SHARING);
    assert_int_equal(stn_globject_name(c, &texture), p.texture);
    p.rec = stn_contexts_record(c);
    assert_int_equal(pthread_create(&thread, NULL, paint, &p), 0);
    pthread_join(thread, NULL);
    assert_false(p.failed);
    assert_memory_equal(p.seen, orange, 4);
    assert_int_equal(stn_surface_take(p.surface, &err), STN_OK);
    stn_contexts_remove(c);
    stn_surface_free(p.surface);
    /* The first still has it, and takes it along at its end. */
    assert_int_equal(stn_surface_take(first, &err), STN_OK);
    go_to(c, FIRST);
    assert_true(glIsTexture(p.texture));
    stn_contexts_remove(c);
    assert_false(glIsTexture(p.texture));
    assert_int_equal(glGetError(), GL_NO_ERROR);
    stn_surface_free(first);
    stn_contexts_free(c);
}

static void only_surfaces_without_a_window_share(void **state)
{
    stn_surface *s = open_driver(), *other = NULL;
    stn_surface_options so = {.kind = STN_SURFACE_WINDOW, .width = 8, .height = 8, .shares_with = s};
    stn_err err = {0};

    (void)state;
    assert_int_equal(stn_surface_new(&so, &other, &err), STN_UNSUPPORTED);
    assert_null(other);
    so.kind = STN_SURFACE_HEADLESS;
    assert_int_equal(stn_surface_new(&so, &other, &err), STN_UNSUPPORTED);
    stn_surface_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_set_is_not_set_again_until_it_is_forgotten),
        cmocka_unit_test(a_key_that_is_not_known_is_refused),
        cmocka_unit_test(who_shares_finds_names_but_for_arrays),
        cmocka_unit_test(names_wait_for_a_context_of_theirs),
        cmocka_unit_test(a_context_takes_only_its_own_names_with_it),
        cmocka_unit_test(what_a_driver_loses_is_made_anew_of_what_is_kept),
        cmocka_unit_test(a_second_context_draws_with_the_first_ones_textures),
        cmocka_unit_test(only_surfaces_without_a_window_share),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
