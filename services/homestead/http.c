#include "homestead/http.h"

#include "base/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "/res/"
#define NAME_MAX_BYTES 512

struct stn_http {
    struct MHD_Daemon *daemon;
    int folder;
    unsigned port;
    _Atomic uint64_t requests, sent, not_modified, not_found, refused, bytes;
};

/* NAME of "/res/NAME.res" stays as it is, as a path below the folder; false for anything else. */
static bool path_of(const char *url, char *out, size_t cap)
{
    size_t len;
    bool start = true;

    if (!stn_text_starts(url, PREFIX) || !stn_text_ends(url, ".res"))
        return false;
    url += strlen(PREFIX);
    len = strlen(url);
    if (len >= cap || len <= 4)
        return false;
    for (size_t i = 0; i < len; i++) {
        char c = url[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                    c == '-';

        if (c == '/' ? start : !(word || (c == '.' && !start)))
            return false;
        start = c == '/';
    }
    memcpy(out, url, len + 1);
    return true;
}

static enum MHD_Result answer_empty(struct MHD_Connection *c, unsigned status, const char *etag)
{
    struct MHD_Response *r =
        MHD_create_response_from_buffer(0, (void *)(uintptr_t) "", MHD_RESPMEM_PERSISTENT);
    enum MHD_Result ok;

    if (!r)
        return MHD_NO;
    if (etag)
        MHD_add_response_header(r, MHD_HTTP_HEADER_ETAG, etag);
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    ok = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return ok;
}

/* "bytes=N-" that starts inside the file and belongs to this version of it; 0 otherwise. */
static uint64_t wanted_start(struct MHD_Connection *c, const char *etag, uint64_t size)
{
    const char *range = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_RANGE);
    const char *version = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_RANGE);
    char digits[32];
    size_t len;
    uint64_t from;

    if (!range || !stn_text_starts(range, "bytes=") || (version && strcmp(version, etag)))
        return 0;
    range += 6;
    len = strcspn(range, "-");
    if (len == 0 || len >= sizeof digits || strcmp(range + len, "-"))
        return 0;
    memcpy(digits, range, len);
    digits[len] = 0;
    return stn_text_u64(digits, size ? size - 1 : 0, &from) ? from : 0;
}

static enum MHD_Result answer_file(stn_http *h, struct MHD_Connection *c, int fd, const struct stat *st)
{
    char etag[64], range[96];
    uint64_t size = (uint64_t)st->st_size, from;
    const char *known = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH);
    struct MHD_Response *r;
    enum MHD_Result ok;

    snprintf(etag, sizeof etag, "\"%" PRIx64 "-%" PRIx64 "-%lx\"", size, (uint64_t)st->st_mtim.tv_sec,
             (unsigned long)st->st_mtim.tv_nsec);
    if (known && !strcmp(known, etag)) {
        close(fd);
        h->not_modified++;
        return answer_empty(c, MHD_HTTP_NOT_MODIFIED, etag);
    }
    from = wanted_start(c, etag, size);
    r = MHD_create_response_from_fd_at_offset64(size - from, fd, from); /* takes the descriptor */
    if (!r) {
        close(fd);
        return MHD_NO;
    }
    MHD_add_response_header(r, MHD_HTTP_HEADER_ETAG, etag);
    MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, "application/x-java-resource");
    MHD_add_response_header(r, MHD_HTTP_HEADER_ACCEPT_RANGES, "bytes");
    if (from) {
        snprintf(range, sizeof range, "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, from, size - 1, size);
        MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_RANGE, range);
    }
    ok = MHD_queue_response(c, from ? MHD_HTTP_PARTIAL_CONTENT : MHD_HTTP_OK, r);
    MHD_destroy_response(r);
    h->sent++;
    h->bytes += size - from;
    return ok;
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *c, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *upload_size, void **state)
{
    stn_http *h = user;
    char path[NAME_MAX_BYTES];
    struct stat st;
    int fd;

    (void)version;
    (void)upload;
    if (!*state) {
        *state =
            h; /* the first call comes before the request's body; an answer now would end the connection */
        return MHD_YES;
    }
    if (*upload_size) {
        *upload_size = 0; /* what is sent to us is not kept */
        return MHD_YES;
    }
    h->requests++;
    if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD)) {
        h->refused++;
        return answer_empty(c, MHD_HTTP_METHOD_NOT_ALLOWED, NULL);
    }
    if (!path_of(url, path, sizeof path)) {
        h->refused++;
        return answer_empty(c, MHD_HTTP_NOT_FOUND, NULL);
    }
    fd = openat(h->folder, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > (off_t)STN_HTTP_FILE_MAX) {
        if (fd >= 0)
            close(fd);
        h->not_found++;
        return answer_empty(c, MHD_HTTP_NOT_FOUND, NULL);
    }
    return answer_file(h, c, fd, &st);
}

stn_status stn_http_start(const char *host, unsigned port, const char *folder, stn_http **out, stn_err *err)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    bool is_four = inet_pton(AF_INET, host, &four.sin_addr) == 1;
    const union MHD_DaemonInfo *info;
    stn_http *h;

    *out = NULL;
    if (!is_four && inet_pton(AF_INET6, host, &six.sin6_addr) != 1)
        return stn_fail(err, STN_USAGE, "\"%s\" is no address to listen at; use 127.0.0.1 or ::1", host);
    h = calloc(1, sizeof *h);
    if (!h)
        return stn_fail(err, STN_NO_MEMORY, "HTTP server");
    h->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (h->folder < 0) {
        stn_fail(err, STN_IO, "resource pack %s: %s; build it or give its folder with --pack", folder,
                 strerror(errno));
        stn_http_free(h);
        return err ? err->code : STN_IO;
    }
    h->daemon =
        MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | (is_four ? 0 : MHD_USE_IPv6),
                         (uint16_t)port, NULL, NULL, on_request, h, MHD_OPTION_SOCK_ADDR,
                         is_four ? (struct sockaddr *)&four : (struct sockaddr *)&six,
                         MHD_OPTION_CONNECTION_LIMIT, STN_HTTP_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
                         30u, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768, MHD_OPTION_END);
    if (!h->daemon) {
        stn_fail(err, STN_IO, "HTTP at %s port %u: %s", host, port, strerror(errno));
        stn_http_free(h);
        return err ? err->code : STN_IO;
    }
    info = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_BIND_PORT);
    h->port = info ? info->port : port;
    *out = h;
    return STN_OK;
}

void stn_http_free(stn_http *h)
{
    if (!h)
        return;
    if (h->daemon)
        MHD_stop_daemon(h->daemon);
    if (h->folder >= 0)
        close(h->folder);
    free(h);
}

unsigned stn_http_port(const stn_http *h)
{
    return h->port;
}

void stn_http_get_stats(stn_http *h, stn_http_stats *out)
{
    *out = (stn_http_stats){h->requests, h->sent, h->not_modified, h->not_found, h->refused, h->bytes};
}
