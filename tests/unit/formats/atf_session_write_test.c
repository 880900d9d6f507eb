/* atf_session_write_test.c - sessions as written: folders, manifests, faults. */
#include "faults.h"
#include <rastrum/atf.h>

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

enum { THREADS = 3, EVENTS = 40 };

static const struct ras_atf_module modules[] = {
    {.module_id = 42,
     .path = "/usr/bin/demo \"x\"\xff",
     .uuid = "00000000-0000-0000-0000-00000000002A",
     .has_address = true,
     .base_address = 0x400000,
     .has_size = true,
     .size = UINT64_MAX},
    {.module_id = UINT32_MAX, .path = "", .uuid = ""},
};
static const struct ras_atf_symbol symbols[] = {
    {.function_id = UINT64_C(0x2a00000001),
     .module_id = 42,
     .symbol_index = 1,
     .name = "main",
     .name_len = 4},
    {.function_id = UINT64_C(0x2a00000002),
     .module_id = 42,
     .symbol_index = 2,
     .name = "weird\"name\\{}",
     .name_len = 13},
};
static const struct ras_atf_anchor anchors[] = {{1000, -0.1}, {UINT64_MAX, 1e300}};
static const struct ras_atf_drop drops[] = {{5, UINT64_MAX, "ring_full"}, {0, 1, "disk \"slow\""}};
static const struct ras_atf_manifest names = {.format_version = "",
                                              .modules = modules,
                                              .module_count = 2,
                                              .symbols = symbols,
                                              .symbol_count = 2,
                                              .anchors = anchors,
                                              .anchor_count = 2,
                                              .drops = drops,
                                              .drop_count = 2};

/* Calls and returns in turn, one per thread and step; a tenth with a payload. */
static int put_event(struct ras_atf_writer *w, unsigned thread, unsigned i, struct ras_error *err)
{
    uint8_t bytes[128];
    struct ras_atf_payload payload = {
        .form = RAS_ATF_SPEC, .function_id = symbols[i / 2 % 2].function_id, .stack = {bytes, 9}};
    struct ras_atf_index_event e = {.timestamp_ns = 500 + 10 * i + thread,
                                    .function_id = payload.function_id,
                                    .thread_id = 5 * thread,
                                    .event_kind = i % 2 ? RAS_ATF_RETURN : RAS_ATF_CALL,
                                    .call_depth = 1};
    struct ras_atf_detail_event d = {0};
    uint8_t stack[9] = {(uint8_t)i};
    payload.stack = (struct ras_bytes){stack, sizeof stack};
    assert_true(ras_atf_payload_put(&payload, bytes, sizeof bytes, &d.payload.len));
    d.payload.at = bytes;
    return ras_atf_writer_event(w, &e, thread < 2 && i % 10 == 0 ? &d : NULL, err);
}

static int write_session(struct ras_folder *folder, const char *dir, struct ras_error *err)
{
    struct ras_atf_session_options options = {.dir = dir};
    struct ras_atf_session_writer *s;
    struct ras_atf_writer *w[THREADS];
    int status = ras_atf_session_writer_open(&s, folder, &options, err);
    for (unsigned t = 0; status == RAS_OK && t < THREADS; t++)
        status = ras_atf_session_writer_thread(s, 5 * t, &w[t], err);
    for (unsigned i = 0; status == RAS_OK && i < EVENTS * THREADS; i++)
        status = put_event(w[i % THREADS], i % THREADS, i / THREADS, err);
    if (status == RAS_OK)
        status = ras_atf_session_writer_end(s, 5, err);
    if (status == RAS_OK)
        status = ras_atf_session_writer_finalize(s, &names, err);
    int closed = ras_atf_session_writer_close(s, status == RAS_OK ? err : NULL);
    return status == RAS_OK ? closed : status;
}

