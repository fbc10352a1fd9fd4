#include "loader/http.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/table.h"
#include "base/text.h"
#include "loader/pinned_ca.h"
#include "loader/queue.h"
#include "loader/resname.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TICK_NS (50 * STN_MS)
#define DISCARD_MAX ((size_t)64 << 10) /* of the body of an answer that is no resource */

typedef struct host {
    unsigned active; /* transfers that count */
    bool h2;
} host;

typedef enum request_state { REQ_WAITING, REQ_RUNNING, REQ_PAUSED } request_state;

typedef struct request {
    stn_queued q; /* first: the queue's entries are requests */
    struct request *next, *prev; /* running or paused */
    stn_http *h;
    uint64_t token;
    stn_http_fn fn;
    void *ctx;
    char *url; /* as asked */
    char *at; /* after redirects; NULL = url */
    host *host; /* of the running transfer */
    int version;
    request_state state;
    unsigned failures, redirects, requests;
    bool system_profile; /* of a pinned host: the pin did not match, the system's store may */
    CURL *easy;
    struct curl_slist *headers;
    int64_t started_ns, byte_ns, due_ns;
    bool idle;
    /* of the answer being read */
    size_t header_bytes, discarded;
    bool headers_too_big, body_too_big, resumed, range_checked, part_refused;
    stn_http_coding coding;
    uint64_t range_first;
    bool has_range;
    char etag[128]; /* strong ones only */
    stn_buf body;
    char text[256];
} request;

struct stn_http {
    stn_loop *loop;
    stn_http_opts opts;
    char *agent, *pinned_hosts, *pinned_file;
    CURLM *multi;
    stn_timer *curl_timer, *tick;
    stn_queue waiting;
    request *running, *paused;
    size_t running_count, idle_count;
    stn_table *by_token;
    stn_names *hosts;
    stn_http_figures figures;
};

/* ---- lists ---- */

static void list_add(request **list, request *r)
{
    r->prev = NULL;
    r->next = *list;
    if (r->next)
        r->next->prev = r;
    *list = r;
}

static void list_remove(request **list, request *r)
{
    *(r->prev ? &r->prev->next : list) = r->next;
    if (r->next)
        r->next->prev = r->prev;
    r->next = r->prev = NULL;
}

static host *host_of(stn_http *h, const char *name)
{
    host *s = stn_names_get(h->hosts, name);
    if (s)
        return s;
    s = calloc(1, sizeof *s);
    if (s && !stn_names_put(h->hosts, name, s, NULL)) {
        free(s);
        s = NULL;
    }
    return s;
}

static unsigned host_max(const stn_http *h, const host *s)
{
    return s->h2 ? h->opts.host_max * 4 : h->opts.host_max;
}

static void request_free(request *r)
{
    stn_table_remove(r->h->by_token, r->token);
    curl_slist_free_all(r->headers);
    stn_buf_fini(&r->body);
    free(r->url);
    free(r->at);
    free(r);
}

/* ---- the answer ---- */

static void answer(request *r, stn_http_outcome outcome, const char *text)
{
    stn_http *h = r->h;
    stn_http_answer a = {.outcome = outcome, .text = text, .requests = r->requests};
    if (outcome == STN_HTTP_BODY)
        a.data = stn_buf_take(&r->body, &a.len);
    if (outcome == STN_HTTP_FAILED)
        h->figures.failed++;
    h->figures.answered++;
    r->fn(r->ctx, r->token, &a);
    request_free(r);
}

/* ---- curl's callbacks: they only note things ---- */

static bool header_is(const char *line, size_t len, const char *name, const char **value, size_t *value_len)
{
    size_t n = strlen(name);
    if (len <= n || line[n] != ':' || strncasecmp(line, name, n) != 0)
        return false;
    *value = line + n + 1;
    *value_len = len - n - 1;
    while (*value_len && ((*value)[0] == ' ' || (*value)[0] == '\t'))
        (*value)++, (*value_len)--;
    while (*value_len && strchr("\r\n \t", (*value)[*value_len - 1]))
        (*value_len)--;
    return true;
}

