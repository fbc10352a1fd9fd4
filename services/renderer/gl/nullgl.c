#include "renderer/gl/nullgl.h"

#include <glad/gl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SCRATCH_BYTES ((size_t)256 << 20) /* a picture of 8192 a side */

static GLuint next_name;
static uint8_t *alive; /* by name: 1 while it is not deleted */
static size_t alive_cap, live;
static void *scratch; /* what every mapped buffer points to; stays, for another thread may be reading */

static void nothing(void)
{
}
static GLuint GLAD_API_PTR zero(void)
{
    return 0;
}
static const GLubyte *GLAD_API_PTR get_string(GLenum name)
{
    switch (name) {
    case GL_VERSION:
        return (const GLubyte *)"3.3 (null driver)";
    case GL_SHADING_LANGUAGE_VERSION:
        return (const GLubyte *)"3.30";
    default:
        return (const GLubyte *)"null driver";
    }
}
static const GLubyte *GLAD_API_PTR get_string_i(GLenum name, GLuint i)
{
    (void)name;
    (void)i;
    return (const GLubyte *)"";
}
static void GLAD_API_PTR get_integer(GLenum name, GLint *out)
{
    switch (name) {
    case GL_MAX_TEXTURE_SIZE:
        *out = 16384;
        break;
    case GL_MAX_TEXTURE_BUFFER_SIZE:
        *out = 1 << 26;
        break;
    case GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT:
        *out = 256;
        break;
    case GL_NUM_EXTENSIONS: /* one without a name: the loader takes none for a failure */
        *out = 1;
        break;
    case GL_MAJOR_VERSION:
    case GL_MINOR_VERSION:
        *out = 3;
        break;
    default:
        *out = 0;
    }
}
static bool refuses; /* shaders */

void stn_nullgl_refuse(bool on)
{
    refuses = on;
}

/* Of every kind from one row of numbers; without memory it is handed out and not counted. */
static GLuint new_name(void)
{
    GLuint name = ++next_name;

    if (name >= alive_cap) {
        size_t cap = alive_cap ? alive_cap * 2 : 1024;
        uint8_t *p = realloc(alive, cap);

        if (!p)
            return name;
        memset(p + alive_cap, 0, cap - alive_cap);
        alive = p;
        alive_cap = cap;
    }
    alive[name] = 1;
    live++;
    return name;
}
static void delete_name(GLuint name)
{
    if (name < alive_cap && alive[name]) {
        alive[name] = 0;
        live--;
    }
}
static void GLAD_API_PTR gen(GLsizei n, GLuint *out)
{
    for (GLsizei i = 0; i < n; i++)
        out[i] = new_name();
}
static void GLAD_API_PTR delete_all(GLsizei n, const GLuint *names)
{
    for (GLsizei i = 0; i < n; i++)
        delete_name(names[i]);
}
static void GLAD_API_PTR delete_one(GLuint name)
{
    delete_name(name);
}
static GLuint GLAD_API_PTR create_shader(GLenum kind)
{
    (void)kind;
    return new_name();
}
static GLuint GLAD_API_PTR create_program(void)
{
    return new_name();
}
static void GLAD_API_PTR get_object(GLuint object, GLenum name, GLint *out)
{
    (void)object;
    *out = name == GL_INFO_LOG_LENGTH ? 0 : name == GL_COMPILE_STATUS && refuses ? GL_FALSE : GL_TRUE;
}
static GLint GLAD_API_PTR location(GLuint program, const GLchar *name)
{
    (void)program;
    (void)name;
    return 0;
}
static GLuint GLAD_API_PTR block_index(GLuint program, const GLchar *name)
{
    (void)program;
    (void)name;
    return 0;
}
static GLenum GLAD_API_PTR framebuffer_status(GLenum target)
{
    (void)target;
    return GL_FRAMEBUFFER_COMPLETE;
}
static GLsync GLAD_API_PTR fence(GLenum condition, GLbitfield flags)
{
    (void)condition;
    (void)flags;
    return (GLsync)(uintptr_t)1;
}
static GLenum GLAD_API_PTR wait_sync(GLsync sync, GLbitfield flags, GLuint64 timeout)
{
    (void)sync;
    (void)flags;
    (void)timeout;
    return GL_ALREADY_SIGNALED;
}
static void *GLAD_API_PTR map_range(GLenum target, GLintptr offset, GLsizeiptr length, GLbitfield access)
{
    (void)target;
    (void)offset;
    (void)access;
    if ((size_t)length > SCRATCH_BYTES)
        return NULL;
    if (!scratch) {
        /* Address space; memory comes with the pages that are written. */
        void *p = mmap(NULL, SCRATCH_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        scratch = p == MAP_FAILED ? NULL : p;
    }
    return scratch;
}
static GLboolean GLAD_API_PTR unmap(GLenum target)
{
    (void)target;
    return GL_TRUE;
}

size_t stn_nullgl_live(void)
{
    return live;
}

stn_nullgl_fn stn_nullgl_load(const char *name)
{
    static const struct {
        const char *name;
        stn_nullgl_fn fn;
    } known[] = {
        {"glGetString", (stn_nullgl_fn)get_string},
        {"glGetStringi", (stn_nullgl_fn)get_string_i},
        {"glGetIntegerv", (stn_nullgl_fn)get_integer},
        {"glGetError", (stn_nullgl_fn)zero},
        {"glGenTextures", (stn_nullgl_fn)gen},
        {"glGenBuffers", (stn_nullgl_fn)gen},
        {"glGenVertexArrays", (stn_nullgl_fn)gen},
        {"glGenFramebuffers", (stn_nullgl_fn)gen},
        {"glGenSamplers", (stn_nullgl_fn)gen},
        {"glGenQueries", (stn_nullgl_fn)gen},
        {"glDeleteTextures", (stn_nullgl_fn)delete_all},
        {"glDeleteBuffers", (stn_nullgl_fn)delete_all},
        {"glDeleteVertexArrays", (stn_nullgl_fn)delete_all},
        {"glDeleteFramebuffers", (stn_nullgl_fn)delete_all},
        {"glDeleteSamplers", (stn_nullgl_fn)delete_all},
        {"glDeleteQueries", (stn_nullgl_fn)delete_all},
        {"glDeleteShader", (stn_nullgl_fn)delete_one},
        {"glDeleteProgram", (stn_nullgl_fn)delete_one},
        {"glCreateShader", (stn_nullgl_fn)create_shader},
        {"glCreateProgram", (stn_nullgl_fn)create_program},
        {"glGetShaderiv", (stn_nullgl_fn)get_object},
        {"glGetProgramiv", (stn_nullgl_fn)get_object},
        {"glGetUniformLocation", (stn_nullgl_fn)location},
        {"glGetUniformBlockIndex", (stn_nullgl_fn)block_index},
        {"glCheckFramebufferStatus", (stn_nullgl_fn)framebuffer_status},
        {"glFenceSync", (stn_nullgl_fn)fence},
        {"glClientWaitSync", (stn_nullgl_fn)wait_sync},
        {"glMapBufferRange", (stn_nullgl_fn)map_range},
        {"glUnmapBuffer", (stn_nullgl_fn)unmap},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].fn;
    return nothing;
}
