/* sdl_source.h - SDL's events as an input source.
 *
 * stn_sdl_source_pump() takes what SDL has (on the thread of the window); the source then gives it out event
 * by event. Window events are told apart: close, size.
 */
#ifndef STN_RENDERER_INPUT_SDL_SOURCE_H
#define STN_RENDERER_INPUT_SDL_SOURCE_H

#include "renderer/input/physical.h"

typedef struct stn_sdl_source stn_sdl_source;

stn_sdl_source *stn_sdl_source_new(void); /* NULL: out of memory */
void stn_sdl_source_free(stn_sdl_source *s);
stn_input_source stn_sdl_source_as_input(stn_sdl_source *s);
/* Takes all waiting events; *closed: the person closed the window. */
void stn_sdl_source_pump(stn_sdl_source *s, bool *closed);

#endif