static size_t on_header(char *line, size_t size, size_t n, void *ctx)
{
    request *r = ctx;
    size_t len = size * n;
    const char *v;
    size_t v_len;
    r->byte_ns = stn_clock_ns();
    r->header_bytes += len;
    if (r->header_bytes > STN_HTTP_HEADERS_MAX) {
        r->headers_too_big = true;
        return 0;
    }
    if (len > 5 && memcmp(line, "HTTP/", 5) == 0) {
        /* A new answer: what an interim one said does not count. The ETag of a broken body stays, for
         * comparison. */
        r->coding = STN_CODING_NONE;
        r->has_range = false;
        if (!r->resumed)
            r->etag[0] = 0;
    } else if (header_is(line, len, "content-encoding", &v, &v_len)) {
        r->coding = stn_http_coding_of(v, v_len);
        if (r->coding == STN_CODING_OTHER)
            stn_log_warn("http: %s: content coding \"%.*s\" is unknown; its bytes are used as they are",
                         r->url, (int)(v_len < 40 ? v_len : 40), v);
    } else if (header_is(line, len, "etag", &v, &v_len)) {
        bool strong = v_len > 2 && v_len < sizeof r->etag && v[0] == '"';
        if (!r->resumed)
            snprintf(r->etag, sizeof r->etag, "%.*s", strong ? (int)v_len : 0, v);
    } else if (header_is(line, len, "content-range", &v, &v_len)) {
        r->has_range = stn_http_content_range(v, v_len, &r->range_first);
    }
    return len;
}

static size_t on_body(char *data, size_t size, size_t n, void *ctx)
{
    request *r = ctx;
    size_t len = size * n;
    long status = 0;
    r->byte_ns = stn_clock_ns();
    r->h->figures.bytes += len;
    curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
    if (stn_http_step_of(status, r->resumed) != STN_HTTP_TAKE) {
        r->discarded += len;
        return r->discarded > DISCARD_MAX ? 0 : len;
    }
    if (r->resumed && !r->range_checked) {
        r->range_checked = true;
        if (status != 206)
            stn_buf_clear(&r->body); /* the whole again */
        else if (!r->has_range || r->range_first != r->body.len || r->coding != STN_CODING_NONE)
            r->part_refused = true;
        if (r->part_refused)
            return 0;
    }
    if (r->body.len + len > STN_HTTP_BODY_MAX) {
        r->body_too_big = true;
        return 0;
    }
    stn_buf_put(&r->body, data, len);
    return r->body.failed ? 0 : len;
}

static void check_done(stn_http *h);

static void on_fd(void *ctx, const stn_turn *turn, int fd, unsigned ready)
{
    stn_http *h = ctx;
    int running, flags = 0;
    (void)turn;
    if (ready & STN_FD_READ)
        flags |= CURL_CSELECT_IN;
    if (ready & STN_FD_WRITE)
        flags |= CURL_CSELECT_OUT;
    if (ready & STN_FD_ERROR)
        flags |= CURL_CSELECT_ERR;
    curl_multi_socket_action(h->multi, fd, flags, &running);
    check_done(h);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *socket_ctx)
{
    stn_http *h = ctx;
    stn_watch *w = socket_ctx;
    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        stn_watch_free(w);
        curl_multi_assign(h->multi, fd, NULL);
        return 0;
    }
    unsigned events = (what & CURL_POLL_IN ? STN_FD_READ : 0) | (what & CURL_POLL_OUT ? STN_FD_WRITE : 0);
    if (w) {
        stn_watch_set_events(w, events);
        return 0;
    }
    stn_err err = {0};
    if (stn_loop_watch_fd(h->loop, fd, events, on_fd, h, &w, &err) != STN_OK) {
        stn_log_error("http: %s", err.text);
        return -1;
    }
    curl_multi_assign(h->multi, fd, w);
    return 0;
}

