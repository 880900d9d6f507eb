/* http.c - a view over HTTP by libmicrohttpd: the only file with sockets.
 *
 * The server has no thread of its own: http_run() lets it work, then builds for a few milliseconds,
 * so that the traces belong to one thread. Nothing is decoded: the raw text of a request's URI is
 * checked and used, since the library turns %00 into the end of a string. */
#include "view_http/http.h"

#include "view_http/assets.h"
#include "view_http/http_rules.h"
#include "view_http/microhttpd_calls.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>

enum {
    CONNECTIONS_MOST = 128,
    IDLE_SECONDS = 10,            /* of a connection */
    REQUEST_SECONDS = 60,         /* until a request is complete and its answer was taken */
    CONNECTION_BYTES = 256 << 10, /* so that what is longer than allowed is refused by us */
    SWALLOWED_MOST = 4 << 20,     /* of a body that is too long, before the connection is closed */
    SENT_MOST = 256 << 20,        /* of all answers that clients have not taken yet */
    STEP_MS = 8,
    WAIT_MS = 500,
    FOLLOW_MS = 100,
    URL_SIZE = 96,
};

struct exchange;

/* A connection, from its beginning or its last answer on. */
struct client {
    bool used;
    int fd;
    uint64_t since_ms;
    struct exchange *exchange; /* NULL: none has begun */
};

struct http {
    struct ras_view *view;
    struct http_options options;
    struct http_place place;
    struct MHD_Daemon *daemons[2];
    size_t daemon_count;
    char url[URL_SIZE];
    uint64_t sent;              /* bytes of answers on their way */
    uint64_t last_ms, swept_ms; /* the last request; when slow clients were last searched */
    struct client clients[2 * CONNECTIONS_MOST];
};

/* A request while it arrives. */
struct exchange {
    char *uri; /* NULL: memory is short */
    bool begun, has_nul;
    int refusal; /* status; 0: none */
    const char *why;
    uint8_t *body;
    size_t len, room, swallowed;
    size_t sent; /* bytes of the answer */
};

static int http_fail(struct ras_error *err, int status, const char *what, int os_errno)
{
    *err = (struct ras_error){.status = status, .os_errno = os_errno, .offset = RAS_NONE};
    snprintf(err->text, sizeof err->text, "%s%s%s", what, os_errno ? ": " : "",
             os_errno ? strerror(os_errno) : "");
    return status;
}

