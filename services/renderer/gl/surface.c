#include "renderer/gl/surface.h"

#include "base/log.h"
#include "renderer/gl/nullgl.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <SDL.h>
#include <glad/gl.h>
#include <stdlib.h>
#include <string.h>

#define QUEUE_WAIT_NS 200000000u /* a driver that is stuck is not waited for longer in each frame */

struct stn_surface {
    stn_surface_kind kind;
    int width, height;
    SDL_Window *window;
    SDL_GLContext sdl;
    EGLDisplay display;
    EGLContext egl;
    EGLSurface pbuffer;
    bool shares; /* the display is another's */
    GLsync queued[STN_SURFACE_QUEUED]; /* one for each frame that is handed over, oldest next */
    unsigned next;
    char renderer[128], version[128];
    uint64_t debug_messages;
    stn_log_once debug_once;
};

static void GLAD_API_PTR on_debug(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                                  const GLchar *text, const void *arg)
{
    stn_surface *s = (stn_surface *)arg;

    (void)source;
    (void)id;
    (void)length;
    if (severity == GL_DEBUG_SEVERITY_NOTIFICATION || type == GL_DEBUG_TYPE_PERFORMANCE ||
        type == GL_DEBUG_TYPE_OTHER)
        return;
    s->debug_messages++;
    if (stn_log_due(&s->debug_once))
        stn_log_warn("GL says: %s (message %llu)", text, (unsigned long long)s->debug_messages);
}

static stn_status open_window(stn_surface *s, const stn_surface_options *o, stn_err *err)
{
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0)
        return stn_fail(err, STN_IO,
                        "no display to open a window on (SDL: %s): start with --headless to draw without one",
                        SDL_GetError());
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
    if (o->debug)
        SDL_GL_SetAttribute(SDL_GL_CONTEXT_FLAGS, SDL_GL_CONTEXT_DEBUG_FLAG);
    s->window =
        SDL_CreateWindow(o->title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, o->width, o->height,
                         SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (!s->window)
        return stn_fail(err, STN_IO, "no window of %dx%d: %s", o->width, o->height, SDL_GetError());
    s->sdl = SDL_GL_CreateContext(s->window);
    if (!s->sdl)
        return stn_fail(
            err, STN_UNSUPPORTED,
            "the graphics driver gives no OpenGL 3.3 core context (%s): install a newer driver, or Mesa's "
            "software one (libgl1-mesa-dri)",
            SDL_GetError());
    if (SDL_GL_SetSwapInterval(o->vsync ? 1 : 0) != 0 && o->vsync)
        stn_log_info("no vertical sync here (%s): frames are paced by the clock", SDL_GetError());
    if (!gladLoadGL((GLADloadfunc)SDL_GL_GetProcAddress))
        return stn_fail(err, STN_UNSUPPORTED, "OpenGL 3.3 functions are missing from the driver");
    return STN_OK;
}

static EGLDisplay surfaceless_display(void)
{
    const char *ext = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);

    if (ext && strstr(ext, "EGL_MESA_platform_surfaceless")) {
        EGLDisplay d = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);

        if (d != EGL_NO_DISPLAY)
            return d;
    }
    return eglGetDisplay(EGL_DEFAULT_DISPLAY);
}