static int on_curl_timeout(CURLM *multi, long ms, void *ctx)
{
    stn_http *h = ctx;
    (void)multi;
    if (ms < 0)
        stn_timer_stop(h->curl_timer);
    else
        stn_timer_at(h->curl_timer, stn_clock_ns() + ms * STN_MS);
    return 0;
}

static void on_curl_timer(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    stn_http *h = ctx;
    int running;
    (void)turn;
    (void)timer;
    curl_multi_socket_action(h->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    check_done(h);
}

/* ---- starting ---- */

static bool is_pinned(const stn_http *h, const char *name)
{
    for (const char *p = h->pinned_hosts; *p;) {
        size_t n = strcspn(p, ",");
        size_t len = strlen(name);
        if (n && len >= n && strncasecmp(name + len - n, p, n) == 0 && (len == n || name[len - n - 1] == '.'))
            return true;
        p += n + (p[n] == ',');
    }
    return false;
}

static void set_trust(request *r, const stn_url_base *where)
{
    stn_http *h = r->h;
    curl_easy_setopt(r->easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(r->easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(r->easy, CURLOPT_SSL_VERIFYHOST, 2L);
    if (r->system_profile || !is_pinned(h, where->host))
        return;
    /* The pin is the identity: this one authority and no other, whatever name the certificate carries. */
    curl_easy_setopt(r->easy, CURLOPT_SSL_VERIFYHOST, 0L);
    curl_easy_setopt(r->easy, CURLOPT_CAPATH, NULL);
    if (h->pinned_file) {
        curl_easy_setopt(r->easy, CURLOPT_CAINFO, h->pinned_file);
    } else {
        struct curl_blob pem = {
            .data = (void *)stn_pinned_ca, .len = sizeof stn_pinned_ca - 1, .flags = CURL_BLOB_COPY};
        curl_easy_setopt(r->easy, CURLOPT_CAINFO, NULL);
        curl_easy_setopt(r->easy, CURLOPT_CAINFO_BLOB, &pem);
    }
}

static bool add_header(request *r, const char *line)
{
    struct curl_slist *more = curl_slist_append(r->headers, line);
    if (more)
        r->headers = more;
    return more != NULL;
}

static bool set_headers(request *r)
{
    char line[200];
    curl_slist_free_all(r->headers);
    r->headers = NULL;
    /* A body that is to be continued must not be coded: its bytes would be counted behind the coding. */
    bool ok = add_header(r, r->resumed ? "Accept-Encoding: identity" : "Accept-Encoding: deflate, gzip") &&
              add_header(r, "Cache-Control: no-cache") && add_header(r, "Pragma: no-cache") &&
              add_header(r, "Accept: */*");
    if (ok && r->version >= 0) {
        snprintf(line, sizeof line, "X-Brodgar-io-Res-Version: %d", r->version);
        ok = add_header(r, line);
    }
    if (ok && r->resumed) {
        snprintf(line, sizeof line, "Range: bytes=%zu-", r->body.len);
        ok = add_header(r, line);
        snprintf(line, sizeof line, "If-Range: %s", r->etag);
        ok = ok && add_header(r, line);
    }
    return ok;
}

static bool is_loopback(const char *name)
{
    return strcmp(name, "localhost") == 0 || strncmp(name, "127.", 4) == 0 || strcmp(name, "::1") == 0;
}

static stn_status start(request *r, const stn_url_base *where, stn_err *err)
{
    stn_http *h = r->h;
    r->resumed = r->body.len > 0;
    r->header_bytes = r->discarded = 0;
    r->headers_too_big = r->body_too_big = r->range_checked = r->part_refused = r->has_range = r->idle =
        false;
    r->easy = curl_easy_init();
    if (!r->easy || !set_headers(r))
        return stn_fail(err, STN_NO_MEMORY, "out of memory");
    curl_easy_setopt(r->easy, CURLOPT_URL, r->at ? r->at : r->url);
    curl_easy_setopt(r->easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(r->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(r->easy, CURLOPT_PIPEWAIT, r->host->h2 ? 1L : 0L);
    curl_easy_setopt(r->easy, CURLOPT_HTTPHEADER, r->headers);
    curl_easy_setopt(r->easy, CURLOPT_USERAGENT, h->agent);
    curl_easy_setopt(r->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(r->easy, CURLOPT_PRIVATE, r);
    curl_easy_setopt(r->easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(r->easy, CURLOPT_HEADERDATA, r);
    curl_easy_setopt(r->easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(r->easy, CURLOPT_WRITEDATA, r);
    curl_easy_setopt(r->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)h->opts.connect_ms);
    curl_easy_setopt(r->easy, CURLOPT_TIMEOUT_MS, (long)h->opts.attempt_ms);
    if (is_loopback(where->host))
        curl_easy_setopt(r->easy, CURLOPT_PROXY, ""); /* a proxy of the environment cannot reach it */
    set_trust(r, where);
    CURLMcode mc = curl_multi_add_handle(h->multi, r->easy);
    if (mc != CURLM_OK)
        return stn_fail(err, STN_IO, "%s", curl_multi_strerror(mc));
    r->started_ns = r->byte_ns = stn_clock_ns();
    r->requests++;
    h->figures.requests++;
    return STN_OK;
}

static void stop_transfer(request *r)
{
    if (!r->easy)
        return;
    curl_multi_remove_handle(r->h->multi, r->easy);
    curl_easy_cleanup(r->easy);
    r->easy = NULL;
}

static void set_tick(stn_http *h)
{
    if (!h->running && !h->paused) {
        stn_timer_stop(h->tick);
        return;
    }
    int64_t due = stn_clock_ns() + TICK_NS;
    for (const request *r = h->paused; r; r = r->next)
        due = r->due_ns < due ? r->due_ns : due;
    stn_timer_at(h->tick, due);
}

static void pause_for(request *r, int64_t ns)
{
    r->state = REQ_PAUSED;
    r->due_ns = stn_clock_ns() + ns;
    list_add(&r->h->paused, r);
}

static void attempt_failed(request *r, const char *text);

/* Takes a waiting request, whose host has room. */
static void run(stn_http *h, request *r, const stn_url_base *where)
{
    stn_err err = {0};
    r->state = REQ_RUNNING;
    list_add(&h->running, r);
    h->running_count++;
    r->host->active++;
    if (start(r, where, &err) != STN_OK) {
        stop_transfer(r);
        r->byte_ns = 0; /* the next tick takes it for stalled and counts the attempt */
        stn_text_show(err.text, strlen(err.text), r->text, sizeof r->text);
    }
}

/* Starts what may start, most urgent first; those whose host is full are put back in their place. */
static void fill(stn_http *h)
{
    request *full = NULL;
    while (h->running_count - h->idle_count < h->opts.active_max && h->running_count < h->opts.total_max) {
        request *r = (request *)(void *)stn_queue_pop(&h->waiting);
        if (!r)
            break;
        stn_url_base where;
        stn_err err = {0};
        host *s = NULL;
        if (stn_url_base_init(&where, r->at ? r->at : r->url, &err) == STN_OK)
            s = host_of(h, where.host);
        if (s && s->active >= host_max(h, s)) {
            r->next = full;
            full = r;
        } else if (s) {
            r->host = s;
            run(h, r, &where);
        } else {
            pause_for(r, TICK_NS); /* out of memory: later */
        }
        stn_url_base_fini(&where);
    }
    while (full) {
        request *r = full;
        full = r->next;
        r->next = NULL;
        stn_queue_put_back(&h->waiting, &r->q);
    }
    set_tick(h);
}

static void enqueue(request *r)
{
    r->state = REQ_WAITING;
    if (!stn_queue_push(&r->h->waiting, &r->q))
        pause_for(r, TICK_NS);
}

/* ---- ends of transfers ---- */

static void leave_running(request *r)
{
    stn_http *h = r->h;
    stop_transfer(r);
    list_remove(&h->running, r);
    h->running_count--;
    if (r->idle)
        h->idle_count--;
    else
        r->host->active--;
    r->idle = false;
}

/* The request has left the running ones. */
static void attempt_failed(request *r, const char *text)
{
    stn_text_show(text, strlen(text), r->text, sizeof r->text);
    int64_t pause = stn_http_pause_ns(++r->failures);
    free(r->at);
    r->at = NULL;
    r->redirects = 0;
    if (pause < 0) {
        char all[320];
        snprintf(all, sizeof all, "%s (%u attempts)", r->text, r->failures);
        answer(r, STN_HTTP_FAILED, all);
        return;
    }
    r->h->figures.retries++;
    pause_for(r, pause);
}

static void redirect(request *r, const char *to)
{
    const char *from = r->at ? r->at : r->url;
    char text[256];
    stn_url_base where = {0};
    stn_err err = {0};
    if (!to)
        snprintf(text, sizeof text, "redirect without a target");
    else if (++r->redirects > STN_HTTP_REDIRECTS)
        snprintf(text, sizeof text, "over %d redirects", STN_HTTP_REDIRECTS);
    else if (!stn_http_redirect_ok(from, to, r->h->opts.allow_upgrade) ||
             stn_url_base_init(&where, to, &err) != STN_OK || where.credentials)
        snprintf(text, sizeof text, "redirect to %.180s is not followed", to);
    else
        text[0] = 0;
    stn_url_base_fini(&where);
    char *copy = text[0] ? NULL : strdup(to);
    stn_buf_clear(&r->body);
    if (!copy) {
        answer(r, STN_HTTP_FAILED, text[0] ? text : "out of memory");
        return;
    }
    free(r->at);
    r->at = copy;
    r->h->figures.redirects++;
    enqueue(r);
}

static void take_body(request *r)
{
    stn_err err = {0};
    if (r->coding == STN_CODING_GZIP || r->coding == STN_CODING_DEFLATE) {
        stn_buf out = {0};
        stn_status st = stn_http_decode(r->coding, r->body.data, r->body.len, &out, &err);
        stn_buf_fini(&r->body);
        if (st != STN_OK) {
            stn_buf_fini(&out);
            if (st == STN_TOO_BIG)
                answer(r, STN_HTTP_FAILED, err.text);
            else
                attempt_failed(r, err.text);
            return;
        }
        r->body = out;
    }
    answer(r, STN_HTTP_BODY, NULL);
}

static void transfer_ended(request *r, CURLcode rc)
{
    stn_http *h = r->h;
    long status = 0, version = 0;
    char *to = NULL, text[256];
    curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(r->easy, CURLINFO_HTTP_VERSION, &version);
    curl_easy_getinfo(r->easy, CURLINFO_REDIRECT_URL, &to);
    char *target = to ? strdup(to) : NULL;
    r->host->h2 = r->host->h2 || version == CURL_HTTP_VERSION_2_0;
    h->figures.resumed += r->resumed && status == 206;
    leave_running(r);
    /* The rest can be had later only of an identified, uncoded body. */
    bool keep = rc != CURLE_OK && r->etag[0] && r->coding == STN_CODING_NONE && !r->body.failed &&
                !r->part_refused && (status == 200 || status == 206);
    stn_http_step step =
        status && !r->headers_too_big ? stn_http_step_of(status, r->resumed) : STN_HTTP_RETRY;
    if (r->body_too_big) {
        snprintf(text, sizeof text, "body of over %zu bytes", STN_HTTP_BODY_MAX);
        answer(r, STN_HTTP_FAILED, text);
    } else if (step == STN_HTTP_ABSENT) {
        answer(r, STN_HTTP_NOT_FOUND, NULL);
    } else if (step == STN_HTTP_REDIRECT) {
        redirect(r, target);
    } else if (step == STN_HTTP_GIVE_UP) {
        snprintf(text, sizeof text, "HTTP status %ld", status);
        answer(r, STN_HTTP_FAILED, text);
    } else if (step == STN_HTTP_TAKE && rc == CURLE_OK) {
        take_body(r);
    } else {
        if (!keep) {
            stn_buf_fini(&r->body);
            r->etag[0] = 0;
        }
        if (r->headers_too_big)
            snprintf(text, sizeof text, "headers of over %zu bytes", STN_HTTP_HEADERS_MAX);
        else if (rc != CURLE_OK)
            snprintf(text, sizeof text, "%s", curl_easy_strerror(rc));
        else
            snprintf(text, sizeof text, "HTTP status %ld", status);
        if (rc == CURLE_PEER_FAILED_VERIFICATION && h->opts.pinned_fallback && !r->system_profile) {
            r->system_profile = true;
            enqueue(r);
        } else {
            attempt_failed(r, text);
        }
    }
    free(target);
}

static void check_done(stn_http *h)
{
    const CURLMsg *m;
    int left;
    while ((m = curl_multi_info_read(h->multi, &left))) {
        request *r = NULL;
        if (m->msg != CURLMSG_DONE)
            continue;
        CURLcode rc = m->data.result;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &r);
        transfer_ended(r, rc);
    }
    fill(h);
}

/* Stalls, and pauses that are over. */
static void on_tick(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    stn_http *h = ctx;
    int64_t now = stn_clock_ns();
    request *next;
    (void)turn;
    (void)timer;
    for (request *r = h->running; r; r = next) {
        next = r->next;
        int64_t quiet = now - r->byte_ns;
        bool idle = quiet > STN_HTTP_IDLE_NS;
        if (!r->easy || quiet > h->opts.stall_ms * STN_MS) {
            char text[256];
            if (r->easy)
                snprintf(text, sizeof text, "not a byte for %lld ms", (long long)h->opts.stall_ms);
            else
                snprintf(text, sizeof text, "%s", r->text);
            bool keep = r->etag[0] && r->coding == STN_CODING_NONE && !r->body.failed;
            leave_running(r);
            if (!keep)
                stn_buf_fini(&r->body);
            attempt_failed(r, text);
        } else if (idle != r->idle) {
            r->idle = idle;
            h->idle_count += idle ? 1 : (size_t)-1;
            r->host->active += idle ? -1u : 1u;
        }
    }
    for (request *r = h->paused; r; r = next) {
        next = r->next;
        if (r->due_ns <= now) {
            list_remove(&h->paused, r);
            enqueue(r);
        }
    }
    fill(h);
}

/* ---- the face ---- */

stn_status stn_http_new(stn_loop *loop, const stn_http_opts *opts, stn_http **out, stn_err *err)
{
    *out = NULL;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return stn_fail(err, STN_IO, "http: curl does not start");
    stn_http *h = calloc(1, sizeof *h);
    if (!h)
        return stn_fail(err, STN_NO_MEMORY, "http");
    h->loop = loop;
    h->opts = *opts;
    h->opts.active_max = opts->active_max ? opts->active_max : 32;
    h->opts.host_max = opts->host_max ? opts->host_max : 16;
    h->opts.total_max = opts->total_max ? opts->total_max : 256;
    h->opts.connect_ms = opts->connect_ms ? opts->connect_ms : 10000;
    h->opts.stall_ms = opts->stall_ms ? opts->stall_ms : 30000;
    h->opts.attempt_ms = opts->attempt_ms ? opts->attempt_ms : 120000;
    h->agent = strdup(opts->agent);
    h->pinned_hosts = strdup(opts->pinned_hosts ? opts->pinned_hosts : "havenandhearth.com");
    h->pinned_file = opts->pinned_file ? strdup(opts->pinned_file) : NULL;
    h->multi = curl_multi_init();
    h->curl_timer = stn_timer_new(loop, "http.curl", on_curl_timer, h);
    h->tick = stn_timer_new(loop, "http.tick", on_tick, h);
    h->by_token = stn_table_new();
    h->hosts = stn_names_new();
    if (!h->agent || !h->pinned_hosts || (opts->pinned_file && !h->pinned_file) || !h->multi ||
        !h->curl_timer || !h->tick || !h->by_token || !h->hosts) {
        stn_http_free(h);
        return stn_fail(err, STN_NO_MEMORY, "http");
    }
    curl_multi_setopt(h->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(h->multi, CURLMOPT_SOCKETDATA, h);
    curl_multi_setopt(h->multi, CURLMOPT_TIMERFUNCTION, on_curl_timeout);
    curl_multi_setopt(h->multi, CURLMOPT_TIMERDATA, h);
    curl_multi_setopt(h->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    curl_multi_setopt(h->multi, CURLMOPT_MAXCONNECTS, 64L);
    *out = h;
    return STN_OK;
}

void stn_http_free(stn_http *h)
{
    if (!h)
        return;
    size_t it = 0;
    void *v;
    const char *name;
    while (h->running) {
        request *r = h->running;
        leave_running(r);
        request_free(r);
    }
    while (h->paused) {
        request *r = h->paused;
        list_remove(&h->paused, r);
        request_free(r);
    }
    stn_queued *q;
    while ((q = stn_queue_pop(&h->waiting)))
        request_free((request *)(void *)q);
    if (h->multi)
        curl_multi_cleanup(h->multi);
    while (h->hosts && stn_names_next(h->hosts, &it, &name, &v))
        free(v);
    stn_names_free(h->hosts);
    stn_table_free(h->by_token);
    stn_queue_fini(&h->waiting);
    stn_timer_free(h->curl_timer);
    stn_timer_free(h->tick);
    free(h->agent);
    free(h->pinned_hosts);
    free(h->pinned_file);
    free(h);
}

stn_status stn_http_get(stn_http *h, const char *url, int version, int prio, stn_http_fn fn, void *ctx,
                        uint64_t token, stn_err *err)
{
    request *r = calloc(1, sizeof *r);
    if (!r)
        return stn_fail(err, STN_NO_MEMORY, "request");
    r->h = h;
    r->token = token;
    r->fn = fn;
    r->ctx = ctx;
    r->version = version;
    r->q.prio = prio;
    r->url = strdup(url);
    if (!r->url || !stn_table_put(h->by_token, token, r, NULL)) {
        free(r->url);
        free(r);
        return stn_fail(err, STN_NO_MEMORY, "request");
    }
    enqueue(r);
    fill(h);
    return STN_OK;
}

void stn_http_raise(stn_http *h, uint64_t token, int prio)
{
    request *r = stn_table_get(h->by_token, token);
    if (r)
        stn_queue_raise(&h->waiting, &r->q, prio);
}

void stn_http_cancel(stn_http *h, uint64_t token)
{
    request *r = stn_table_get(h->by_token, token);
    if (!r)
        return;
    if (r->state == REQ_RUNNING)
        leave_running(r);
    else if (r->state == REQ_PAUSED)
        list_remove(&h->paused, r);
    else
        stn_queue_remove(&h->waiting, &r->q);
    request_free(r);
}

void stn_http_report(const stn_http *h, stn_http_figures *out)
{
    *out = h->figures;
    out->waiting = h->waiting.len;
    out->running = h->running_count;
    out->idle = h->idle_count;
}
