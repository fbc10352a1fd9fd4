/* bus_internal.h - the parts of the bus that its own files share.
 *
 *   bus.c      the process: identity, housekeeping, report
 *   conv.c     doors and links: sockets made and remade, monitor events
 *   peer.c     peers: Hello, up and down, pings
 *   receive.c  from the frames on the wire to a handler, with every check
 *   send.c     from a message to the wire: queues, window, pieces
 *   msg.c      received messages
 */
#ifndef STN_BUS_BUS_INTERNAL_H
#define STN_BUS_BUS_INTERNAL_H

#include "base/log.h"
#include "base/table.h"
#include "bus/bus.h"
#include "bus/lock.h"
#include "bus/loop_internal.h"
#include "bus/socket.h"
#include "bus/tap_internal.h"
#include "bus/unpack.h"
#include "bus/window.h"
#include "bus/zap.h"

#include "proto/envelope.pb-c.h"

#include <stdatomic.h>
#include <zmq.h>

#define STN_CONV_SOCKETS 4u /* endpoints of one door */
#define STN_BUS_SAID 64u /* peers whose faults were logged, remembered a conversation */
#define STN_STATE_QUEUE                                                                                      \
    1024u /* messages of state streams that wait for a peer whose connection is full …                     \
           */
#define STN_STATE_BYTES (8u << 20) /* … and their bytes */
#define STN_BULK_QUEUE 4096u /* bulk messages that wait for one peer */
#define STN_COST_MIN 256u /* what a bulk message counts at least, so that many small ones are bounded too */

typedef enum stn_drop {
    STN_DROP_ENVELOPE, /* no envelope, or one that breaks its rules */
    STN_DROP_PARTS, /* too few or too many frames */
    STN_DROP_IDENTITY, /* the peer id is not that of the connection or key */
    STN_DROP_VERSION,
    STN_DROP_STRANGER, /* not introduced by a Hello */
    STN_DROP_EPOCH, /* from or to another start */
    STN_DROP_SEQUENCE, /* seen already */
    STN_DROP_KIND, /* no such kind here */
    STN_DROP_SIZE, /* over the limit of its kind */
    STN_DROP_PIECE, /* does not fit the open transfer */
    STN_DROP_BODY, /* not the message it says it is */
    STN_DROP_HANDLER, /* the service refused it */
    STN_DROP_CROWD, /* over STN_PEERS_MAX */
    STN_DROP_COUNT
} stn_drop;

struct stn_msg {
    atomic_uint refs;
    stn_envelope env;
    const ProtobufCMessage *body;
    stn_frame *body_frame;
    size_t n_bulk;
    stn_frame *bulk[STN_BULK_FRAMES_MAX];
};
stn_msg *stn_msg_new(void);

/* A message on its way out. */
typedef struct stn_out {
    struct stn_out *next;
    uint32_t kind, stream;
    uint64_t correlation;
    stn_frame *body;
    size_t n_bulk;
    uint64_t bytes; /* body and bulk */
    uint64_t transfer;
    bool started;
    stn_piece_at at;
    stn_frame *bulk[];
} stn_out;

typedef struct stn_out_queue {
    stn_out *first, **last;
    size_t count;
    uint64_t bytes;
} stn_out_queue;

typedef struct stn_port { /* one socket of a conversation */
    stn_conv *conv;
    stn_socket *socket;
    stn_watch *watch, *monitor_watch;
    bool curve, tcp;
    const char *zap_domain; /* NULL: none */
} stn_port;

struct stn_peer {
    stn_conv *conv;
    stn_port *port;
    char id[STN_PEER_ID_MAX];
    char kind[32];
    bool up;
    bool remote;
    uint64_t epoch, connection;
    uint32_t pid;
    int fd; /* of a door's peer: which connection ended is told by it */
    void *user;

    uint64_t in_sequence[STN_STREAMS]; /* 0 = none seen since up */
    uint64_t out_sequence[STN_STREAMS]; /* last used */
    stn_reassembly *reassembly;
    stn_envelope transfer; /* the envelope of the open transfer … */
    stn_frame *transfer_body;
    uint64_t taken, told; /* bulk bytes since up; as last acknowledged */

    stn_out_queue state, bulk;
    stn_window window;
    bool busy; /* a send was refused: room is owed */

    int64_t heard_ns, ping_ns, rtt_ns;
    uint64_t ping_nonce; /* 0 = none under way */
    uint64_t bad; /* messages dropped since up */
};

typedef struct stn_kind_count {
    uint64_t in, out, errors;
} stn_kind_count;

