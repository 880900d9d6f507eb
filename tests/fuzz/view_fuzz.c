/* view_fuzz.c - any requests to a view of a golden, or of any bytes: each is answered, and what is
 * said to be JSON is JSON.
 *
 * The first byte chooses the trace; 0xff: the bytes up to 0x1d are one. The rest are requests with
 * 0x1e between two: G or P, the address, a line end, the body. */
#include "codec/json_read.h"
#include "fuzz.h"
#include <rastrum/gpu.h>
#include <rastrum/sql.h>
#include <rastrum/view.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { REQUESTS_MOST = 24, STEPS_MOST = 64 };

static const char *const goldens[][2] = {
    {"murk/all_payloads.murk", NULL},
    {"murk/cut_frame.murk", NULL},
    {"atf/crashed", NULL},
    {"atf/detail.atf", NULL},
    {"dial9/all_types.trc", NULL},
    {"cdt/python.cdt", NULL},
    {"aerogpu/pictures.aerogputrace", NULL},
    {"murk/all_payloads.murk", "murk/cut_frame.murk"},
    {NULL, NULL},
};

enum { GOLDEN_COUNT = sizeof goldens / sizeof *goldens };

static void add_golden(struct ras_view *view, const char *name)
{
    char path[512];
    struct ras_error err;
    snprintf(path, sizeof path, "%s/%s", GOLDEN_DIR, name);
    if (ras_view_add(view, path, NULL, &err) < 0)
        fuzz_wrong("%s: %s", path, err.text);
}

/* What is left of the bytes are requests; false: there is nothing to show. */
static bool add_trace(struct ras_view *view, struct ras_part *part, const uint8_t **bytes,
                      size_t *size)
{
    uint8_t choice = **bytes;
    (*bytes)++, (*size)--;
    if (choice != 0xff) {
        for (int i = 0; i < 2 && goldens[choice % GOLDEN_COUNT][i]; i++)
            add_golden(view, goldens[choice % GOLDEN_COUNT][i]);
        return true;
    }
    const uint8_t *end = memchr(*bytes, 0x1d, *size);
    if (!end)
        return false;
    part->bytes = (struct ras_bytes){*bytes, (size_t)(end - *bytes)};
    *size -= part->bytes.len + 1;
    *bytes = end + 1;
    return ras_view_add_parts(view, "fuzzed", part, 1, NULL, NULL) >= 0;
}

static void check_answer(const struct ras_answer *answer)
{
    static const int statuses[] = {200, 202, 400, 404, 405, 409, 413, 414, 500};
    bool known = false;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        known = known || statuses[i] == answer->status;
    if (!known)
        fuzz_wrong("status %d", answer->status);
    if (strcmp(answer->type, "application/json") != 0)
        return;
    struct json_read in = json_read_bytes(answer->bytes);
    struct json_token token;
    enum json_kind kind;
    while ((kind = json_read_next(&in, &token)) != JSON_END)
        if (kind == JSON_BAD)
            fuzz_wrong("not JSON at %zu (%s): %.*s", in.fault_at, in.why, (int)answer->bytes.len,
                       (const char *)answer->bytes.at);
}

static void send_request(struct ras_view *view, const uint8_t *text, size_t len)
{
    const uint8_t *line = len > 1 ? memchr(text, '\n', len) : NULL;
    size_t end = line ? (size_t)(line - text) : len;
    struct ras_bytes body = {line ? line + 1 : NULL, line ? len - end - 1 : 0};
    struct ras_answer answer;
    struct ras_error err = {0};
    if (len < 1)
        return;
    int status = ras_view_answer_uri(view, text[0] == 'P', (const char *)text + 1,
                                     end ? end - 1 : 0, body, &answer, &err);
    if (status < 0 && status != RAS_EMEMORY)
        fuzz_wrong("%d: %s", status, err.text);
    if (status >= 0)
        check_answer(&answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct ras_view_options how = {
        .no_threads = true, .memory_bytes = 1 << 20, .gpu = ras_gpu(), .sql = ras_sql_queries()};
    struct ras_part part = {.name = ""};
    struct ras_view *view;
    if (!size || ras_view_open(&view, &how, NULL) < 0)
        return 0;
    bool shows = add_trace(view, &part, &bytes, &size);
    for (int i = 0; shows && size && i < REQUESTS_MOST; i++) {
        const uint8_t *end = memchr(bytes, 0x1e, size);
        size_t len = end ? (size_t)(end - bytes) : size;
        send_request(view, bytes, len);
        bytes += len + (end != NULL);
        size -= len + (end != NULL);
        /* Requests also come while it is built. */
        for (int k = 0; k < (i ? STEPS_MOST : 1); k++)
            if (ras_view_step(view, 1, NULL) != RAS_OK)
                break;
    }
    ras_view_close(view);
    return 0;
}
