/* atf_name.c - other modules and symbols for a manifest, or how its process ended; all else as it
 * is. */
#include "base/error.h"
#include "base/file.h"
#include "base/os.h"
#include "core/sink.h"
#include "formats/atf/atf_manifest.h"
#include "formats/atf/atf_write.h"

#include <stdlib.h>

#define MANIFEST_MOST ((uint64_t)1 << 30)

static int read_whole(const char *path, struct out *out, struct ras_error *err)
{
    struct os_about about;
    int fd = os_open(path, OS_READ);
    if (fd < 0)
        return fail_os(err, path);
    int status = os_about_fd(fd, &about) < 0 ? fail_os(err, path) : RAS_OK;
    if (status == RAS_OK && about.size > MANIFEST_MOST)
        status = fail(err, RAS_ELIMIT, 0, "a manifest of %" PRIu64 " bytes", about.size);
    uint8_t *at = status == RAS_OK ? out_room(out, (size_t)about.size + 1) : NULL;
    if (status == RAS_OK && !at)
        status = fail_memory(err);
    if (status == RAS_OK) {
        int64_t got = file_read_at(fd, at, (size_t)about.size, 0, err);
        status = got < 0 ? (int)got : RAS_OK;
        out->len = got < 0 ? 0 : (size_t)got;
    }
    os_close(fd);
    return status;
}

static void put_exit(struct json *j, const struct ras_atf_exit *how)
{
    json_object(j, "exit");
    if (how->signal) {
        json_uint(j, "signal", how->signal);
        json_text(j, "name", how->name);
    } else {
        json_uint(j, "status", how->status);
    }
    json_close(j);
}

/* How much of a member is before what its object holds; 0: it is not the recorder's object. */
static size_t recorder_start(const uint8_t *at, size_t len)
{
    static const char key[] = "\"recorder\"";
    size_t i = sizeof key - 1;
    if (len < i || memcmp(at, key, i) != 0)
        return 0;
    while (i < len && at[i] != '{')
        i++;
    return i < len ? i + 1 : 0;
}

/* Members that are not known here, each as it was; the recorder's also says how it ended. */
static void keep_others(const struct atf_manifest *m, const uint8_t *json,
                        const struct ras_atf_exit *how, struct out *out)
{
    struct json j = atf_members_start(out);
    bool due = how;
    for (size_t i = 0; i < m->other_count; i++) {
        const uint8_t *at = json + m->others[i].at;
        size_t len = m->others[i].len, start = due ? recorder_start(at, len) : 0;
        atf_member(&j, at, start ? start : len);
        if (!start)
            continue;
        struct json inside = json_start_inside(out, RAS_JSON_SPACED, false);
        put_exit(&inside, how);
        size_t rest = start;
        while (rest < len && memchr(" \t\r\n", at[rest], 4))
            rest++;
        if (rest < len && at[rest] == '}')
            out_bytes(out, at + start, len - start);
        else
            json_members(&inside, at + start, len - start);
        due = false;
    }
    if (due) {
        atf_member_line(&j);
        json_object(&j, "recorder");
        put_exit(&j, how);
        json_close(&j);
    }
}

static int write_named(const char *path, const struct ras_atf_manifest *named,
                       const struct atf_manifest_more *more, struct ras_error *err)
{
    struct ras_sink *sink;
    int status = sink_file(&sink, path, true, 0666, err);
    if (status < 0)
        return status;
    status = atf_manifest_write(named, more, sink, err);
    if (status == RAS_OK)
        return ras_sink_close(sink, err);
    ras_sink_drop(sink);
    return status;
}

/* Write it anew, with other names or with how the process ended. */
static int change(const char *path, const struct ras_atf_manifest *names,
                  const struct ras_atf_exit *how, struct ras_error *err)
{
    struct out text = {0}, others = {0};
    struct atf_manifest m = {0};
    int status = read_whole(path, &text, err);
    if (status == RAS_OK)
        status = atf_manifest_parse(&m, (struct ras_bytes){text.at, text.len}, MANIFEST_MOST, err);
    if (status == RAS_OK) {
        struct ras_atf_manifest named = m.out;
        if (names) {
            named.format_version = "";
            named.modules = names->modules;
            named.module_count = names->module_count;
            named.symbols = names->symbols;
            named.symbol_count = names->symbol_count;
        }
        keep_others(&m, text.at, how, &others);
        const struct atf_manifest_more more = {.no_times = !m.out.has_times,
                                               .members = {others.at, others.len}};
        status = others.failed ? fail_memory(err) : write_named(path, &named, &more, err);
        atf_manifest_free(&m);
    }
    out_free(&others);
    out_free(&text);
    return status;
}

int ras_atf_manifest_name(const char *path, const struct ras_atf_module *modules,
                          size_t module_count, const struct ras_atf_symbol *symbols,
                          size_t symbol_count, struct ras_error *err)
{
    const struct ras_atf_manifest names = {.modules = modules,
                                           .module_count = module_count,
                                           .symbols = symbols,
                                           .symbol_count = symbol_count};
    return change(path, &names, NULL, err);
}

int ras_atf_manifest_exit(const char *path, const struct ras_atf_exit *how, struct ras_error *err)
{
    return change(path, NULL, how, err);
}