struct stn_conv {
    stn_bus *bus;
    stn_conv *next;
    bool door, untapped;
    char own_id[STN_PEER_ID_MAX]; /* as this conversation's other side sees us */
    char name[STN_NAME_MAX];
    char instance[40];
    stn_conv_spec spec;
    stn_table *handlers; /* kind -> stn_handler */
    stn_kind_count *counts; /* one a handler */
    stn_lock *lock;

    stn_port ports[STN_CONV_SOCKETS];
    size_t n_ports;
    stn_names *peers; /* door: id -> peer, all up */
    stn_peer *link; /* link: its peer, up or not */
    stn_unpacker *unpacker;
    bool ack_due; /* some peer has taken bulk since the last acknowledgement */

    /* A link's way to being up. */
    char endpoint[STN_ADDRESS_MAX];
    stn_keys keys;
    char server_key[STN_KEY_TEXT];
    bool ready; /* the handshake of the socket is done */
    unsigned attempts, bare_closes;
    stn_timer *retry;
    uint64_t connection;
    int64_t hello_ns;
    unsigned hellos;
    bool parted; /* the other side speaks another major version */

    char diagnosis[STN_ERR_TEXT];
    char refused[STN_ERR_TEXT]; /* last logged refusal */
    int64_t refused_ns;
    uint64_t refusals;

    uint64_t in_messages, in_bytes, out_messages, out_bytes, gaps, lost, reconnects;
    uint64_t drops[STN_DROP_COUNT];
    struct {
        char id[STN_PEER_ID_MAX];
        uint32_t reasons; /* bits of stn_drop */
    } said[STN_BUS_SAID];
    unsigned next_said;
    int64_t wanted_ns; /* last HelloWanted */
};

struct stn_bus {
    stn_loop *loop;
    void *zctx;
    char kind[32], id[STN_PEER_ID_MAX], instance[40], software[64];
    unsigned number;
    uint64_t epoch;
    stn_lock *lock;
    stn_zap *zap;
    stn_conv *convs;
    stn_tap *tap;
    stn_timer *housekeeping, *pump;
    uint64_t next_correlation, next_transfer;
    bool stopping;
};

/* bus.c */
/* Every link goes down (STN_DOWN_EPOCH) and up again on the same connection, so that all is asked for anew.
 */
void stn_bus_begin_again(stn_bus *bus);

/* conv.c */
/* Handles what the monitor has told so far. From within the reading of a message: what is unread stays
 * unread. */
void stn_conv_drain_monitor(stn_port *port);
void stn_conv_refused(stn_conv *conv, const char *text);
const char *stn_drop_name(stn_drop reason);
void stn_conv_set_untapped(stn_conv *conv); /* what the tap never records: the control door */

/* peer.c */
void stn_peer_reset(stn_peer *peer, int64_t now_ns);
void stn_peer_down(stn_peer *peer, stn_down_reason why); /* frees a door's peer */
void stn_conv_say_hello(stn_conv *link, bool again);
/* A message of the bus itself (kind under 100). `id`: the connection's, for a door's stranger. */
void stn_peer_on_bus_message(stn_port *port, const char *id, int fd, const stn_envelope *env,
                             const void *body, size_t len);
/* A message of another major version: told on both sides. */
void stn_peer_other_version(stn_port *port, const char *id, const stn_envelope *env);
void stn_conv_want_hello(stn_port *port, const char *id);
void stn_peer_housekeeping(stn_conv *conv, const stn_turn *turn);
stn_peer *stn_conv_find(stn_conv *conv, const char *id);

/* receive.c */
void stn_conv_on_readable(void *ctx, const stn_turn *turn, int fd, unsigned ready);
void stn_conv_read_all(stn_port *port); /* all that has come, within a bound */
/* Tells peers what bulk was taken; all: also what could wait a little, so that at rest nothing stays untold.
 */
void stn_conv_acknowledge(stn_conv *conv, bool all);
/* Counts, and logs the first of each reason a peer. */
void stn_conv_drop(stn_conv *conv, const char *id, stn_drop reason, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* send.c */
/* A message of the bus itself, past all queues: false when the connection is full or gone. */
bool stn_send_bus_message(stn_port *port, const char *id, uint64_t receiver_epoch, uint32_t kind,
                          const ProtobufCMessage *body);
void stn_peer_pump(stn_peer *peer);
void stn_peer_make_room(stn_peer *peer); /* tells the service when a refused send may be tried again */
void stn_peer_drop_queues(stn_peer *peer);
void stn_bus_pump_later(stn_bus *bus);

#endif
