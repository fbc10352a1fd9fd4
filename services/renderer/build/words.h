/* words.h - what world says to the person, as the HUD takes it: chat, an object's menu, the party. Pure.
 *
 * A NULL message makes an empty text: a menu that is closed.
 */
#ifndef STN_RENDERER_BUILD_WORDS_H
#define STN_RENDERER_BUILD_WORDS_H

#include "renderer/build/job.h"

#include "proto/world.pb-c.h"

void stn_words_chat(const Stenness__Chat *c, stn_job_text *out);
/* Options are separated by '\n'; one that does not fit, and what follows it, is left out. */
void stn_words_menu(const Stenness__Menu *m, stn_job_text *out);
/* Those of whom it is known where they are, without oneself. */
void stn_words_party(const Stenness__Global *g, stn_job_facts *out);
/* Whether clouds are part of the weather. */
bool stn_words_clouds(const Stenness__Global *g);
/* A person's name from the bytes of its attribute (docs/spec/object-cache.md A10), fit to be drawn:
 * well-formed, on one line, without what cannot be seen or turns the text about, cut at STN_NAME_CHARACTERS.
 * Bytes that are no name: an empty one, and false. */
bool stn_words_name(const uint8_t *data, size_t len, stn_job_name *out);
void stn_words_session(const Stenness__Session *s, stn_job_facts *out);

#endif
