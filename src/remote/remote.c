/* remote.c - a file on a server of HTTP or S3, read by ranges. */
#include "remote/remote.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "remote/answer.h"
#include "remote/aws.h"
#include "remote/curl_calls.h"
#include "remote/url.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    REDIRECTS_MOST = 5,
    RETRIES = 4,
    CONNECT_SECONDS = 10,
    IDLE_SECONDS = 30,
    BACKOFF_MS = 200,
    BACKOFF_MOST_MS = 5000,
    WATCH_MS = 100, /* while an attempt is waited for */
    ETAG_HEADER = 256,
    PASSED_MOST = 64 << 10,
};
/* What a server may send that cannot send ranges. */
#define REMOTE_SPOOL_MOST ((uint64_t)1 << 30)
/* What is kept of one file, in MiB. */
#define REMOTE_KEEP_MOST (16L << 10)

struct remote {
    struct curl_calls curl;
    CURL *easy;
    bool borrowed; /* `easy` is another's */
    bool whole;    /* no range is requested */
    const struct ras_debug *debug;
    bool (*progress)(void *user, uint64_t done, uint64_t total); /* NULL: none */
    void *user;
    char *url;             /* as it is fetched, http or https */
    struct aws_keys *keys; /* of S3; NULL: another server */
    char host[300];        /* of the first address, which alone may get secrets */
    bool first_tls;
    uint64_t size, announced;
    uint64_t spool_most;
    uint64_t window, kept, keep_most;
    long retries, seconds; /* without a byte */
    struct answer_tag etag, modified;
};

/* One file, or one range of it, through all its attempts. */
struct request {
    struct remote *r;
    uint64_t from, to; /* of this attempt */
    bool first;        /* the size is not known yet */
    uint8_t *bytes;    /* or into the spool */
    struct spool *spool;
    uint64_t got;    /* by all attempts */
    uint64_t body;   /* by this one */
    uint64_t passed; /* that are not the file */
    struct answer answer;
    bool canceled;
    bool judged, take;         /* the headers were inspected; the body is the one requested */
    char why[CURL_ERROR_SIZE]; /* of libcurl */
    struct ras_error bad; /* status RAS_OK: nothing is wrong that another attempt would not mend */
};

uint64_t remote_size(const struct remote *r)
{
    return r->size;
}

uint64_t remote_keep_most(const struct remote *r)
{
    return r->keep_most;
}

uint64_t remote_announced(const struct remote *r)
{
    return r->announced;
}

uint64_t remote_window(const struct remote *r)
{
    return r->window;
}

/* ---- the library --------------------------------------------------------------------------- */

static int load_calls(struct curl_calls *calls, struct ras_error *err)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4"};
    static const char *const functions[] = {
#define CURL_NAME(name) "curl_" #name,
        CURL_CALLS(CURL_NAME)
#undef CURL_NAME
    };
    char why[200] = "";
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = os_library_open(names[i], why, sizeof why);
    if (!library)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "URLs are read by libcurl, which is not installed: apt install libcurl4");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = os_library_find(library, functions[i]);
        if (!found)
            return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "libcurl has no %s: apt install libcurl4",
                        functions[i]);
        memcpy((char *)calls + i * sizeof found, &found, sizeof found);
    }
    return RAS_OK; /* the library stays */
}

/* ---- one attempt --------------------------------------------------------------------------- */

static bool same_tag(const struct answer_tag *a, const struct answer_tag *b)
{
    return !a->text[0] || !b->text[0] || !strcmp(a->text, b->text);
}

static int changed(struct request *q, const char *what, const char *was, const char *is)
{
    return fail(&q->bad, RAS_EIO, q->from,
                "the file changed while it was read: %s was %s, now it is %s; open it again", what,
                was, is);
}

static void note_tags(struct request *q)
{
    q->r->etag = q->answer.etag;
    q->r->modified = q->answer.modified;
}

/* The file is that of the first answer. */
static bool is_same_file(struct request *q)
{
    const struct answer *a = &q->answer;
    struct remote *r = q->r;
    if (!same_tag(&r->etag, &a->etag))
        return changed(q, "its ETag", r->etag.text, a->etag.text) == RAS_OK;
    if (!same_tag(&r->modified, &a->modified))
        return changed(q, "Last-Modified", r->modified.text, a->modified.text) == RAS_OK;
    if (a->total == ANSWER_UNKNOWN || a->total == r->size)
        return true;
    fail(&q->bad, RAS_EIO, q->from,
         "the file changed while it was read: it had %" PRIu64 " bytes, now it has %" PRIu64
         "; open it again",
         r->size, a->total);
    return false;
}

