/* viewed.h - a view in a test: runs to show, requests, and members of their answers by path. */
#ifndef TESTS_UNIT_VIEW_VIEWED_H
#define TESTS_UNIT_VIEW_VIEWED_H

#include "core/row.h"
#include <rastrum/gpu.h>
#include <rastrum/run.h>
#include <rastrum/sql.h>
#include <rastrum/view.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char viewed_home[] = "rastrum-view-XXXXXX";

static inline int viewed_enter(void **state)
{
    const char *temporary = getenv("TMPDIR");
    (void)state;
    return chdir(temporary ? temporary : "/tmp") || !mkdtemp(viewed_home) || chdir(viewed_home);
}

static inline int viewed_leave(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", viewed_home);
    return chdir("..") || system(command);
}

/* A run of the arena without calls; one that goes wrong in a tick where `perturb` is not 0. */
static inline void viewed_run(const char *dir, uint64_t ticks, uint64_t perturb)
{
    static const char *const pens[] = {"murk", "cdt", "aerogpu", "dial9"};
    static const char recipe[] = "murkworld 1 arena-1\n";
    struct ras_run_options how = {.has_seed = true, .seed = 7, .ticks = ticks, .replace = true};
    struct ras_run out;
    struct ras_error err = {0};
    how.pens = pens;
    how.pen_count = 4;
    how.perturb = perturb ? RAS_PERTURB_RNG : RAS_PERTURB_NOTHING;
    how.perturb_tick = perturb;
    how.recipe = (struct ras_bytes){(const uint8_t *)recipe, sizeof recipe - 1};
    assert_int_equal(ras_world_type_of(&how.world, how.recipe, NULL), RAS_OK);
    if (ras_run(&out, dir, &how, &err) < 0)
        print_error("%s\n", err.text);
    assert_int_equal(err.status, RAS_OK);
}

/* A view of one path, or two; a name that begins with "golden:" is one of the goldens. */
static inline struct ras_view *viewed_open(const char *a, const char *b)
{
    struct ras_view *view;
    struct ras_error err = {0};
    const char *paths[2] = {a, b};
    struct ras_view_options how = {
        .no_threads = true, .gpu = ras_gpu(), .sql = ras_sql_queries(), .worlds = ras_worlds()};
    assert_int_equal(ras_view_open(&view, &how, &err), RAS_OK);
    for (int i = 0; i < 2 && paths[i]; i++) {
        char path[512];
        bool golden = !strncmp(paths[i], "golden:", 7);
        snprintf(path, sizeof path, "%s%s%s", golden ? getenv("GOLDEN") : "", golden ? "/" : "",
                 paths[i] + (golden ? 7 : 0));
        if (ras_view_add(view, path, NULL, &err) < 0)
            print_error("%s: %s\n", path, err.text);
        assert_int_equal(err.status, RAS_OK);
    }
    return view;
}

/* The answer of a request, of a job its result. */
static inline struct ras_answer viewed_send(struct ras_view *view, const char *uri,
                                            const char *body)
{
    struct ras_answer answer;
    struct ras_error err = {0};
    char job[64] = "";
    for (int i = 0; i < 100000; i++) {
        const char *now = *job ? job : uri;
        struct ras_bytes bytes = {(const uint8_t *)body, body && !*job ? strlen(body) : 0};
        unsigned long id;
        assert_int_equal(
            ras_view_answer_uri(view, body && !*job, now, strlen(now), bytes, &answer, &err),
            RAS_OK);
        char said[256] = ""; /* an answer does not end with NUL */
        memcpy(said, answer.bytes.at, answer.bytes.len < 255 ? answer.bytes.len : 255);
        const char *id_at = answer.status == 202 ? strstr(said, "\"job\":") : NULL;
        if (id_at && sscanf(id_at, "\"job\":%lu", &id) == 1)
            snprintf(job, sizeof job, "/v1/job?id=%lu", id);
        else if (!*job || !memmem(answer.bytes.at, answer.bytes.len, "\"state\":\"queued\"", 16))
            return answer;
        assert_true(ras_view_step(view, 8, &err) >= 0);
    }
    fail_msg("%s does not end", uri);
    return answer;
}

/* An answer as JSON, with its members found by their path: "state[0].name". */
struct viewed {
    struct row_reader reader;
    const struct ras_value *value;
    int status;
};

static inline struct viewed viewed_body(struct ras_view *view, const char *uri, const char *body)
{
    struct viewed v = {0};
    struct ras_error err = {0};
    struct ras_answer answer = viewed_send(view, uri, body);
    v.status = answer.status;
    assert_string_equal(answer.type, "application/json");
    if (row_read_value(&v.reader, answer.bytes, &v.value, &err) < 0)
        fail_msg("%s: %s: %.*s", uri, err.text, (int)answer.bytes.len,
                 (const char *)answer.bytes.at);
    return v;
}

static inline struct viewed viewed_get(struct ras_view *view, const char *uri)
{
    return viewed_body(view, uri, NULL);
}

static inline void viewed_free(struct viewed *v)
{
    row_reader_free(&v->reader);
}

/* NULL: there is no such member. */
static inline const struct ras_value *viewed_find(const struct viewed *v, const char *path)
{
    const struct ras_value *at = v->value;
    while (at && *path) {
        char key[64];
        size_t len = strcspn(path, ".[");
        if (*path == '[') {
            unsigned long n = strtoul(path + 1, NULL, 10);
            const struct ras_value *end = ras_value_next(at);
            if (at->kind != RAS_LIST)
                return NULL;
            for (at++; n && at < end; n--)
                at = ras_value_next(at);
            at = at < end ? at : NULL;
            len = strcspn(path, "]") + 1;
        } else {
            snprintf(key, sizeof key, "%.*s", (int)len, path);
            at = at->kind == RAS_MAP ? map_find(at, key) : NULL;
        }
        path += len + (path[len] == '.');
    }
    return at;
}

static inline double viewed_number(const struct viewed *v, const char *path)
{
    const struct ras_value *at = viewed_find(v, path);
    double number = 0;
    if (!at || !cell_f64(at, &number))
        fail_msg("no number at %s", path);
    return number;
}

static inline bool viewed_is(const struct viewed *v, const char *path, const char *text)
{
    const struct ras_value *at = viewed_find(v, path);
    if (!at || at->kind != RAS_STR)
        return false;
    bool same = at->count == strlen(text) && !memcmp(at->at, text, at->count);
    if (!same)
        print_error("%s is %.*s, not %s\n", path, (int)at->count, (const char *)at->at, text);
    return same;
}

/* How many items a list has. */
static inline size_t viewed_count(const struct viewed *v, const char *path)
{
    const struct ras_value *at = viewed_find(v, path), *end;
    size_t count = 0;
    if (!at || at->kind != RAS_LIST)
        fail_msg("no list at %s", path);
    for (end = ras_value_next(at), at++; at < end; at = ras_value_next(at))
        count++;
    return count;
}
#endif