static void check_session(struct ras_trace *trace)
{
    struct ras_verify_options strictly = {.strict = true, .deep = true};
    struct ras_report *report;
    assert_int_equal(ras_verify(&report, trace, &strictly, NULL), RAS_OK);
    for (size_t i = 0; i < report->finding_count; i++)
        fail_msg("%s: %s", report->findings[i].rule->id, report->findings[i].text);
    ras_report_free(report);
    struct ras_atf_session *s = ras_atf_session(trace);
    assert_int_equal(ras_atf_thread_count(s), THREADS);
    for (unsigned t = 0; t < THREADS; t++) {
        struct ras_atf_thread thread;
        assert_int_equal(ras_atf_thread_at(s, t, &thread, NULL), RAS_OK);
        assert_int_equal(thread.thread_id, 5 * t);
        assert_int_equal(thread.index.count, EVENTS);
        assert_int_equal(thread.has_detail, t < 2);
    }
}

static void check_manifest(const struct ras_atf_manifest *m)
{
    assert_string_equal(m->format_version, "2.1");
    assert_int_equal(m->time_start_ns, 500);
    assert_int_equal(m->time_end_ns, 500 + 10 * (EVENTS - 1) + THREADS - 1);
    assert_int_equal(m->clock_type, RAS_ATF_BOOTTIME);
    assert_int_equal(m->thread_count, THREADS);
    assert_int_equal(m->threads[2].id, 10);
    assert_false(m->threads[2].has_detail);
    assert_true(m->threads[1].has_detail);
    assert_int_equal(m->module_count, 2);
    assert_string_equal(m->modules[0].path, "/usr/bin/demo \"x\"\xef\xbf\xbd"); /* not text */
    assert_string_equal(m->modules[0].uuid, modules[0].uuid);
    assert_int_equal(m->modules[0].base_address, modules[0].base_address);
    assert_int_equal(m->modules[0].size, modules[0].size);
    assert_false(m->modules[1].has_address || m->modules[1].has_size);
    assert_int_equal(m->symbol_count, 2);
    assert_int_equal(m->symbols[1].function_id, symbols[1].function_id);
    assert_string_equal(m->symbols[1].name, symbols[1].name);
    assert_int_equal(m->anchor_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(m->anchors[i].host_time_ns, anchors[i].host_time_ns);
        assert_true(m->anchors[i].media_seconds == anchors[i].media_seconds);
        assert_int_equal(m->drops[i].thread_id, drops[i].thread_id);
        assert_int_equal(m->drops[i].events, drops[i].events);
        assert_string_equal(m->drops[i].reason, drops[i].reason);
    }
}

/* ---- in memory -------------------------------------------------------------------- */

static void a_session_holds_to_every_rule(void **state)
{
    (void)state;
    static const char *const dirs[] = {NULL, "pid_7", "session_20250101_000000/pid_1"};
    for (unsigned i = 0; i < 3; i++) {
        struct ras_folder *folder;
        struct ras_trace *trace;
        struct ras_error err;
        size_t count;
        assert_int_equal(ras_folder_memory(&folder, &err), RAS_OK);
        assert_int_equal(write_session(folder, dirs[i], &err), RAS_OK);
        const struct ras_part *parts = ras_folder_parts(folder, &count);
        assert_int_equal(count, 3 + 2 + 1);
        assert_int_equal(ras_open_parts(&trace, parts, count, NULL, &err), RAS_OK);
        check_session(trace);
        check_manifest(ras_atf_manifest(ras_atf_session(trace), 0));
        ras_close(trace);
        assert_int_equal(ras_folder_close(folder, &err), RAS_OK);
    }
}

