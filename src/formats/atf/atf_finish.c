/* atf_finish.c - finishes the recording of a process that has ended: seals files that it left open,
 * names its functions, records how it ended.
 *
 * The hooks write down every function before its first event, so this works for a process that was
 * killed as well. */
#include "base/error.h"
#include "base/file.h"
#include "base/functions_map.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/struct_size.h"
#include "core/sink.h"
#include "formats/atf/atf_manifest.h"
#include "formats/atf/atf_write.h"

#include <errno.h>
#include <rastrum/atf.h>
#include <rastrum/symbols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names and the exit for a manifest ----------------------------------------------- */

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

/* What a manifest gets beside what it has; NULL: nothing of it. */
struct manifest_change {
    const struct ras_atf_manifest *names; /* modules and symbols for its own */
    const struct atf_source *sources;     /* of the symbols, for its own */
    const struct ras_atf_exit *exit;
    const struct ras_atf_fault *fault; /* function, file and line for that of its crash */
};

static void put_exit(struct json *j, const struct ras_atf_exit *how)
{
    json_object(j, "exit");
    if (how->signal) {
        json_uint(j, "signal", how->signal);
        json_text(j, "name", how->name);
        json_bool(j, "core", how->status);
    } else {
        json_uint(j, "status", how->status);
    }
    json_close(j);
}

static void put_fault(struct json *j, const struct ras_atf_fault *f)
{
    if (f->function)
        atf_manifest_text(j, "function", f->function, strlen(f->function));
    if (f->file) {
        atf_manifest_text(j, "file", f->file, strlen(f->file));
        json_uint(j, "line", f->line);
    }
    if (f->caller)
        atf_manifest_text(j, "caller", f->caller, strlen(f->caller));
    if (f->caller_file) {
        atf_manifest_text(j, "caller_file", f->caller_file, strlen(f->caller_file));
        json_uint(j, "caller_line", f->caller_line);
    }
}

/* Length of a member up to the contents of its object; 0: it is not the recorder's object. */
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

/* The rest of an object that begins with members that were put already. */
static void put_rest(struct json *inside, struct out *out, const uint8_t *at, size_t len)
{
    size_t rest = 0;
    while (rest < len && memchr(" \t\r\n", at[rest], 4))
        rest++;
    if (rest < len && at[rest] == '}')
        out_bytes(out, at, len);
    else
        json_members(inside, at, len);
}

/* The recorder's member from its contents on, with the exit in front and the names of a crash. */
static void put_recorder_rest(const struct atf_manifest *m, const uint8_t *json, size_t at,
                              size_t end, const struct manifest_change *c, struct out *out)
{
    struct out own = {0};
    size_t crash = c->fault && m->crash_at > at && m->crash_at < end ? m->crash_at : 0;
    if (crash) {
        out_bytes(&own, json + at, crash - at);
        struct json members = json_start_inside(&own, RAS_JSON_SPACED, false);
        put_fault(&members, c->fault);
        put_rest(&members, &own, json + crash, end - crash);
    } else {
        out_bytes(&own, json + at, end - at);
    }
    struct json inside = json_start_inside(out, RAS_JSON_SPACED, false);
    if (c->exit) {
        put_exit(&inside, c->exit);
        put_rest(&inside, out, own.at, own.len);
    } else {
        out_bytes(out, own.at, own.len);
    }
    out->failed |= own.failed;
    out_free(&own);
}

static bool is_member(const uint8_t *at, const struct atf_member *m, const char *key)
{
    return m->key_len == strlen(key) + 2 && !memcmp(at + 1, key, strlen(key));
}