/* 206: the range that was requested, up to the end of the file. */
static void judge_range(struct request *q)
{
    const struct answer *a = &q->answer;
    uint64_t total = q->first && !q->got ? a->total : q->r->size;
    uint64_t to = q->to < total ? q->to : total;
    if (!a->has_range || a->from != q->from || a->total == ANSWER_UNKNOWN)
        fail(&q->bad, RAS_EIO, q->from,
             "bytes %" PRIu64 " to %" PRIu64 " were requested, the answer has %s", q->from, to - 1,
             !a->has_range        ? "no valid Content-Range"
             : a->from != q->from ? "others by its Content-Range"
                                  : "no size of the file");
    else if (a->to != to && !(q->got || !q->first) && a->to < to)
        q->to = a->to; /* servers may send less at first */
    else if (a->to > to)
        fail(&q->bad, RAS_EIO, q->from,
             "bytes %" PRIu64 " to %" PRIu64 " were requested, Content-Range ends at %" PRIu64,
             q->from, to - 1, a->to - 1);
    if (q->bad.status)
        return;
    if (q->first && !q->got) {
        q->r->size = a->total;
        note_tags(q);
    } else if (!is_same_file(q)) {
        return;
    }
    if (q->to > a->to)
        q->to = a->to;
    q->take = true;
}

static int too_large(struct request *q, const char *announced, uint64_t size)
{
    return fail(&q->bad, RAS_ELIMIT, RAS_NONE,
                "the server sends no ranges, and %s%" PRIu64 " bytes exceed the limit of "
                "%" PRIu64 "; download it and open the file, or raise RASTRUM_HTTP_SPOOL",
                announced, size, q->r->spool_most);
}

/* 200: all of it. */
static void judge_whole(struct request *q)
{
    const struct answer *a = &q->answer;
    if (!q->first) {
        fail(&q->bad, RAS_EIO, q->from,
             "the file changed while it was read, or the server sends ranges no more: status 200 "
             "instead of 206; open it again");
    } else if (a->length != ANSWER_UNKNOWN && a->length > q->r->spool_most) {
        too_large(q, "", a->length);
    } else {
        q->r->announced = a->length;
        q->r->size = ANSWER_UNKNOWN;
        note_tags(q);
        spool_cut(q->spool, 0); /* what an attempt before has brought: this one brings all */
        q->got = 0;
        q->to = ANSWER_UNKNOWN;
        q->take = true;
    }
}

/* 416 is what an empty file answers. */
static void judge_empty(struct request *q)
{
    const struct answer *a = &q->answer;
    if (q->first && a->has_range && a->total == 0) {
        q->r->size = 0;
        q->to = q->from;
        note_tags(q);
        return;
    }
    fail(&q->bad, RAS_EIO, q->from,
         "status 416 for bytes from %" PRIu64 " on, of %" PRIu64
         ": it changed while it was read; open it again",
         q->from, q->first ? (a->total == ANSWER_UNKNOWN ? 0 : a->total) : q->r->size);
}

static const char *advice(const struct request *q)
{
    unsigned status = q->answer.status;
    bool s3 = q->r->keys;
    if (status == 404)
        return q->r->whole ? ": there is no such directory"
                           : ": there is no such file; the URL of a directory ends with /";
    if (status == 401 || status == 403)
        return s3 ? ": not permitted; see AWS_ACCESS_KEY_ID, AWS_PROFILE and AWS_REGION"
                  : ": not permitted; credentials come from ~/.netrc or RASTRUM_HTTP_HEADER";
    return status / 100 == 5 || status == 429 || status == 408 ? ": try again later" : "";
}