static void misuse_is_refused(void **state)
{
    (void)state;
    struct ras_folder *folder;
    struct ras_atf_session_writer *s;
    struct ras_atf_writer *w, *other;
    struct ras_error err;
    assert_int_equal(ras_folder_memory(&folder, &err), RAS_OK);
    assert_int_equal(ras_atf_session_writer_open(&s, folder, NULL, &err), RAS_OK);
    assert_int_equal(ras_atf_session_writer_thread(s, 1, &w, &err), RAS_OK);
    assert_int_equal(ras_atf_session_writer_thread(s, 1, &other, &err), RAS_EUSAGE);
    assert_null(other);
    assert_int_equal(ras_atf_session_writer_end(s, 2, &err), RAS_EUSAGE);
    assert_int_equal(put_event(w, 1, 0, &err), RAS_OK);
    assert_int_equal(ras_atf_session_writer_end(s, 1, &err), RAS_OK);
    assert_int_equal(ras_atf_session_writer_end(s, 1, &err), RAS_EUSAGE);
    assert_int_equal(put_event(w, 1, 0, &err), RAS_EUSAGE);
    struct ras_atf_anchor nowhere = {0, (double)INFINITY};
    struct ras_atf_manifest bad = {.anchors = &nowhere, .anchor_count = 1};
    assert_int_equal(ras_atf_session_writer_finalize(s, &bad, &err), RAS_EUSAGE);
    assert_int_equal(ras_atf_session_writer_finalize(s, NULL, &err), RAS_OK);
    assert_int_equal(ras_atf_session_writer_finalize(s, NULL, &err), RAS_EUSAGE);
    assert_int_equal(ras_atf_session_writer_thread(s, 3, &w, &err), RAS_EUSAGE);
    assert_int_equal(ras_atf_session_writer_close(s, &err), RAS_OK);
    assert_int_equal(ras_atf_session_writer_close(NULL, &err), RAS_OK);
    ras_folder_drop(folder);
}

/* ---- on disk ------------------------------------------------------------------------ */

static unsigned entries(const char *path)
{
    DIR *dir = opendir(path);
    unsigned count = 0;
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 2;
}

static void remove_session(const char *path)
{
    static const char *const files[] = {"manifest.json",
                                        "thread_0/index.atf",
                                        "thread_0/detail.atf",
                                        "thread_5/index.atf",
                                        "thread_5/detail.atf",
                                        "thread_10/index.atf",
                                        "thread_0",
                                        "thread_5",
                                        "thread_10",
                                        "."};
    char name[256];
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(name, sizeof name, "%s/%s", path, files[i]);
        remove(name);
    }
    rmdir(path);
}

/* All of it under its name, or nothing at all. */
static void to_a_folder(void *user)
{
    const char *path = user;
    char above[64];
    struct ras_folder *folder;
    struct ras_trace *trace;
    struct ras_error err;
    int status = ras_folder_open(&folder, path, false, &err);
    if (status == RAS_OK) {
        status = write_session(folder, NULL, &err);
        if (status == RAS_OK)
            status = ras_folder_close(folder, &err);
        else
            ras_folder_drop(folder);
    }
    faults_stop();
    assert_true(faults_hit() || status == RAS_OK);
    snprintf(above, sizeof above, "%.*s", (int)(strrchr(path, '/') - path), path);
    assert_int_equal(entries(above), status == RAS_OK ? 1 : 0);
    if (status < 0) {
        assert_int_equal(err.status, RAS_EIO);
        return;
    }
    assert_int_equal(ras_open(&trace, path, NULL, &err), RAS_OK);
    check_session(trace);
    ras_close(trace);
    remove_session(path);
}

/* Live: whatever happens, what is there can be opened once a header is there. */
static void to_a_live_folder(void *user)
{
    const char *path = user;
    struct ras_folder *folder;
    struct ras_trace *trace;
    struct ras_error err;
    int status = ras_folder_live(&folder, path, &err);
    if (status == RAS_OK) {
        status = write_session(folder, NULL, &err);
        if (status == RAS_OK)
            status = ras_folder_close(folder, &err);
        else
            ras_folder_drop(folder);
    }
    faults_stop();
    assert_true(faults_hit() || status == RAS_OK);
    if (status == RAS_OK) {
        assert_int_equal(ras_open(&trace, path, NULL, &err), RAS_OK);
        check_session(trace);
        ras_close(trace);
    }
    remove_session(path);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    char folder[] = "/tmp/rastrum-atf-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/session", folder);
    signal(SIGPIPE, SIG_IGN);
    faults_everywhere(to_a_folder, path);
    faults_everywhere(to_a_live_folder, path);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_holds_to_every_rule),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(every_call_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
