/* dial9_sink_test.c - a dial9 writer whose sink fails, at every call and in every mode. */
#include "faults.h"
#include <rastrum/dial9.h>

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { EVENTS = 12 };

/* Each event brings a string of its own; `room` is full after every few of them. */
static int put_events(struct ras_dial9_writer *w, struct ras_sink *sink, uint64_t *flushed,
                      struct ras_error *err)
{
    static const struct ras_dial9_field fields[] = {{"n", RAS_DIAL9_VARINT},
                                                    {"s", RAS_DIAL9_POOLED_STRING}};
    const struct ras_dial9_schema schema = {"Ev", fields, 2, true};
    uint64_t ends[EVENTS];
    uint16_t type_id;
    uint32_t pool_id;
    int status = ras_dial9_writer_schema(w, &schema, &type_id, err);
    for (uint64_t i = 0; i < EVENTS && status == RAS_OK; i++) {
        char name[16];
        int len = snprintf(name, sizeof name, "string %u", (unsigned)i);
        status = ras_dial9_writer_string(w, (struct ras_bytes){(const uint8_t *)name, (size_t)len},
                                         &pool_id, err);
        struct ras_dial9_value values[] = {{.type = RAS_DIAL9_VARINT, .u = i},
                                           {.type = RAS_DIAL9_POOLED_STRING, .u = pool_id}};
        if (status == RAS_OK)
            status = ras_dial9_writer_event(w, type_id, i << 30, values, 2, err);
        if (status < 0 || !sink)
            continue;
        /* What the sink has been given by now is there to stay. */
        ends[i] = ras_sink_size(sink) + ras_dial9_writer_bytes(w).len;
        status = ras_sink_flush(sink, err);
        while (status == RAS_OK && *flushed <= i && ends[*flushed] <= ras_sink_size(sink))
            ++*flushed;
    }
    return status;
}

/* RAS_OK, or how it failed. */
static int write_stream(struct ras_sink *sink, uint64_t *flushed)
{
    struct ras_dial9_writer_options options = {.room = 40};
    struct ras_dial9_writer *w;
    struct ras_error err = {0};
    *flushed = 0;
    assert_int_equal(ras_dial9_writer_open(&w, sink, &options, &err), RAS_OK);
    int status = put_events(w, sink, flushed, &err);
    int closed = ras_dial9_writer_close(w, status < 0 ? NULL : &err);
    status = status < 0 ? status : closed;
    if (status < 0) {
        assert_int_equal(err.status, RAS_EIO);
        assert_true(err.offset <= ras_sink_size(sink));
        assert_true(strlen(err.text) > 0);
    } else {
        *flushed = EVENTS;
    }
    return status;
}

/* Whole frames only, unless the system refused to take the rest back; how many events. */
static uint64_t count_events(const char *path)
{
    struct ras_trace *t;
    struct ras_cursor *c;
    const struct ras_record *r;
    uint64_t count = 0;
    assert_int_equal(ras_open(&t, path, NULL, NULL), RAS_OK);
    assert_int_equal(ras_cursor_open(&c, t, NULL, NULL), RAS_OK);
    for (; ras_next(c, &r, NULL) == RAS_OK; count++)
        assert_int_equal(ras_values(c, &(size_t){0})[0].u, count);
    assert_true(ras_ending(t).kind == RAS_COMPLETE || faults_stayed());
    ras_cursor_close(c);
    ras_close(t);
    return count;
}

static void to_a_descriptor(void *user)
{
    const char *path = user;
    struct ras_sink *sink;
    uint64_t flushed;
    int fd = creat(path, 0600);
    assert_int_equal(ras_sink_fd(&sink, fd, NULL), RAS_OK);
    int status = write_stream(sink, &flushed);
    ras_sink_drop(sink);
    faults_stop();
    close(fd);
    assert_true(faults_hit() || status == RAS_OK);
    if (flushed)
        assert_true(count_events(path) >= flushed);
    unlink(path);
}

static void to_a_file(void *user)
{
    const char *path = user;
    struct ras_sink *sink;
    uint64_t flushed;
    int status = ras_sink_file(&sink, path, false, NULL);
    if (status == RAS_OK) {
        status = write_stream(sink, &flushed);
        if (status == RAS_OK)
            status = ras_sink_close(sink, NULL);
        else
            ras_sink_drop(sink);
    }
    faults_stop();
    assert_true(faults_hit() || status == RAS_OK);
    if (status == RAS_OK)
        assert_int_equal(count_events(path), EVENTS);
    assert_int_equal(unlink(path), status == RAS_OK ? 0 : -1);
}