static stn_status open_headless(stn_surface *s, const stn_surface_options *o, stn_err *err)
{
    static const EGLint any[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                 EGL_NONE};
    const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                             3,
                             EGL_CONTEXT_MINOR_VERSION,
                             3,
                             EGL_CONTEXT_OPENGL_PROFILE_MASK,
                             EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                             EGL_CONTEXT_OPENGL_DEBUG,
                             o->debug ? EGL_TRUE : EGL_FALSE,
                             EGL_NONE};
    static const EGLint one[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    EGLConfig config = NULL;
    EGLint n = 0;

    s->shares = o->shares_with != NULL;
    s->display = s->shares ? o->shares_with->display : surfaceless_display();
    if (s->display == EGL_NO_DISPLAY || (!s->shares && !eglInitialize(s->display, NULL, NULL)))
        return stn_fail(err, STN_UNSUPPORTED,
                        "no EGL display for drawing without a window (EGL error 0x%x): install libegl1 and "
                        "libgl1-mesa-dri",
                        (unsigned)eglGetError());
    if (!eglBindAPI(EGL_OPENGL_API) || !eglChooseConfig(s->display, any, &config, 1, &n) || n < 1)
        return stn_fail(err, STN_UNSUPPORTED, "EGL has no configuration for desktop OpenGL (error 0x%x)",
                        (unsigned)eglGetError());
    s->egl = eglCreateContext(s->display, config, s->shares ? o->shares_with->egl : EGL_NO_CONTEXT, wanted);
    if (s->egl == EGL_NO_CONTEXT)
        return stn_fail(err, STN_UNSUPPORTED,
                        "the driver gives no OpenGL 3.3 core context (EGL error 0x%x): install a newer "
                        "driver, or Mesa's software one (libgl1-mesa-dri)",
                        (unsigned)eglGetError());
    if (!eglMakeCurrent(s->display, EGL_NO_SURFACE, EGL_NO_SURFACE, s->egl)) {
        s->pbuffer = eglCreatePbufferSurface(s->display, config, one);
        if (s->pbuffer == EGL_NO_SURFACE || !eglMakeCurrent(s->display, s->pbuffer, s->pbuffer, s->egl))
            return stn_fail(err, STN_UNSUPPORTED,
                            "the OpenGL context cannot be used without a window (EGL error 0x%x)",
                            (unsigned)eglGetError());
    }
    /* Who shares has the same driver, and another thread may be using the table. */
    if (!s->shares && !gladLoadGL((GLADloadfunc)eglGetProcAddress))
        return stn_fail(err, STN_UNSUPPORTED, "OpenGL 3.3 functions are missing from the driver");
    return STN_OK;
}

static void copy_word(char *out, size_t cap, const GLubyte *text)
{
    snprintf(out, cap, "%s", text ? (const char *)text : "?");
}

stn_status stn_surface_new(const stn_surface_options *o, stn_surface **out, stn_err *err)
{
    stn_surface *s;
    stn_status st = STN_OK;

    *out = NULL;
    if (o->width < 1 || o->height < 1 || o->width > 16384 || o->height > 16384)
        return stn_fail(err, STN_USAGE, "picture size %dx%d: 1 to 16384 pixels a side", o->width, o->height);
    if (o->shares_with && (o->kind == STN_SURFACE_WINDOW || o->shares_with->kind != o->kind))
        return stn_fail(err, STN_UNSUPPORTED, "only surfaces without a window share, with their like");
    s = calloc(1, sizeof *s);
    if (!s)
        return stn_fail(err, STN_NO_MEMORY, "surface");
    s->kind = o->kind;
    s->width = o->width;
    s->height = o->height;
    s->display = EGL_NO_DISPLAY;
    s->egl = EGL_NO_CONTEXT;
    s->pbuffer = EGL_NO_SURFACE;
    if (o->kind == STN_SURFACE_WINDOW)
        st = open_window(s, o, err);
    else if (o->kind == STN_SURFACE_HEADLESS)
        st = open_headless(s, o, err);
    else if (!gladLoadGL((GLADloadfunc)stn_nullgl_load))
        st = stn_fail(err, STN_UNSUPPORTED, "the null driver lacks a function");
    if (st != STN_OK) {
        stn_surface_free(s);
        return st;
    }
    copy_word(s->renderer, sizeof s->renderer, glGetString(GL_RENDERER));
    copy_word(s->version, sizeof s->version, glGetString(GL_VERSION));
    if (o->debug && GLAD_GL_KHR_debug && glDebugMessageCallback) {
        glEnable(GL_DEBUG_OUTPUT);
        glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
        glDebugMessageCallback(on_debug, s);
    }
    *out = s;
    return STN_OK;
}