static void judge_other(struct request *q)
{
    unsigned status = q->answer.status;
    bool again = status / 100 == 5 || status == 429 || status == 408;
    if (status / 100 == 3 && !*q->answer.region)
        return; /* a redirect, which is followed elsewhere */
    if (status == 412)
        fail(&q->bad, RAS_EIO, q->from,
             "the file changed while it was read: status 412, its ETag is not %s any more; open it "
             "again",
             q->r->etag.text);
    else if (*q->answer.region && (status / 100 == 3 || status == 400))
        fail(&q->bad, RAS_EIO, RAS_NONE, "the bucket is in %s, AWS_REGION says %s",
             q->answer.region, q->r->keys ? q->r->keys->region : "nothing");
    else if (!again)
        fail(&q->bad, RAS_EIO, RAS_NONE, "status %u%s", status, advice(q));
}

static void judge(struct request *q)
{
    q->judged = true;
    if (q->answer.status == 206)
        judge_range(q);
    else if (q->answer.status == 200)
        judge_whole(q);
    else if (q->answer.status == 416)
        judge_empty(q);
    else
        judge_other(q);
}

static size_t take_header(char *line, size_t size, size_t count, void *user)
{
    struct request *q = user;
    answer_line(&q->answer, line, size * count);
    return size * count;
}

/* Fewer than all of them end the transfer. */
static size_t take_body(char *bytes, size_t size, size_t count, void *user)
{
    struct request *q = user;
    size_t n = size * count;
    if (!q->judged)
        judge(q);
    if (!q->take) /* what comes with a status, a redirect's too; the connection stays */
        return !q->bad.status && (q->passed += n) <= PASSED_MOST ? n : 0;
    bool all = q->to == ANSWER_UNKNOWN;
    if (!all && n > q->to - q->from - q->body) {
        fail(&q->bad, RAS_EIO, q->from, "%" PRIu64 " bytes were requested, the server sends more",
             q->to - q->from);
        return 0;
    }
    if (all && q->body + n > q->r->spool_most) {
        too_large(q, "more than ", q->body);
        return 0;
    }
    if (q->spool && spool_append(q->spool, bytes, n, &q->bad) < 0)
        return 0;
    if (q->bytes)
        memcpy(q->bytes + q->got, bytes, n);
    q->got += n;
    q->body += n;
    return n;
}

/* Other than 0 ends the transfer. libcurl calls it about once a second at least. */
static int watch(void *user, curl_off_t to_get, curl_off_t got, curl_off_t to_put, curl_off_t put)
{
    struct request *q = user;
    const struct remote *r = q->r;
    (void)to_get;
    (void)got;
    (void)to_put;
    (void)put;
    uint64_t total = q->to == ANSWER_UNKNOWN ? r->announced : q->to - q->from;
    q->canceled |= r->progress && !r->progress(r->user, q->body, total < q->body ? 0 : total);
    return q->canceled;
}

/* ---- options of an attempt ----------------------------------------------------------------- */

static bool add_header(struct remote *r, struct curl_slist **list, const char *text)
{
    struct curl_slist *more = *text ? r->curl.slist_append(*list, text) : *list;
    bool added = more || !*text;
    *list = added ? more : *list;
    return added;
}

static bool add_signature(struct remote *r, const char *url, struct curl_slist **list)
{
    struct aws_headers *h = malloc(sizeof *h);
    char host[300], path[URL_MOST];
    bool ok = h && url_host(url, host, sizeof host) && url_path(url, path, sizeof path);
    if (ok) {
        const char *mark = strchr(url, '?');
        const struct aws_request signs = {host, path, mark ? mark + 1 : "", (int64_t)time(NULL)};
        aws_sign(r->keys, &signs, h);
        ok = add_header(r, list, h->date) && add_header(r, list, h->hash) &&
             add_header(r, list, h->token) && add_header(r, list, h->authorization);
    }
    free(h);
    return ok;
}

/* Secrets go to the host that was named, and to no other that it names. */
static bool is_first_host(const struct remote *r, const char *url)
{
    char host[300];
    return url_host(url, host, sizeof host) && !strcmp(host, r->host) &&
           (url_scheme_of(url) == URL_HTTPS) == r->first_tls;
}

static bool make_headers(struct request *q, const char *url, struct curl_slist **list)
{
    struct remote *r = q->r;
    char match[ETAG_HEADER] = "";
    const char *own = getenv("RASTRUM_HTTP_HEADER");
    bool strong = r->etag.text[0] == '"' && !r->etag.cut;
    if (strong && !(q->first && !q->got))
        snprintf(match, sizeof match, "If-Match: %s", r->etag.text);
    if (!add_header(r, list, match))
        return false;
    if (r->keys)
        return !*r->keys->id || add_signature(r, url, list);
    if (!own || !*own || strpbrk(own, "\r\n") || !is_first_host(r, url))
        return true;
    return add_header(r, list, own);
}