/* Unknown members, each as it was; the recorder's also gets the exit. */
static void keep_others(const struct atf_manifest *m, const uint8_t *json,
                        const struct manifest_change *c, struct out *out)
{
    struct json j = atf_members_start(out);
    bool due = c->exit || c->fault;
    for (size_t i = 0; i < m->other_count; i++) {
        const uint8_t *at = json + m->others[i].at;
        size_t len = m->others[i].len, start = due ? recorder_start(at, len) : 0;
        if (c->sources && is_member(at, &m->others[i], "sources"))
            continue;
        atf_member(&j, at, start ? start : len);
        if (start)
            put_recorder_rest(m, json, m->others[i].at + start, m->others[i].at + len, c, out);
        due &= !start;
    }
    if (due && c->exit) {
        atf_member_line(&j);
        json_object(&j, "recorder");
        put_exit(&j, c->exit);
        json_close(&j);
    }
    if (c->sources)
        atf_sources_put(&j, c->sources, c->names->symbol_count);
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

/* Write the manifest again, changed. */
static int change(const char *path, const struct manifest_change *c, struct ras_error *err)
{
    struct out text = {0}, others = {0};
    struct atf_manifest m = {0};
    int status = read_whole(path, &text, err);
    if (status == RAS_OK)
        status = atf_manifest_parse(&m, (struct ras_bytes){text.at, text.len}, MANIFEST_MOST, err);
    if (status == RAS_OK) {
        struct ras_atf_manifest named = m.out;
        if (c->names) {
            named.format_version = "";
            named.modules = c->names->modules;
            named.module_count = c->names->module_count;
            named.symbols = c->names->symbols;
            named.symbol_count = c->names->symbol_count;
        }
        keep_others(&m, text.at, c, &others);
        const struct atf_manifest_more more = {.no_times = !m.out.has_times,
                                               .members = {others.at, others.len}};
        status = others.failed ? fail_memory(err) : write_named(path, &named, &more, err);
        atf_manifest_free(&m);
    }
    out_free(&others);
    out_free(&text);
    return status;
}

int ras_atf_manifest_exit(const char *path, const struct ras_atf_exit *how, struct ras_error *err)
{
    return change(path, &(struct manifest_change){.exit = how}, err);
}

/* ---- a process that has ended -------------------------------------------------------- */

enum { PATH_ROOM = 4400 };

static int path_too_long(const char *dir, struct ras_error *err)
{
    return fail(err, RAS_ELIMIT, RAS_NONE, "the path has %zu bytes, more than %d", strlen(dir),
                PATH_ROOM - 64);
}

struct named {
    struct ras_atf_module *modules;
    size_t module_count, module_room;
    struct ras_atf_symbol *symbols;
    uint64_t *addresses;        /* of the symbols */
    struct atf_source *sources; /* of the symbols */
    size_t symbol_count, symbol_room, address_room, source_room;
};

static void named_free(struct named *n)
{
    for (size_t i = 0; i < n->module_count; i++) {
        free((void *)(uintptr_t)n->modules[i].path);
        free((void *)(uintptr_t)n->modules[i].uuid);
    }
    for (size_t i = 0; i < n->symbol_count; i++)
        free((void *)(uintptr_t)n->symbols[i].name);
    free(n->modules);
    free(n->symbols);
    free(n->addresses);
    free(n->sources);
}

/* 1: taken; 0: another kind of line; or an error. */
static int named_take_module(struct named *n, const char *line, struct ras_error *err)
{
    struct ras_atf_module m = {.has_address = true, .has_size = true};
    char id[80];
    int at = 0;
    if (sscanf(line, MAP_MODULE_GET, &m.module_id, &m.base_address, &m.size, id, &at) != 4 || !at)
        return 0;
    if (!array_grow(&n->modules, &n->module_room, n->module_count + 1, sizeof m))
        return fail_memory(err);
    m.path = text_copy(line + at, strlen(line + at));
    m.uuid = strcmp(id, "-") ? text_copy(id, strlen(id)) : text_copy("", 0);
    n->modules[n->module_count++] = m;
    return m.path && m.uuid ? 1 : fail_memory(err);
}

static int take_function(struct named *n, const char *line, struct ras_error *err)
{
    struct ras_atf_symbol s = {0};
    uint64_t address;
    if (sscanf(line, MAP_FUNCTION_GET, &s.function_id, &address) != 2)
        return 0;
    if (!array_grow(&n->symbols, &n->symbol_room, n->symbol_count + 1, sizeof s) ||
        !array_grow(&n->addresses, &n->address_room, n->symbol_count + 1, sizeof address) ||
        !array_grow(&n->sources, &n->source_room, n->symbol_count + 1, sizeof *n->sources))
        return fail_memory(err);
    n->sources[n->symbol_count] = (struct atf_source){.function_id = s.function_id};
    s.module_id = (uint32_t)(s.function_id >> 32);
    s.symbol_index = (uint32_t)s.function_id;
    n->addresses[n->symbol_count] = address;
    n->symbols[n->symbol_count++] = s;
    return 1;
}

/* A last line that was cut short by a kill is skipped. */
static int read_map(struct named *n, FILE *map, struct ras_error *err)
{
    char line[FUNCTIONS_MAP_LINE];
    int status = 1;
    for (unsigned number = 1; status > 0 && fgets(line, sizeof line, map); number++) {
        size_t len = strlen(line);
        if (!len || line[len - 1] != '\n')
            break;
        line[len - 1] = 0;
        status = line[0] == 'm' ? named_take_module(n, line, err) : take_function(n, line, err);
        if (!status)
            return fail(err, RAS_EFORMAT, RAS_NONE, FUNCTIONS_MAP ": malformed line %u", number);
    }
    return status < 0 ? status : RAS_OK;
}

static const struct ras_atf_module *module_of(const struct named *n, uint32_t id)
{
    for (size_t i = 0; i < n->module_count; i++)
        if (n->modules[i].module_id == id)
            return &n->modules[i];
    return NULL;
}

/* By debug information; else the hooks' name for it; else by its address. */
static int name_all(struct named *n, struct ras_symbols *symbols,
                    const struct ras_atf_session *session, struct ras_error *err)
{
    for (size_t i = 0; i < n->symbol_count; i++) {
        struct ras_atf_symbol *s = &n->symbols[i];
        const struct ras_atf_module *m = module_of(n, s->module_id);
        const struct ras_atf_symbol *known = ras_atf_symbol_of(session, 0, s->function_id);
        bool marks = m && !m->size && !strcmp(m->path, MAP_MARKS);
        const char *name = marks ? map_mark_name(n->addresses[i])
                           : m   ? ras_symbols_find(symbols, m->path, m->uuid, n->addresses[i])
                                 : NULL;
        char address[32];
        snprintf(address, sizeof address, "0x%" PRIx64, n->addresses[i]);
        if (!name && known)
            name = ras_symbols_demangle(symbols, known->name);
        name = name ? name : address;
        s->name = text_copy(name, strlen(name));
        if (!s->name)
            return fail_memory(err);
        s->name_len = (uint32_t)strlen(name);
        if (m && !marks)
            n->sources[i].file =
                ras_symbols_source(symbols, m->path, m->uuid, n->addresses[i], &n->sources[i].line);
    }
    return RAS_OK;
}

/* The function of an instruction, of any module that is known. The name is to be freed. */
static void name_place(const struct named *n, struct ras_symbols *symbols, uint64_t pc,
                       const char **function, const char **file, uint32_t *line)
{
    for (size_t i = 0; pc && i < n->module_count; i++) {
        const struct ras_atf_module *m = &n->modules[i];
        uint64_t first = RAS_NONE;
        if (pc >= m->base_address && pc - m->base_address < m->size)
            first = ras_symbols_first(symbols, m->path);
        if (first == RAS_NONE)
            continue;
        uint64_t address = pc - m->base_address + first;
        const char *name = ras_symbols_find(symbols, m->path, m->uuid, address);
        *function = name ? text_copy(name, strlen(name)) : NULL;
        *file = ras_symbols_source(symbols, m->path, m->uuid, address, line);
        return;
    }
}

static const char *name_of(const struct named *n, uint64_t function_id)
{
    for (size_t i = 0; i < n->symbol_count; i++)
        if (n->symbols[i].function_id == function_id)
            return n->symbols[i].name;
    return NULL;
}

/* The caller is known where the innermost open call is the function that faulted, and not one that
 * is not recorded. */
static struct ras_atf_fault name_fault(const struct named *n, struct ras_symbols *symbols,
                                       const struct ras_atf_fault *fault)
{
    struct ras_atf_fault f = {0};
    const char *innermost = name_of(n, fault->function_id);
    name_place(n, symbols, fault->pc, &f.function, &f.file, &f.line);
    if (f.function && innermost && fault->returns && !strcmp(f.function, innermost))
        name_place(n, symbols, fault->returns - 1, &f.caller, &f.caller_file, &f.caller_line);
    return f;
}

static int name_functions(const char *dir, struct ras_trace *trace, struct ras_symbols *symbols,
                          struct ras_error *err)
{
    char path[PATH_ROOM], manifest[PATH_ROOM];
    struct named named = {0};
    snprintf(path, sizeof path, "%s/" FUNCTIONS_MAP, dir);
    snprintf(manifest, sizeof manifest, "%s/manifest.json", dir);
    FILE *map = fopen(path, "re");
    if (!map)
        return errno == ENOENT ? RAS_OK : fail_os(err, FUNCTIONS_MAP);
    int status = read_map(&named, map, err);
    fclose(map);
    if (status == RAS_OK)
        status = name_all(&named, symbols, ras_atf_session(trace), err);
    if (status == RAS_OK) {
        const struct ras_atf_manifest names = {.modules = named.modules,
                                               .module_count = named.module_count,
                                               .symbols = named.symbols,
                                               .symbol_count = named.symbol_count};
        const struct ras_atf_fault fault =
            name_fault(&named, symbols, ras_atf_fault(ras_atf_session(trace), 0));
        status =
            change(manifest,
                   &(struct manifest_change){.names = &names,
                                             .sources = named.sources,
                                             .fault = fault.function || fault.file ? &fault : NULL},
                   err);
        free((void *)(uintptr_t)fault.function);
        free((void *)(uintptr_t)fault.caller);
    }
    if (status == RAS_OK)
        os_remove(path); /* the manifest has all of it now */
    named_free(&named);
    return status;
}

/* ---- sealing ------------------------------------------------------------------------------ */

static bool has_counts(const char *dir)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/" ATF_COUNTS_NAME, dir);
    int fd = os_open(path, OS_READ);
    if (fd >= 0)
        os_close(fd);
    return fd >= 0;
}