static uint64_t http_now_ms(void)
{
    struct timespec now;
    (void)!clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- answers ------------------------------------------------------------------------------- */

static const struct {
    const char *name, *value;
} http_headers[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
     "img-src 'self' blob: data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; "
     "form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

static enum MHD_Result http_send(struct MHD_Connection *c, int status, const char *type,
                                 struct MHD_Response *response)
{
    if (!response)
        return MHD_NO;
    for (size_t i = 0; i < sizeof http_headers / sizeof *http_headers; i++)
        mhd.add_response_header(response, http_headers[i].name, http_headers[i].value);
    mhd.add_response_header(response, "Content-Type", type);
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        mhd.add_response_header(response, "Allow", "GET, POST");
    enum MHD_Result sent = mhd.queue_response(c, (unsigned)status, response);
    mhd.destroy_response(response);
    return sent;
}

static struct MHD_Response *http_copy(struct ras_bytes bytes)
{
    return mhd.create_response_from_buffer(bytes.len, (void *)(uintptr_t)bytes.at,
                                           MHD_RESPMEM_MUST_COPY);
}

/* A sentence as JSON. */
static enum MHD_Result http_refuse(struct MHD_Connection *c, int status, const char *why)
{
    struct ras_sink *sink;
    struct ras_json *json;
    if (ras_sink_memory(&sink, NULL) < 0)
        return MHD_NO;
    (void)!ras_json_open(&json, sink, 0, NULL);
    ras_json_object(json, NULL);
    ras_json_text(json, "error", why);
    ras_json_null(json, "hint");
    ras_json_end(json);
    enum MHD_Result sent = MHD_NO;
    if (ras_json_close(json, NULL) >= 0 && ras_sink_flush(sink, NULL) >= 0)
        sent = http_send(c, status, "application/json", http_copy(ras_sink_bytes(sink)));
    ras_sink_drop(sink);
    return sent;
}

static enum MHD_Result http_send_asset(struct MHD_Connection *c, const char *uri)
{
    const struct asset *a = asset_of(uri);
    if (!a)
        return http_refuse(c, MHD_HTTP_NOT_FOUND, "there is no such page");
    struct MHD_Response *r = mhd.create_response_from_buffer(a->size, (void *)(uintptr_t)a->bytes,
                                                             MHD_RESPMEM_PERSISTENT);
    if (r)
        mhd.add_response_header(r, "Content-Encoding", "gzip");
    return http_send(c, MHD_HTTP_OK, a->type, r);
}

static enum MHD_Result http_send_view(struct http *h, struct MHD_Connection *c, struct exchange *x,
                                      bool post)
{
    struct ras_answer answer;
    struct ras_error err = {0};
    char saved[160];
    if (ras_view_answer_uri(h->view, post, x->uri, strlen(x->uri),
                            (struct ras_bytes){x->body, x->len}, &answer, &err) < 0)
        return http_refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR, err.text);
    if (answer.bytes.len > SENT_MOST - h->sent)
        return http_refuse(c, MHD_HTTP_CONTENT_TOO_LARGE,
                           "other answers were not taken yet: ask again");
    x->sent = answer.bytes.len;
    h->sent += x->sent;
    struct MHD_Response *r = http_copy(answer.bytes);
    if (r && answer.file_name) {
        snprintf(saved, sizeof saved, "attachment; filename=\"%s\"", answer.file_name);
        mhd.add_response_header(r, "Content-Disposition", saved);
    }
    return http_send(c, answer.status, answer.type, r);
}

/* ---- requests ------------------------------------------------------------------------------ */

static void exchange_free(struct http *h, struct exchange *x)
{
    if (!x)
        return;
    h->sent -= x->sent;
    free(x->uri);
    free(x->body);
    free(x);
}

static struct client *client_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info =
        mhd.get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* A request that is malformed after its first line is never completed, so that what it took is
 * freed with its connection, or by the next one. */
static void *exchange_new(void *user, const char *uri, struct MHD_Connection *c)
{
    struct client *client = client_of(c);
    struct exchange *x = client ? calloc(1, sizeof *x) : NULL;
    if (!x)
        return NULL;
    exchange_free(user, client->exchange);
    client->exchange = x;
    x->uri = strdup(uri);
    return x;
}

static enum MHD_Result see_header(void *user, enum MHD_ValueKind kind, const char *key,
                                  const char *value)
{
    struct http_seen *s = user;
    const struct {
        const char *name;
        const char **value;
    } rows[] = {{"Host", &s->host},
                {"Origin", &s->origin},
                {"Sec-Fetch-Site", &s->site},
                {"X-Rastrum-Token", &s->token}};
    (void)kind;
    s->header_bytes += strlen(key) + (value ? strlen(value) : 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcasecmp(rows[i].name, key)) {
            /* Of two that differ neither is right. */
            bool twice = *rows[i].value && strcmp(*rows[i].value, value ? value : "") != 0;
            *rows[i].value = twice ? "" : value ? value : "";
            s->hosts += i == 0;
        }
    return MHD_YES;
}

/* A NUL in the address is the end of its text here. The version follows the address in the same
 * buffer, so that the distance shows it. */
static bool exchange_has_nul(const struct exchange *x, const char *url, const char *version)
{
    uintptr_t from = (uintptr_t)url, to = (uintptr_t)version;
    return to > from && to - from < CONNECTION_BYTES && to - from != strlen(x->uri) + 1;
}

static void exchange_begin(const struct http *h, struct exchange *x, struct MHD_Connection *c,
                           const char *method)
{
    struct http_seen seen = {.method = method, .uri = x->uri, .has_nul = x->has_nul};
    x->begun = true;
    mhd.get_connection_values(c, MHD_HEADER_KIND, see_header, &seen);
    x->refusal = http_refusal(&h->place, &seen, &x->why);
}

/* A part of the body. What is too long is read and forgotten, so that the client reads the answer;
 * the connection is closed when it does not end. */
static enum MHD_Result exchange_take(struct exchange *x, const char *data, size_t len)
{
    if (!x->refusal && len > HTTP_BODY_MOST - x->len) {
        x->refusal = MHD_HTTP_CONTENT_TOO_LARGE;
        x->why = "the body is longer than 64 KiB";
    }
    if (x->refusal) {
        x->swallowed += len;
        return x->swallowed > SWALLOWED_MOST ? MHD_NO : MHD_YES;
    }
    if (x->len + len > x->room) {
        size_t room = x->len + len < 4096 ? 4096 : HTTP_BODY_MOST;
        uint8_t *more = realloc(x->body, room);
        if (!more)
            return MHD_NO;
        x->body = more;
        x->room = room;
    }
    memcpy(x->body + x->len, data, len);
    x->len += len;
    return MHD_YES;
}

static enum MHD_Result http_handle(void *user, struct MHD_Connection *c, const char *url,
                                   const char *method, const char *version, const char *data,
                                   size_t *len, void **state)
{
    struct http *h = user;
    struct exchange *x = *state;
    if (!x || !x->uri)
        return MHD_NO;
    if (!x->begun) {
        x->has_nul = exchange_has_nul(x, url, version);
        exchange_begin(h, x, c, method);
        return MHD_YES;
    }
    if (*len) {
        size_t more = *len;
        *len = 0;
        return exchange_take(x, data, more);
    }
    if (x->refusal)
        return http_refuse(c, x->refusal, x->why);
    h->last_ms = http_now_ms();
    if (http_is_view(x->uri))
        return http_send_view(h, c, x, !strcmp(method, "POST"));
    return http_send_asset(c, x->uri);
}

static void http_completed(void *user, struct MHD_Connection *c, void **state,
                           enum MHD_RequestTerminationCode code)
{
    struct client *client = client_of(c);
    (void)code;
    *state = NULL;
    if (!client)
        return;
    exchange_free(user, client->exchange);
    client->exchange = NULL;
    client->since_ms = http_now_ms();
}

/* ---- connections --------------------------------------------------------------------------- */

static void http_connected(void *user, struct MHD_Connection *c, void **context,
                           enum MHD_ConnectionNotificationCode code)
{
    struct http *h = user;
    struct client *client = *context;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (client) {
            exchange_free(h, client->exchange);
            *client = (struct client){0};
        }
        *context = NULL;
        return;
    }
    const union MHD_ConnectionInfo *info =
        mhd.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    for (size_t i = 0; info && i < sizeof h->clients / sizeof *h->clients; i++)
        if (!h->clients[i].used) {
            h->clients[i] =
                (struct client){.used = true, .fd = info->connect_fd, .since_ms = http_now_ms()};
            *context = &h->clients[i];
            return;
        }
}