static void set_options(struct request *q, const char *url, struct curl_slist *list)
{
    struct remote *r = q->r;
    CURL *e = r->easy;
    char range[64];
    *q->why = 0;
    const char *ca = getenv("CURL_CA_BUNDLE");
    if (!ca || !*ca)
        ca = getenv("SSL_CERT_FILE");
    r->curl.easy_reset(e);
    r->curl.easy_setopt(e, CURLOPT_URL, url);
    r->curl.easy_setopt(e, CURLOPT_ERRORBUFFER, q->why);
    r->curl.easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    r->curl.easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
    r->curl.easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    r->curl.easy_setopt(e, CURLOPT_USERAGENT, "rastrum/" RASTRUM_VERSION);
    r->curl.easy_setopt(e, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    r->curl.easy_setopt(e, CURLOPT_LOW_SPEED_LIMIT, 1L);
    r->curl.easy_setopt(e, CURLOPT_LOW_SPEED_TIME, r->seconds);
    r->curl.easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    r->curl.easy_setopt(e, CURLOPT_HTTPHEADER, list);
    r->curl.easy_setopt(e, CURLOPT_HEADERFUNCTION, take_header);
    r->curl.easy_setopt(e, CURLOPT_HEADERDATA, q);
    r->curl.easy_setopt(e, CURLOPT_WRITEFUNCTION, take_body);
    r->curl.easy_setopt(e, CURLOPT_WRITEDATA, q);
    r->curl.easy_setopt(e, CURLOPT_NOPROGRESS, r->progress ? 0L : 1L);
    r->curl.easy_setopt(e, CURLOPT_XFERINFOFUNCTION, watch);
    r->curl.easy_setopt(e, CURLOPT_XFERINFODATA, q);
    if (!r->keys)
        r->curl.easy_setopt(e, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
    if (ca && *ca)
        r->curl.easy_setopt(e, CURLOPT_CAINFO, ca);
    snprintf(range, sizeof range, "%" PRIu64 "-%" PRIu64, q->from, q->to - 1);
    if (!r->whole)
        r->curl.easy_setopt(e, CURLOPT_RANGE, range);
}

/* ---- attempts, redirects ------------------------------------------------------------------- */

enum outcome { ATTEMPT_DONE, ATTEMPT_AGAIN, ATTEMPT_FAILED };

static bool is_passing(CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_CONNECT:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return true;
    default:
        return false;
    }
}

static void report(const struct request *q, const char *url, uint64_t to, uint64_t since)
{
    char shown[URL_MOST];
    if (!debug_wants(q->r->debug, RAS_DEBUG_SOURCE))
        return;
    url_show(url, shown, sizeof shown);
    debug_write(
        q->r->debug, RAS_DEBUG_SOURCE,
        "GET %s bytes %" PRIu64 "-%" PRIu64 ": status %u, %" PRIu64 " bytes, %" PRIu64 " ms", shown,
        q->from, to - 1, q->answer.status, q->body, (os_boot_ns() - since) / 1000000);
}

/* The next address, or why there is none. */
static enum outcome redirect(struct request *q, char **url, unsigned *left, struct ras_error *why)
{
    char *to = NULL, shown[URL_MOST];
    struct remote *r = q->r;
    (void)r->curl.easy_getinfo(r->easy, CURLINFO_REDIRECT_URL, &to);
    if (!to) {
        fail(why, RAS_EIO, RAS_NONE, "status %u without an address", q->answer.status);
        return ATTEMPT_FAILED;
    }
    url_show(to, shown, sizeof shown);
    enum url_scheme next = url_scheme_of(to), now = url_scheme_of(*url);
    if (!--*left)
        fail(why, RAS_EIO, RAS_NONE, "more than %d redirects, the last to %.200s", REDIRECTS_MOST,
             shown);
    else if (next != URL_HTTP && next != URL_HTTPS)
        fail(why, RAS_EIO, RAS_NONE, "redirected to %.200s, which is not http or https", shown);
    else if (now == URL_HTTPS && next == URL_HTTP)
        fail(why, RAS_EIO, RAS_NONE, "redirected from https to http: %.200s", shown);
    else {
        char *copy = text_copy(to, strlen(to));
        if (!copy) {
            fail_memory(why);
            return ATTEMPT_FAILED;
        }
        free(*url);
        *url = copy;
        return ATTEMPT_DONE;
    }
    return ATTEMPT_FAILED;
}

static enum outcome weigh(struct request *q, CURLcode code, struct ras_error *why)
{
    struct remote *r = q->r;
    if (q->canceled) {
        fail_canceled(why);
        return ATTEMPT_FAILED;
    }
    if (!q->judged && q->answer.status && code == CURLE_OK)
        judge(q);
    if (q->bad.status) {
        *why = q->bad;
        return ATTEMPT_FAILED;
    }
    unsigned status = q->answer.status;
    const char *said = *q->why ? q->why : r->curl.easy_strerror(code);
    bool whole = code == CURLE_OK && (q->take || status == 416);
    if (whole && (q->to == ANSWER_UNKNOWN || q->body == q->to - q->from))
        return ATTEMPT_DONE;
    if (q->judged && !q->take) {
        fail(why, RAS_EIO, RAS_NONE, "status %u%s", status, advice(q));
        return ATTEMPT_AGAIN;
    }
    if (q->take)
        fail(why, RAS_EIO, q->from + q->body,
             "%" PRIu64 " of %" PRIu64 " bytes from %" PRIu64 " on have come: %s", q->body,
             q->to == ANSWER_UNKNOWN ? r->announced : q->to - q->from, q->from,
             code ? said : "the answer ends");
    else
        fail(why, RAS_EIO, RAS_NONE, "%s", said);
    return code == CURLE_OK || is_passing(code) ? ATTEMPT_AGAIN : ATTEMPT_FAILED;
}

static enum outcome attempt(struct request *q, struct ras_error *why)
{
    struct remote *r = q->r;
    unsigned left = REDIRECTS_MOST + 1;
    char *url = text_copy(r->url, strlen(r->url));
    enum outcome outcome = url ? ATTEMPT_DONE : (fail_memory(why), ATTEMPT_FAILED);
    while (outcome == ATTEMPT_DONE) {
        struct curl_slist *list = NULL;
        uint64_t since = os_boot_ns(), to = q->to;
        q->answer = (struct answer){.total = ANSWER_UNKNOWN, .length = ANSWER_UNKNOWN};
        q->judged = q->take = false;
        q->body = q->passed = 0;
        if (!make_headers(q, url, &list)) {
            r->curl.slist_free_all(list);
            outcome = (fail_memory(why), ATTEMPT_FAILED);
            break;
        }
        set_options(q, url, list);
        CURLcode code = r->curl.easy_perform(r->easy);
        r->curl.slist_free_all(list);
        report(q, url, to, since);
        unsigned status = q->answer.status;
        bool moved = (code == CURLE_OK || code == CURLE_WRITE_ERROR) && status / 100 == 3 &&
                     status != 304 && !q->bad.status;
        outcome = moved ? redirect(q, &url, &left, why) : weigh(q, code, why);
        if (!moved)
            break;
    }
    free(url);
    return outcome;
}

static int pause_attempts(struct request *q, long ms, struct ras_error *err)
{
    for (; ms > 0; ms -= WATCH_MS) {
        if (os_sleep((int)(ms < WATCH_MS ? ms : WATCH_MS)) < 0) {
            errno = EINTR;
            return fail_os(err, "waiting for the server");
        }
        if (watch(q, 0, 0, 0, 0))
            return fail_canceled(err);
    }
    return RAS_OK;
}

/* A failure that may pass is tried again after a while; what has come is not requested again. */
static int fetch(struct request *q, struct ras_error *err)
{
    struct remote *r = q->r;
    struct ras_error why = {0};
    const uint64_t from = q->from;
    const uint64_t to = q->to;
    for (long tries = 0;; tries++) {
        enum outcome outcome = attempt(q, &why);
        if (outcome == ATTEMPT_DONE &&
            (q->to == ANSWER_UNKNOWN || q->first || q->from + q->body == to))
            return RAS_OK;
        if (outcome == ATTEMPT_FAILED || (outcome == ATTEMPT_AGAIN && tries >= r->retries)) {
            if (err)
                *err = why;
            return why.status;
        }
        if (outcome == ATTEMPT_AGAIN) {
            long pause = (long)BACKOFF_MS << (tries < 5 ? tries : 5);
            debug_write(r->debug, RAS_DEBUG_SOURCE, "%s; attempt %ld of %ld follows", why.text,
                        tries + 2, r->retries + 1);
            int status = pause_attempts(q, pause < BACKOFF_MOST_MS ? pause : BACKOFF_MOST_MS, err);
            if (status < 0)
                return status;
        }
        if (q->to != ANSWER_UNKNOWN) { /* go on after what has come */
            q->from = from + q->got;
            q->to = to;
        }
    }
}

/* ---- opening --------------------------------------------------------------------------------- */

static long number_of(const char *name, long usual, long least, long most)
{
    const char *text = getenv(name);
    char *end;
    long value = text && *text ? strtol(text, &end, 10) : usual;
    return text && *text && (*end || value < least || value > most) ? usual : value;
}

/* Where a bucket's objects are, and with `query` the bucket. */
static int place_object(struct remote *r, const char *url, const char *query, char *out,
                        struct ras_error *err)
{
    const char *key, *endpoint = getenv("AWS_ENDPOINT_URL");
    char bucket[200], encoded[URL_MOST] = "";
    if (!url_bucket(url, bucket, sizeof bucket, &key) ||
        !(query || (*key && url_encode(key, "/", encoded, sizeof encoded))))
        return fail(err, RAS_EUSAGE, RAS_NONE, "expected s3://BUCKET/KEY");
    const char *mark = query ? "?" : "", *list = query ? query : "";
    int n;
    if (endpoint && *endpoint) {
        size_t len = strlen(endpoint);
        while (len && endpoint[len - 1] == '/')
            len--;
        n = snprintf(out, URL_MOST, "%.*s/%s/%s%s%s", (int)len, endpoint, bucket, encoded, mark,
                     list);
    } else if (strchr(bucket, '.')) { /* a certificate covers no more than one name */
        n = snprintf(out, URL_MOST, "https://s3.%s.amazonaws.com/%s/%s%s%s", r->keys->region,
                     bucket, encoded, mark, list);
    } else {
        n = snprintf(out, URL_MOST, "https://%s.s3.%s.amazonaws.com/%s%s%s", bucket,
                     r->keys->region, encoded, mark, list);
    }
    if (n >= URL_MOST)
        return fail(err, RAS_ELIMIT, RAS_NONE, "a URL of %d bytes exceeds the limit of %d", n,
                    URL_MOST - 1);
    enum url_scheme scheme = url_scheme_of(out);
    if (scheme != URL_HTTP && scheme != URL_HTTPS)
        return fail(err, RAS_EUSAGE, RAS_NONE, "AWS_ENDPOINT_URL is not a URL of http or https");
    return RAS_OK;
}

static int place(struct remote *r, const char *url, const char *list, struct ras_error *err)
{
    char out[URL_MOST], whole[URL_MOST];
    if (strlen(url) >= URL_MOST)
        return fail(err, RAS_ELIMIT, RAS_NONE, "a URL of %zu bytes exceeds the limit of %d",
                    strlen(url), URL_MOST - 1);
    if (url_scheme_of(url) == URL_S3) {
        r->keys = malloc(sizeof *r->keys);
        if (!r->keys)
            return fail_memory(err);
        aws_keys_get(r->keys);
        int status = place_object(r, url, list, out, err);
        if (status < 0)
            return status;
        url = out;
    }
    if (!url_is_plain(url))
        return fail(err, RAS_EUSAGE, RAS_NONE, "a URL has no spaces: write %%20");
    if (!url_host(url, r->host, sizeof r->host))
        return fail(err, RAS_EUSAGE, RAS_NONE, "no host");
    r->first_tls = url_scheme_of(url) == URL_HTTPS;
    const char *query = getenv("RASTRUM_HTTP_QUERY");
    if (!r->keys && query && *query && url_is_plain(query) && !strpbrk(url, "?#")) {
        int n = snprintf(whole, sizeof whole, "%s?%s", url, query);
        if (n >= URL_MOST)
            return fail(err, RAS_ELIMIT, RAS_NONE, "a URL of %d bytes exceeds the limit of %d", n,
                        URL_MOST - 1);
        url = whole;
    }
    r->url = text_copy(url, strlen(url));
    return r->url ? RAS_OK : fail_memory(err);
}

/* The first answer says how large it is; the spool has what came. */
static int first_bytes(struct remote *r, struct spool *spool, struct ras_error *err)
{
    struct request q = {.r = r, .to = r->window, .first = true, .spool = spool};
    struct ras_error why;
    int status = fetch(&q, &why);
    bool all = r->size == ANSWER_UNKNOWN && q.take;
    if (status < 0 && all && why.status == RAS_EIO && r->announced != ANSWER_UNKNOWN &&
        spool->len) { /* a body that always breaks off: what remains is shown */
        debug_write(r->debug, RAS_DEBUG_SOURCE, "%s", why.text);
        r->size = spool->len;
        return RAS_OK;
    }
    if (status < 0) {
        if (err)
            *err = why;
        return status;
    }
    if (all)
        r->size = spool->len;
    r->announced = 0;
    r->kept = spool->len;
    return RAS_OK;
}

static struct remote *remote_new(const struct ras_options *options, const struct remote *first)
{
    struct remote *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    if (first) {
        r->curl = first->curl;
        r->easy = first->easy;
        r->borrowed = true;
        r->debug = first->debug;
        r->progress = first->progress;
        r->user = first->user;
    } else if (options) {
        r->debug = options->debug;
        r->progress = options->progress;
        r->user = options->user;
    }
    r->retries = number_of("RASTRUM_HTTP_RETRIES", RETRIES, 0, 100);
    r->seconds = number_of("RASTRUM_HTTP_TIMEOUT", IDLE_SECONDS, 1, 86400);
    r->window = (uint64_t)number_of("RASTRUM_HTTP_WINDOW", REMOTE_HEAD, 64, 64 << 20);
    r->keep_most = (uint64_t)number_of("RASTRUM_HTTP_KEEP", REMOTE_KEEP_MOST, 1, 1 << 30) << 20;
    r->spool_most =
        (uint64_t)number_of("RASTRUM_HTTP_SPOOL", (long)(REMOTE_SPOOL_MOST >> 20), 1, 1 << 20)
        << 20;
    return r;
}

/* `query` is NULL for a file. */
static int remote_begin(struct remote **out, struct remote *r, const char *url, const char *query,
                        struct spool *spool, struct ras_error *err)
{
    *out = NULL;
    if (!r)
        return fail_memory(err);
    r->whole = query;
    int status = place(r, url, query, err);
    if (status == RAS_OK && !r->borrowed)
        status = load_calls(&r->curl, err);
    if (status == RAS_OK) {
        r->easy = r->borrowed ? r->easy : r->curl.easy_init();
        status = r->easy ? first_bytes(r, spool, err) : fail_memory(err);
    }
    if (status < 0) {
        remote_close(r);
        return status;
    }
    *out = r;
    return RAS_OK;
}

int remote_open(struct remote **out, const char *url, const struct ras_options *options,
                struct spool *spool, struct ras_error *err)
{
    return remote_begin(out, remote_new(options, NULL), url, NULL, spool, err);
}

int remote_open_beside(struct remote **out, struct remote *first, const char *url,
                       struct spool *spool, struct ras_error *err)
{
    return remote_begin(out, remote_new(NULL, first), url, NULL, spool, err);
}

int remote_open_list(struct remote **out, const struct remote_list *list,
                     const struct ras_options *options, struct spool *spool, struct ras_error *err)
{
    return remote_begin(out, remote_new(options, list->first), list->url, list->query, spool, err);
}

void remote_close(struct remote *r)
{
    if (!r)
        return;
    if (r->easy && !r->borrowed)
        r->curl.easy_cleanup(r->easy);
    free(r->keys);
    free(r->url);
    free(r);
}

int remote_read(struct remote *r, uint64_t from, uint64_t to, uint8_t *bytes, struct ras_error *err)
{
    struct request q = {.r = r, .from = from, .to = to, .bytes = bytes};
    if (to - from > r->keep_most || r->kept > r->keep_most - (to - from))
        return fail(err, RAS_ELIMIT, from,
                    "%" PRIu64 " bytes of the file are kept, %" PRIu64
                    " more exceed the limit of %" PRIu64
                    "; download it and open the file, or raise RASTRUM_HTTP_KEEP",
                    r->kept, to - from, r->keep_most);
    int status = fetch(&q, err);
    r->kept += status == RAS_OK ? to - from : 0;
    return status;
}