/* Whether its threads have footers and there is a manifest that counts everything it can. */
static bool is_sealed(struct ras_trace *trace, const char *dir)
{
    struct ras_atf_session *session = ras_atf_session(trace);
    struct ras_atf_thread t;
    const struct ras_atf_manifest *m = ras_atf_manifest(session, 0);
    /* Else the latest counts are in the files beside it. */
    bool sealed = m->present && !(m->unfinished && has_counts(dir));
    for (size_t i = 0; sealed && i < ras_atf_thread_count(session); i++)
        sealed = ras_atf_thread_at(session, i, &t, NULL) == RAS_OK && t.has_index &&
                 t.index.footer_at != RAS_NONE && t.index.header.event_count == t.index.count;
    return sealed;
}

/* The undo plan of the repair is of no use: there was nothing before. */
static int seal(struct ras_trace **trace, const char *dir, struct ras_atf_finished *out,
                struct ras_error *err)
{
    char backup[PATH_ROOM];
    struct ras_repair *repair;
    snprintf(backup, sizeof backup, "%s.undo.json", dir);
    const struct ras_repair_options how = {.in_place = dir, .backup = backup};
    int status = ras_repair(&repair, *trace, &how, err);
    if (status < 0)
        return status;
    out->repaired = repair->plan.patch_count != 0;
    ras_repair_free(repair);
    os_remove(backup);
    ras_close(*trace);
    return ras_open(trace, dir, NULL, err);
}