/* A client that sends a byte now and then is never idle: it has so long for a request. */
static void http_sweep(struct http *h)
{
    uint64_t now = http_now_ms();
    if (now - h->swept_ms < 1000)
        return;
    h->swept_ms = now;
    for (size_t i = 0; i < sizeof h->clients / sizeof *h->clients; i++)
        if (h->clients[i].used && now - h->clients[i].since_ms > REQUEST_SECONDS * 1000)
            shutdown(h->clients[i].fd, SHUT_RDWR);
}

static int http_start(struct http *h, const struct sockaddr *address, unsigned flags,
                      struct ras_error *err)
{
    errno = 0;
    struct MHD_Daemon *d = mhd.start_daemon(
        MHD_USE_EPOLL | flags, 0, NULL, NULL, http_handle, h, MHD_OPTION_SOCK_ADDR, address,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MOST, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
        MHD_OPTION_URI_LOG_CALLBACK, exchange_new, h, MHD_OPTION_NOTIFY_COMPLETED, http_completed,
        h, MHD_OPTION_NOTIFY_CONNECTION, http_connected, h, MHD_OPTION_LISTEN_BACKLOG_SIZE,
        (unsigned)CONNECTIONS_MOST, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
    if (!d)
        return http_fail(err, RAS_EIO, "no port of the loopback interface could be opened", errno);
    h->daemons[h->daemon_count++] = d;
    const union MHD_DaemonInfo *info = mhd.get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT);
    h->place.port = info ? info->port : 0;
    return RAS_OK;
}

