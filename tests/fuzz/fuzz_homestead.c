/* Datagrams from clients into homestead's server. Input: records of u16 length (bit 15: time passes instead,
 * its low bits in ms; bit 14: from a second client) and that many bytes. */
#include "base/bytes.h"
#include "homestead/server.h"
#include "session/wire.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void step(stn_server *server, double now, const stn_server_datagram *in)
{
    const stn_server_datagram *send;
    double wait;
    size_t n = stn_server_step(server, now, in, in ? 1 : 0, &send, &wait);

    for (size_t i = 0; i < n; i++)
        if (!send[i].len || send[i].len > STN_DATAGRAM_MAX)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static stn_land *land;
    stn_bytes in = stn_bytes_of(data, size);
    stn_sim_settings sim_set = {.seed = 1, .hour = -1};
    stn_server_settings set = {.range = 60.0};
    stn_sim *sim = NULL;
    stn_server *server = NULL;
    stn_buf hello = {0};
    double now = 1.0;

    if (!land)
        land = stn_land_new(1);
    sim_set.land = set.land = land;
    if (!land || stn_sim_new(&sim_set, &sim, NULL) != STN_OK)
        return 0;
    set.sim = sim;
    if (stn_server_new(&set, &server, NULL) == STN_OK) {
        stn_server_datagram d = {.addr = {.len = 1, .bytes = {1}}};

        stn_sess_write(&hello, &(stn_sess_hello){.protocol = "Hafen", .version = 31, .user = "a"});
        d.data = hello.data;
        d.len = hello.len;
        step(server, now, &d);
        while (stn_bytes_left(&in) >= 2) {
            uint16_t n = stn_bytes_u16(&in);

            if (n & 0x8000) {
                now += (n & 0xfff) * 0.001;
                step(server, now, NULL);
                continue;
            }
            d.addr.bytes[0] = n & 0x4000 ? 2 : 1;
            d.len = n & 0x3fff;
            if (d.len > stn_bytes_left(&in))
                d.len = stn_bytes_left(&in);
            d.data = stn_bytes_take(&in, d.len);
            now += 0.01;
            step(server, now, &d);
        }
        stn_server_close_all(server);
        step(server, now, NULL);
    }
    stn_buf_fini(&hello);
    stn_server_free(server);
    stn_sim_free(sim);
    return 0;
}
