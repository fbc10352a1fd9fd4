/* bus_sides.h - two sides of a conversation in one process, and what each saw: for the tests of peers. */
#ifndef STN_TESTS_BUS_SIDES_H
#define STN_TESTS_BUS_SIDES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/bus_fixture.h"

enum { KIND_TEXT = 150, KIND_BULK = 151, KIND_SMALL = 152, KIND_UNKNOWN = 199 };
#define BULK 20u

/* One side: what it saw. */
typedef struct side {
    stn_bus *bus;
    stn_conv *conv;
    stn_peer *peer;
    int ups, downs, gaps, rooms, texts, bulks;
    stn_down_reason why;
    char text[256];
    uint64_t correlation;
    uint32_t bulk_sum;
    size_t bulk_frames;
    stn_msg *kept;
    bool forward;
    uint64_t gap_expected, gap_got;
    int order; /* of the last text among the bulks seen so far */
} side;

extern stn_loop *loop;
extern side door, link_a; /* a door and one link to it; both are closed behind each test */

stn_conv_spec spec_of(side *s, const char *name);
void open_door(side *s, const char *kind);
void open_link(side *s, const char *kind);
void close_side(side *s);
stn_status say(side *s, const char *text, uint32_t stream, uint32_t kind);
stn_frame *noise(size_t len, uint8_t seed);
stn_status send_bulk(side *s, stn_frame *f, uint32_t stream);
double counter(const stn_bus *bus, const char *name);
int make(void **state);
int unmake(void **state);
uint32_t sum_of(const stn_frame *f);

/* Of a whole program: a folder of its own for sockets. */
int make_folder(void **state);
int remove_folder(void **state);
#define T(name) cmocka_unit_test_setup_teardown(name, make, unmake)

#endif
