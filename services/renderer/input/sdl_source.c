#include "renderer/input/sdl_source.h"

#include <SDL.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS                                                                                               \
    512 /* of each kind between two frames; more are dropped, oldest first to go is never a key release */

struct key_event {
    uint16_t key;
    bool down;
};

struct stn_sdl_source {
    struct key_event keys[EVENTS];
    stn_mouse mice[EVENTS];
    char text[STN_INPUT_TEXT * 8];
    size_t key_at, key_count, mouse_at, mouse_count, text_at, text_len;
    stn_mouse mouse; /* as of the last event */
    uint8_t clicks[STN_BUTTON_COUNT];
    Uint32 pressed_at[STN_BUTTON_COUNT];
    int pressed_x[STN_BUTTON_COUNT], pressed_y[STN_BUTTON_COUNT];
    bool lost;
};

#define CLICK_MS 500
#define CLICK_PIXELS 15

stn_sdl_source *stn_sdl_source_new(void)
{
    return calloc(1, sizeof(stn_sdl_source));
}

void stn_sdl_source_free(stn_sdl_source *s)
{
    free(s);
}

static bool next_key(void *ctx, unsigned *key, bool *down)
{
    stn_sdl_source *s = ctx;

    if (s->key_at == s->key_count)
        return false;
    *key = s->keys[s->key_at].key;
    *down = s->keys[s->key_at++].down;
    return true;
}

static bool next_mouse(void *ctx, stn_mouse *m)
{
    stn_sdl_source *s = ctx;

    if (s->mouse_at == s->mouse_count)
        return false;
    *m = s->mice[s->mouse_at++];
    return true;
}

static bool next_text(void *ctx, char *utf8, size_t cap)
{
    stn_sdl_source *s = ctx;
    size_t n = s->text_len - s->text_at;

    if (n == 0)
        return false;
    n = n < cap - 1 ? n : cap - 1;
    while (n > 0 && s->text_at + n < s->text_len && ((unsigned char)s->text[s->text_at + n] & 0xc0) == 0x80)
        n--; /* not in the middle of a character */
    if (n == 0)
        return false;
    memcpy(utf8, s->text + s->text_at, n);
    utf8[n] = '\0';
    s->text_at += n;
    return true;
}

static bool lost_focus(void *ctx)
{
    stn_sdl_source *s = ctx;
    bool lost = s->lost;

    s->lost = false;
    return lost;
}

stn_input_source stn_sdl_source_as_input(stn_sdl_source *s)
{
    return (stn_input_source){s, next_key, next_mouse, next_text, lost_focus};
}

static void put_mouse(stn_sdl_source *s)
{
    if (s->mouse_count < EVENTS)
        s->mice[s->mouse_count++] = s->mouse;
}

static int button_of(Uint8 b)
{
    return b == SDL_BUTTON_LEFT     ? STN_BUTTON_LEFT
           : b == SDL_BUTTON_MIDDLE ? STN_BUTTON_MIDDLE
           : b == SDL_BUTTON_RIGHT  ? STN_BUTTON_RIGHT
                                    : -1;
}

/* A click is a release within half a second and 15 pixels of its press; more of them in a row count up. */
static void button(stn_sdl_source *s, const SDL_MouseButtonEvent *e)
{
    int b = button_of(e->button);
    bool down = e->state == SDL_PRESSED, near;

    if (b < 0)
        return;
    s->mouse.x = e->x;
    s->mouse.y = e->y;
    s->mouse.dx = s->mouse.dy = 0;
    s->mouse.wheel = 0.0f;
    near = abs(e->x - s->pressed_x[b]) <= CLICK_PIXELS && abs(e->y - s->pressed_y[b]) <= CLICK_PIXELS;
    if (down) {
        if (!near || e->timestamp - s->pressed_at[b] > CLICK_MS)
            s->clicks[b] = 0;
        s->pressed_at[b] = e->timestamp;
        s->pressed_x[b] = e->x;
        s->pressed_y[b] = e->y;
    } else if (near && e->timestamp - s->pressed_at[b] <= CLICK_MS) {
        s->clicks[b]++;
    } else {
        s->clicks[b] = 0;
    }
    s->mouse.down[b] = down;
    s->mouse.clicks[b] = down ? 0 : s->clicks[b];
    put_mouse(s);
}

static void on_event(stn_sdl_source *s, const SDL_Event *e, bool *closed)
{
    size_t n;

    switch (e->type) {
    case SDL_QUIT:
        *closed = true;
        break;
    case SDL_WINDOWEVENT:
        if (e->window.event == SDL_WINDOWEVENT_FOCUS_LOST) {
            s->lost = true;
            memset(s->mouse.down, 0, sizeof s->mouse.down);
        }
        break;
    case SDL_KEYDOWN:
    case SDL_KEYUP:
        if (!e->key.repeat && s->key_count < EVENTS)
            s->keys[s->key_count++] =
                (struct key_event){(uint16_t)e->key.keysym.scancode, e->type == SDL_KEYDOWN};
        break;
    case SDL_MOUSEMOTION:
        s->mouse.x = e->motion.x;
        s->mouse.y = e->motion.y;
        s->mouse.dx = e->motion.xrel;
        s->mouse.dy = e->motion.yrel;
        s->mouse.wheel = 0.0f;
        put_mouse(s);
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        button(s, &e->button);
        break;
    case SDL_MOUSEWHEEL:
        s->mouse.dx = s->mouse.dy = 0;
        s->mouse.wheel = e->wheel.preciseY;
        put_mouse(s);
        break;
    case SDL_TEXTINPUT:
        n = strlen(e->text.text);
        if (s->text_len + n < sizeof s->text) {
            memcpy(s->text + s->text_len, e->text.text, n);
            s->text_len += n;
        }
        break;
    default:
        break;
    }
}

void stn_sdl_source_pump(stn_sdl_source *s, bool *closed)
{
    SDL_Event e;

    *closed = false;
    s->key_at = s->key_count = s->mouse_at = s->mouse_count = s->text_at = s->text_len = 0;
    while (SDL_PollEvent(&e))
        on_event(s, &e, closed);
}