/* ---- the result --------------------------------------------------------------------------- */

static void count_drops(struct ras_atf_finished *out, const struct ras_atf_manifest *m)
{
    for (size_t i = 0; i < m->drop_count; i++) {
        const struct ras_atf_drop *d = &m->drops[i];
        out->dropped += d->events;
        if (!strcmp(d->reason, "outside_window") || !strcmp(d->reason, "too_short") ||
            !strcmp(d->reason, "deleted"))
            out->left_out += d->events;
    }
}

static void count(struct ras_atf_finished *out, struct ras_trace *trace)
{
    struct ras_atf_session *session = ras_atf_session(trace);
    struct ras_atf_thread thread;
    for (size_t i = 0; i < ras_atf_thread_count(session); i++)
        if (ras_atf_thread_at(session, i, &thread, NULL) == RAS_OK && thread.has_index) {
            out->threads++;
            out->events += thread.index.count;
        }
    const struct ras_atf_manifest *m = ras_atf_manifest(session, 0);
    count_drops(out, m);
    out->unfinished = m->unfinished;
    out->lacks_ns = m->window_lacks_ns;
}

/* The facts about a signal, now that its functions have names. */
static void note_end(struct ras_atf_finished *out, const char *dir)
{
    struct ras_trace *trace;
    size_t count = 0;
    if (ras_open(&trace, dir, NULL, NULL) < 0)
        return;
    const struct ras_fact *facts = ras_facts(trace, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(facts[i].key, "ended_by"))
            snprintf(out->ended_by, sizeof out->ended_by, "%.*s", (int)facts[i].value.count,
                     (const char *)facts[i].value.at);
    ras_close(trace);
}