/* A slice and a repaired copy: the whole file, or none. */
struct rewriting {
    const char *path;
    struct ras_trace *trace;
    bool repair;
};

static void to_another(void *user)
{
    const struct rewriting *w = user;
    const struct ras_rewrite_options slice = {.path = w->path};
    const struct ras_repair_options options = {.path = w->path};
    struct ras_rewritten *rewritten = NULL;
    struct ras_repair *repair = NULL;
    struct ras_error err = {0};
    int status = w->repair ? ras_repair(&repair, w->trace, &options, &err)
                           : ras_rewrite(&rewritten, &w->trace, 1, &slice, &err);
    faults_stop();
    assert_true(faults_hit() || status == RAS_OK);
    assert_true(status == RAS_OK || err.status == RAS_EIO);
    ras_rewritten_free(rewritten);
    if (repair)
        ras_repair_free(repair);
    if (status == RAS_OK)
        assert_int_equal(count_events(w->path), EVENTS);
    if (!w->repair || status == RAS_OK) /* a repaired copy is read again when it is there */
        assert_int_equal(unlink(w->path), status == RAS_OK ? 0 : -1);
    else if (unlink(w->path) == 0)
        assert_true(faults_hit());
}

static void every_call_of_a_rewriting_may_fail(void **state)
{
    (void)state;
    char folder[] = "/tmp/rastrum-dial9-XXXXXX", path[64];
    struct rewriting w = {.path = path};
    struct ras_sink *sink;
    uint64_t flushed;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.trc", folder);
    faults_count();
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(write_stream(sink, &flushed), RAS_OK);
    struct ras_bytes bytes = ras_sink_bytes(sink);
    assert_int_equal(ras_open_memory(&w.trace, bytes.at, bytes.len, NULL, NULL), RAS_OK);
    faults_everywhere(to_another, &w);
    w.repair = true;
    faults_everywhere(to_another, &w);
    ras_close(w.trace);
    ras_sink_drop(sink);
    assert_int_equal(rmdir(folder), 0);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    char folder[] = "/tmp/rastrum-dial9-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.trc", folder);
    signal(SIGPIPE, SIG_IGN);
    faults_everywhere(to_a_descriptor, path);
    faults_everywhere(to_a_file, path);
    assert_int_equal(rmdir(folder), 0);
}

/* A disk that was full for a while: nothing is lost, nothing is written twice. */
static void a_batch_that_could_not_be_appended_is_kept(void **state)
{
    (void)state;
    char path[] = "/tmp/rastrum-dial9-XXXXXX";
    struct ras_dial9_writer *w;
    struct ras_sink *sink;
    struct ras_error err;
    uint64_t none;
    int fd = mkstemp(path);
    assert_int_equal(ras_sink_fd(&sink, fd, NULL), RAS_OK);
    struct ras_dial9_writer_options large = {.room = 70000};
    assert_int_equal(ras_dial9_writer_open(&w, NULL, &large, NULL), RAS_OK);
    assert_int_equal(put_events(w, NULL, &none, &err), RAS_OK);
    /* Long enough for the sink to write it out at once. */
    static uint8_t text[66000];
    struct ras_dial9_string_entry entry = {99, {memset(text, 'x', sizeof text), sizeof text}};
    assert_int_equal(ras_dial9_writer_strings(w, &entry, 1, &err), RAS_OK);
    size_t size = ras_dial9_writer_bytes(w).len;
    faults_arm(0, 28, FAULT_TORN); /* ENOSPC */
    assert_int_equal(ras_dial9_writer_append(w, sink, &err), RAS_EIO);
    faults_stop();
    assert_true(faults_hit());
    assert_int_equal(ras_dial9_writer_bytes(w).len, size);
    ras_sink_drop(sink);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(ras_sink_fd(&sink, fd, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_append(w, sink, &err), RAS_OK);
    assert_int_equal(ras_dial9_writer_bytes(w).len, RAS_DIAL9_HEADER_SIZE);
    assert_int_equal(ras_dial9_writer_close(w, &err), RAS_OK);
    assert_int_equal(ras_sink_close(sink, &err), RAS_OK);
    close(fd);
    faults_count();
    assert_int_equal(count_events(path), EVENTS);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(every_call_of_a_rewriting_may_fail),
        cmocka_unit_test(a_batch_that_could_not_be_appended_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