void stn_surface_free(stn_surface *s)
{
    if (!s)
        return;
    for (int i = 0; i < STN_SURFACE_QUEUED; i++)
        if (s->queued[i])
            glDeleteSync(s->queued[i]);
    if (s->sdl)
        SDL_GL_DeleteContext(s->sdl);
    if (s->window)
        SDL_DestroyWindow(s->window);
    if (s->kind == STN_SURFACE_WINDOW && SDL_WasInit(SDL_INIT_VIDEO))
        SDL_QuitSubSystem(SDL_INIT_VIDEO);
    if (s->display != EGL_NO_DISPLAY) {
        eglMakeCurrent(s->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (s->pbuffer != EGL_NO_SURFACE)
            eglDestroySurface(s->display, s->pbuffer);
        if (s->egl != EGL_NO_CONTEXT)
            eglDestroyContext(s->display, s->egl);
        if (!s->shares)
            eglTerminate(s->display);
    }
    free(s);
}

stn_status stn_surface_take(stn_surface *s, stn_err *err)
{
    EGLSurface on = s->pbuffer;

    if (s->window && SDL_GL_MakeCurrent(s->window, s->sdl) != 0)
        return stn_fail(err, STN_IO, "the OpenGL context of the window cannot be used: %s", SDL_GetError());
    if (s->egl != EGL_NO_CONTEXT &&
        (!eglBindAPI(EGL_OPENGL_API) || !eglMakeCurrent(s->display, on, on, s->egl)))
        return stn_fail(err, STN_IO, "the OpenGL context cannot be used (EGL error 0x%x)",
                        (unsigned)eglGetError());
    return STN_OK;
}

void stn_surface_let_go(stn_surface *s)
{
    if (s->window)
        SDL_GL_MakeCurrent(s->window, NULL);
    if (s->egl != EGL_NO_CONTEXT)
        eglMakeCurrent(s->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

stn_surface_kind stn_surface_kind_of(const stn_surface *s)
{
    return s->kind;
}

void stn_surface_size(const stn_surface *s, int *w, int *h)
{
    *w = s->width;
    *h = s->height;
    if (s->window)
        SDL_GL_GetDrawableSize(s->window, w, h);
    *w = *w < 1 ? 1 : *w;
    *h = *h < 1 ? 1 : *h;
}

void stn_surface_resize(stn_surface *s, int w, int h)
{
    s->width = w;
    s->height = h;
}

bool stn_surface_has_window(const stn_surface *s)
{
    return s->window != NULL;
}

void stn_surface_swap(stn_surface *s, stn_glrec *rec)
{
    GLsync *oldest = &s->queued[s->next];
    GLenum state;

    if (s->window)
        SDL_GL_SwapWindow(s->window);
    else
        glFlush();
    rec->frames_given++;
    /* A driver that draws in software takes frames faster than it draws them, and memory for each. */
    if (*oldest) {
        state = glClientWaitSync(*oldest, GL_SYNC_FLUSH_COMMANDS_BIT, QUEUE_WAIT_NS);
        if (state == GL_ALREADY_SIGNALED || state == GL_CONDITION_SATISFIED)
            rec->frames_done = rec->frames_given - STN_SURFACE_QUEUED;
        glDeleteSync(*oldest);
    }
    *oldest = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    s->next = (s->next + 1) % STN_SURFACE_QUEUED;
}

int stn_surface_lag(const stn_surface *s)
{
    int lag = 0;

    if (s->kind == STN_SURFACE_NULL)
        return -1;
    for (int i = 0; i < STN_SURFACE_QUEUED; i++) {
        GLint state = GL_SIGNALED;

        if (s->queued[i])
            glGetSynciv(s->queued[i], GL_SYNC_STATUS, 1, NULL, &state);
        lag += state != GL_SIGNALED;
    }
    return lag;
}

void stn_surface_fullscreen(stn_surface *s, bool on)
{
    if (s->window)
        SDL_SetWindowFullscreen(s->window, on ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
}

bool stn_surface_hidden(const stn_surface *s)
{
    return s->window && (SDL_GetWindowFlags(s->window) & (SDL_WINDOW_MINIMIZED | SDL_WINDOW_HIDDEN)) != 0;
}

bool stn_surface_in_background(const stn_surface *s)
{
    return stn_surface_hidden(s) ||
           (s->window && (SDL_GetWindowFlags(s->window) & SDL_WINDOW_INPUT_FOCUS) == 0);
}

void *stn_surface_sdl_window(const stn_surface *s)
{
    return s->window;
}

const char *stn_surface_renderer(const stn_surface *s)
{
    return s->renderer;
}

const char *stn_surface_version(const stn_surface *s)
{
    return s->version;
}

bool stn_surface_is_software(const stn_surface *s)
{
    return strstr(s->renderer, "llvmpipe") || strstr(s->renderer, "softpipe") ||
           strstr(s->renderer, "swrast") || strstr(s->renderer, "SwiftShader") ||
           strstr(s->renderer, "Software");
}

uint64_t stn_surface_debug_messages(const stn_surface *s)
{
    return s->debug_messages;
}