static int http_start_all(struct http *h, struct ras_error *err)
{
    struct sockaddr_in four = {.sin_family = AF_INET,
                               .sin_port = htons(h->options.port),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int status = http_start(h, (const struct sockaddr *)&four, 0, err);
    if (status < 0 || !h->options.ipv6)
        return status;
    struct sockaddr_in6 six = {.sin6_family = AF_INET6,
                               .sin6_port = htons(h->place.port),
                               .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    return http_start(h, (const struct sockaddr *)&six, MHD_USE_IPv6, err);
}

/* 128 bits that nobody else knows. */
static int http_make_token(struct http *h, struct ras_error *err)
{
    uint8_t bytes[HTTP_TOKEN_DIGITS / 2];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return http_fail(err, RAS_EIO, "there are no random numbers", errno);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(h->place.token + 2 * i, 3, "%02x", bytes[i]);
    return RAS_OK;
}

int http_open(struct http **out, struct ras_view *view, const struct http_options *options,
              struct ras_error *err)
{
    *out = NULL;
    struct http *h = calloc(1, sizeof *h);
    if (!h)
        return http_fail(err, RAS_EMEMORY, "out of memory", 0);
    h->view = view;
    h->options = *options;
    h->place.ipv6 = options->ipv6;
    char why[sizeof err->text];
    int status =
        microhttpd_load(why, sizeof why) ? RAS_OK : http_fail(err, RAS_EUNSUPPORTED, why, 0);
    if (status >= 0)
        status = http_make_token(h, err);
    if (status >= 0)
        status = http_start_all(h, err);
    if (status < 0) {
        http_close(h);
        return status;
    }
    snprintf(h->url, sizeof h->url, "http://127.0.0.1:%u/#t=%s", (unsigned)h->place.port,
             h->place.token);
    *out = h;
    return RAS_OK;
}

void http_close(struct http *h)
{
    if (!h)
        return;
    for (size_t i = 0; i < h->daemon_count; i++)
        mhd.stop_daemon(h->daemons[i]);
    free(h);
}

const char *http_url(const struct http *h)
{
    return h->url;
}

/* ---- the loop ------------------------------------------------------------------------------ */

/* Wait for requests, at most so long, and answer them. */
static int http_serve(struct http *h, int wait_ms, struct ras_error *err)
{
    struct pollfd fds[2];
    for (size_t i = 0; i < h->daemon_count; i++) {
        MHD_UNSIGNED_LONG_LONG due;
        const union MHD_DaemonInfo *info =
            mhd.get_daemon_info(h->daemons[i], MHD_DAEMON_INFO_EPOLL_FD);
        fds[i] = (struct pollfd){.fd = info ? info->epoll_fd : -1, .events = POLLIN};
        if (mhd.get_timeout(h->daemons[i], &due) == MHD_YES && due < (unsigned)wait_ms)
            wait_ms = (int)due;
    }
    if (poll(fds, (nfds_t)h->daemon_count, wait_ms) < 0 && errno != EINTR)
        return http_fail(err, RAS_EIO, "waiting for requests", errno);
    for (size_t i = 0; i < h->daemon_count; i++)
        if (mhd.run_wait(h->daemons[i], 0) != MHD_YES)
            return http_fail(err, RAS_EIO, "the server failed", errno);
    return RAS_OK;
}

int http_run(struct http *h, struct ras_error *err)
{
    int status = RAS_OK;
    bool busy = true;
    int idle_ms = h->options.follow ? FOLLOW_MS : WAIT_MS;
    h->last_ms = http_now_ms();
    while (status >= 0 && !h->options.ended()) {
        status = http_serve(h, busy ? 0 : idle_ms, err);
        if (status < 0)
            return status;
        status = ras_view_step(h->view, STEP_MS, err);
        busy = status == RAS_OK;
        http_sweep(h);
        if (h->options.idle_minutes &&
            http_now_ms() - h->last_ms > (uint64_t)h->options.idle_minutes * 60000)
            return RAS_OK;
    }
    return status < 0 ? status : RAS_OK;
}