/* Events of threads that had no lane, as where the disk was full before they began. With `drops`
 * also what the manifest counts as dropped: no thread is there that does. */
static void count_strays(struct ras_atf_finished *out, const char *manifest, bool drops)
{
    struct out text = {0};
    struct atf_manifest m = {0};
    if (read_whole(manifest, &text, NULL) == RAS_OK &&
        atf_manifest_parse(&m, (struct ras_bytes){text.at, text.len}, MANIFEST_MOST, NULL) ==
            RAS_OK) {
        out->dropped += drops ? 0 : m.strays;
        if (drops)
            count_drops(out, &m.out);
        atf_manifest_free(&m);
    }
    out_free(&text);
}

/* A thread has a directory as soon as it has an event. */
static bool had_threads(const char *dir)
{
    struct os_folder *folder = os_folder_open(dir);
    bool found = false;
    for (const char *name; folder && !found && (name = os_folder_next(folder));)
        found = !strncmp(name, "thread_", 7);
    os_folder_close(folder);
    return found;
}

static int finish_process(const char *dir, const struct ras_atf_finish_options *o,
                          struct ras_symbols *symbols, struct ras_atf_finished *out,
                          struct ras_error *err)
{
    char manifest[PATH_ROOM];
    struct ras_trace *trace;
    snprintf(manifest, sizeof manifest, "%s/manifest.json", dir);
    count_strays(out, manifest, false);
    int status = ras_open(&trace, dir, NULL, err);
    if (status < 0 && had_threads(dir))
        return RAS_EFORMAT;
    if (status < 0) {
        count_strays(out, manifest, true);
        return out->dropped ? RAS_OK : RAS_END;
    }
    if (!is_sealed(trace, dir))
        status = seal(&trace, dir, out, err);
    if (status == RAS_OK)
        status = name_functions(dir, trace, symbols, err);
    if (status == RAS_OK && o->exit.known)
        status = ras_atf_manifest_exit(manifest, &o->exit, err);
    if (!trace)
        return status;
    count(out, trace);
    const struct ras_atf_manifest *m = ras_atf_manifest(ras_atf_session(trace), 0);
    bool ended = m->crash.signal || m->killed || (o->exit.known && o->exit.signal);
    ras_close(trace);
    if (ended)
        note_end(out, dir);
    return status;
}

int ras_atf_finish(struct ras_atf_finished *out, const char *dir,
                   const struct ras_atf_finish_options *options, struct ras_error *err)
{
    struct ras_atf_finish_options own;
    struct ras_symbols *symbols = NULL;
    *out = (struct ras_atf_finished){0};
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    if (strlen(dir) > PATH_ROOM - 64)
        return path_too_long(dir, err);
    int status = options->symbols ? RAS_OK : ras_symbols_open(&symbols, err);
    if (status == RAS_OK)
        status =
            finish_process(dir, options, options->symbols ? options->symbols : symbols, out, err);
    ras_symbols_close(symbols);
    return status;
}
