/* credit.h - what a sender may still send before the receiver grants more: bytes and messages. Pure.
 *
 * Grants are totals since the start of the relation (both sides begin at 0 on peer up), not increments: a
 * grant that is lost, repeated or late changes nothing once a newer one has come.
 *
 * Receiver:  stn_grant g;  stn_grant_init(&g, window_bytes, window_messages);
 *            on each message taken:  stn_grant_took(&g, bytes);
 *            if (stn_grant_due(&g, &bytes, &messages)) send Credit{bytes, messages};
 * Sender:    stn_credit c = {0};  on Credit: stn_credit_granted(&c, bytes, messages);
 *            if (stn_credit_fits(&c, len)) { send; stn_credit_spent(&c, len); }
 */
#ifndef STN_BUS_CREDIT_H
#define STN_BUS_CREDIT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct stn_credit {
    uint64_t granted_bytes, granted_messages; /* totals */
    uint64_t spent_bytes, spent_messages; /* totals */
    uint64_t window_bytes; /* most bytes that were ever left: the receiver's window as seen from here */
} stn_credit;

/* A total lower than one seen before is old and ignored (false). */
bool stn_credit_granted(stn_credit *c, uint64_t total_bytes, uint64_t total_messages);
/* One message of `bytes` may go: a message is credited, and the bytes, or half the window for a message
 * larger than that. Thus a large one is late and never stuck, at the price of overdrawing by at most one
 * message. */
bool stn_credit_fits(const stn_credit *c, uint64_t bytes);
void stn_credit_spent(stn_credit *c, uint64_t bytes);
uint64_t stn_credit_left_bytes(const stn_credit *c);
uint64_t stn_credit_left_messages(const stn_credit *c);

typedef struct stn_grant {
    uint64_t window_bytes, window_messages;
    uint64_t took_bytes, took_messages; /* totals */
    uint64_t granted_bytes, granted_messages; /* totals last told */
} stn_grant;

void stn_grant_init(stn_grant *g, uint64_t window_bytes, uint64_t window_messages);
void stn_grant_took(stn_grant *g, uint64_t bytes);
/* True when a quarter of either window has been used since the last grant (and for the first grant): then the
 * new totals to tell. A sender over its credit is visible as stn_grant_overdrawn(). */
bool stn_grant_due(stn_grant *g, uint64_t *total_bytes, uint64_t *total_messages);
/* The sender has sent messages that were never granted. */
bool stn_grant_overdrawn(const stn_grant *g);

#endif
