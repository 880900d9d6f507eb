/* atf_session.c - finds the threads below a directory and opens their files. */
#include "formats/atf/atf_session.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "codec/fnv1a.h"

#include <stdlib.h>
#include <string.h>

/* ---- names -------------------------------------------------------------- */

static size_t dir_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "thread_12" is 12; other names are not numbers. */
static bool thread_number(const char *dir, uint32_t *number)
{
    const char *name = last_component(dir);
    if (strncmp(name, "thread_", 7) != 0 || !name[7] || strlen(name) > 17)
        return false;
    uint64_t n = 0;
    for (const char *p = name + 7; *p; p++) {
        if (*p < '0' || *p > '9')
            return false;
        n = n * 10 + (uint64_t)(*p - '0');
    }
    *number = (uint32_t)n;
    return n <= UINT32_MAX;
}

/* ---- finding ------------------------------------------------------------ */

/* The key of a directory, and its process: the first key from its hash on that is free or its
 * own. */
static struct atf_process *process_by(struct ras_atf_session *s, const char *dir, size_t len,
                                      uint64_t *key)
{
    uint32_t i;
    *key = fnv1a_bytes(FNV1A_START, dir, len);
    while ((i = id_table_find(&s->by_dir, *key)) != ID_TABLE_NONE) {
        if (s->processes[i].dir_len == len && !memcmp(s->processes[i].dir, dir, len))
            return &s->processes[i];
        ++*key;
    }
    return NULL;
}

static struct atf_process *process_at(struct ras_atf_session *s, const char *dir, size_t len)
{
    uint64_t key;
    return process_by(s, dir, len, &key);
}

static struct atf_process *process_for(struct ras_atf_session *s, const char *dir, size_t len)
{
    uint64_t key;
    struct atf_process *p = process_by(s, dir, len, &key);
    if (p)
        return p;
    char *copy = text_copy(dir, len);
    if (!copy ||
        !array_grow(&s->processes, &s->process_room, s->process_count + 1, sizeof *s->processes) ||
        !id_table_add(&s->by_dir, key, (uint32_t)s->process_count)) {
        free(copy);
        return NULL;
    }
    p = &s->processes[s->process_count++];
    *p = (struct atf_process){
        .dir = copy, .dir_len = len, .name = last_component(copy), .manifest_part = -1};
    return p;
}

static bool is_at(const struct atf_thread *t, const char *dir, size_t len)
{
    return t->dir_len == len && !memcmp(t->dir, dir, len);
}

/* Two directories may share a hash: then all are searched. */
static struct atf_thread *thread_at(struct ras_atf_session *s, const struct id_table *dirs,
                                    const char *dir, size_t len)
{
    uint32_t found = id_table_find(dirs, fnv1a_bytes(FNV1A_START, dir, len));
    if (found == ID_TABLE_NONE)
        return NULL;
    if (is_at(&s->threads[found], dir, len))
        return &s->threads[found];
    for (size_t i = 0; i < s->thread_count; i++)
        if (is_at(&s->threads[i], dir, len))
            return &s->threads[i];
    return NULL;
}

static bool know_thread(const struct ras_atf_session *s, struct id_table *dirs, size_t i)
{
    const struct atf_thread *t = &s->threads[i];
    uint64_t hash = fnv1a_bytes(FNV1A_START, t->dir, t->dir_len);
    return id_table_find(dirs, hash) != ID_TABLE_NONE || id_table_add(dirs, hash, (uint32_t)i);
}

static struct atf_thread *thread_for(struct ras_atf_session *s, struct id_table *dirs,
                                     const char *dir, size_t len)
{
    struct atf_thread *known = thread_at(s, dirs, dir, len);
    if (known)
        return known;
    char *copy = text_copy(dir, len);
    struct atf_process *p = copy ? process_for(s, copy, dir_length(copy)) : NULL;
    if (!p || !array_grow(&s->threads, &s->thread_room, s->thread_count + 1, sizeof *s->threads)) {
        free(copy);
        return NULL;
    }
    struct atf_thread *t = &s->threads[s->thread_count++];
    *t = (struct atf_thread){.dir = copy,
                             .dir_len = len,
                             .process = (size_t)(p - s->processes),
                             .index_file.part = -1,
                             .detail_file.part = -1,
                             .ring_part = -1,
                             .times.back = RAS_NONE};
    t->numbered = thread_number(copy, &t->thread_id);
    return know_thread(s, dirs, s->thread_count - 1) ? t : NULL;
}

/* The magic of a lone file says which of the two it is. */
static bool is_detail(const struct ras_atf_session *s, size_t part)
{
    if (!source_is_dir(s->source))
        return atf_magic_at(source_bytes(s->source, part), 0, ATF_DETAIL_MAGIC);
    return !strcmp(last_component(source_name(s->source, part)), "detail.atf");
}

/* The lane of a known thread: its index precedes it. */
static void note_ring(struct ras_atf_session *s, const struct id_table *dirs, size_t part)
{
    const char *name = source_name(s->source, part);
    struct atf_thread *t = thread_at(s, dirs, name, dir_length(name));
    s->has_rings = true;
    if (t)
        t->ring_part = (int64_t)part;
}

static int find_in(struct ras_atf_session *s, struct id_table *dirs, size_t from,
                   struct ras_error *err)
{
    for (size_t i = from; i < source_count(s->source); i++) {
        const char *name = source_name(s->source, i);
        bool detail = is_detail(s, i);
        if (source_is_dir(s->source) && !strcmp(last_component(name), ATF_RING_NAME))
            note_ring(s, dirs, i);
        if (source_is_dir(s->source) && !detail && strcmp(last_component(name), "index.atf") != 0)
            continue;
        struct atf_thread *t = thread_for(s, dirs, name, dir_length(name));
        if (!t)
            return fail_memory(err);
        (detail ? &t->detail_file : &t->index_file)->part = (int64_t)i;
    }
    return RAS_OK;
}

/* Sort the parts from `from` on into threads, of which there may be very many. */
static int find_threads(struct ras_atf_session *s, size_t from, struct ras_error *err)
{
    struct id_table dirs = {0};
    bool known = true;
    for (size_t i = 0; known && i < s->thread_count; i++)
        known = know_thread(s, &dirs, i);
    int status = known ? find_in(s, &dirs, from, err) : fail_memory(err);
    id_table_free(&dirs);
    return status;
}

static void read_manifest(struct ras_atf_session *s, struct atf_process *p, size_t part)
{
    source_by_name(s->source, part); /* it is being written, and is renamed when it is complete */
    p->manifest_part = (int64_t)part;
    p->manifest_edition = source_edition(s->source, part);
    p->manifest_status = source_load(s->source, part, &p->manifest_error);
    if (p->manifest_status == RAS_OK)
        p->manifest_status = atf_manifest_parse(&p->manifest, source_bytes(s->source, part),
                                                s->limits.pool_bytes, &p->manifest_error);
    s->nomem |= p->manifest_status == RAS_EMEMORY;
}

/* Read the manifests beside thread folders. Other files, such as the recordings and the manifest
 * of a capture bundle, are ignored. */
static void find_manifests(struct ras_atf_session *s, size_t from)
{
    for (size_t i = from; source_is_dir(s->source) && i < source_count(s->source); i++) {
        const char *name = source_name(s->source, i), *file = last_component(name);
        if (!strcmp(file, "index.atf") || !strcmp(file, "detail.atf"))
            continue;
        struct atf_process *p = process_at(s, name, dir_length(name));
        if (p && p->manifest_part < 0 && !strcmp(file, "manifest.json"))
            read_manifest(s, p, i);
        else if (p && !strcmp(file, ATF_EVENTS_NAME))
            source_carry(s->source, i);
        else
            source_leave_out(s->source, i);
    }
}

/* ---- files -------------------------------------------------------------- */

/* Load the part. True: it must be parsed again. */
static bool load_thread_file(struct ras_atf_session *s, struct atf_thread_file *file)
{
    if (file->part < 0)
        return false;
    uint64_t generation = *source_generation(s->source);
    if (file->loaded && file->generation == generation)
        return false;
    file->loaded = true;
    file->generation = generation;
    file->status = source_load(s->source, (size_t)file->part, &file->error);
    s->nomem |= file->status == RAS_EMEMORY;
    return file->status == RAS_OK;
}

/* Of an index that is compressed by frames: its header, and where its footer may be. What is
 * damaged ends the bytes. */
static void need_ends(struct ras_atf_session *s, size_t part, struct ras_bytes *bytes)
{
    struct ras_atf_index_header h;
    for (int again = 0; again < 2; again++) {
        uint64_t size = source_length(s->source, part);
        uint64_t tail = size > RAS_ATF_FOOTER_SIZE ? size - RAS_ATF_FOOTER_SIZE : 0;
        (void)!source_need(s->source, part, 0, RAS_ATF_HEADER_SIZE, NULL, NULL);
        (void)!source_need(s->source, part, tail, size, NULL, NULL);
        *bytes = source_arrived(s->source, part);
        if (ras_atf_index_header_get(*bytes, &h) && h.footer_offset < tail)
            (void)!source_need(s->source, part, h.footer_offset,
                               h.footer_offset + RAS_ATF_FOOTER_SIZE, NULL, NULL);
        *bytes = source_arrived(s->source, part);
        if (bytes->len == size)
            return;
    }
}

bool atf_index_ready(struct ras_atf_session *s, struct atf_thread *t)
{
    struct ras_bytes bytes;
    struct atf_thread_file *file = &t->index_file;
    if (load_thread_file(s, file)) {
        if (source_is_framed(s->source, (size_t)file->part))
            need_ends(s, (size_t)file->part, &bytes);
        else
            bytes = source_bytes(s->source, (size_t)file->part);
        file->generation = *source_generation(s->source);
        file->status = ras_atf_index_open(&t->index, bytes, &file->error);
    }
    return file->part >= 0 && file->status == RAS_OK;
}

/* ---- events of an index -------------------------------------------------- */

enum { EVENTS_WINDOW = 1 << 15 }; /* 1 MiB */

static const uint8_t *events_at(struct ras_atf_session *s, struct atf_thread *t)
{
    if (t->index_file.generation != *source_generation(s->source) && !atf_index_ready(s, t))
        t->index.count = 0;
    return source_arrived(s->source, (size_t)t->index_file.part).at + t->index.at;
}

const uint8_t *atf_events(struct ras_atf_session *s, struct atf_thread *t)
{
    (void)source_bytes(s->source, (size_t)t->index_file.part);
    return events_at(s, t);
}

uint64_t atf_window(const struct ras_atf_session *s, const struct atf_thread *t, uint64_t from,
                    uint64_t to)
{
    bool framed = source_is_framed(s->source, (size_t)t->index_file.part);
    return framed && to > from && to - from > EVENTS_WINDOW ? from + EVENTS_WINDOW : to;
}

const uint8_t *atf_some_events(struct ras_atf_session *s, struct atf_thread *t, uint64_t from,
                               uint64_t to, struct source_pin *pin)
{
    uint64_t at = t->index.at, size = RAS_ATF_INDEX_EVENT_SIZE;
    int status = source_need(s->source, (size_t)t->index_file.part, at + from * size,
                             at + to * size, pin, NULL);
    const uint8_t *events = events_at(s, t);
    return status == RAS_OK && to <= t->index.count ? events : NULL;
}

/* ---- files -------------------------------------------------------------- */

bool atf_detail_ready(struct ras_atf_session *s, struct atf_thread *t)
{
    struct atf_thread_file *file = &t->detail_file;
    if (load_thread_file(s, file)) {
        struct ras_bytes bytes = source_bytes(s->source, (size_t)file->part);
        file->generation = *source_generation(s->source);
        file->status = ras_atf_detail_open(&t->detail, bytes, &file->error);
    }
    return t->detail_file.part >= 0 && t->detail_file.status == RAS_OK;
}

/* A thread whose directory has no number is numbered by its header. */
static void number_thread(struct ras_atf_session *s, struct atf_thread *t)
{
    if (atf_index_ready(s, t))
        t->thread_id = t->numbered ? t->thread_id : t->index.header.thread_id;
    else if (!t->numbered && atf_detail_ready(s, t))
        t->thread_id = t->detail.header.thread_id;
}

/* Streams have the thread's number; where processes share one, the later gets the next number
 * that no thread has. */
static void number_streams(struct ras_atf_session *s, size_t from)
{
    struct id_table streams = {0};
    uint32_t top = 0;
    for (size_t i = 0; i < s->thread_count; i++) {
        const struct atf_thread *t = &s->threads[i];
        top = t->thread_id > top ? t->thread_id : top;
        top = i < from && t->stream > top ? t->stream : top;
    }
    for (size_t i = 0; i < s->thread_count; i++) {
        struct atf_thread *t = &s->threads[i];
        if (i >= from) {
            bool taken = id_table_find(&streams, t->thread_id) != ID_TABLE_NONE;
            t->stream = taken ? ++top : t->thread_id;
        }
        s->nomem |= !id_table_add(&streams, t->stream, (uint32_t)i);
    }
    id_table_free(&streams);
}

static uint64_t id_key(size_t process, uint32_t id)
{
    return (uint64_t)process << 32 | id;
}

/* Sets where the threads of each process are, so that they need not be searched. */
static void know_extents(struct ras_atf_session *s)
{
    for (size_t i = 0; i < s->process_count; i++)
        s->processes[i].thread_from = s->processes[i].thread_to = 0;
    for (size_t i = 0; i < s->thread_count; i++) {
        struct atf_process *p = &s->processes[s->threads[i].process];
        p->thread_from = p->thread_to ? p->thread_from : i;
        p->thread_to = i + 1;
    }
}

/* A hostile manifest may list millions that are not there. */
static void know_ids(struct ras_atf_session *s, size_t from)
{
    for (size_t i = from; !s->nomem && i < s->thread_count; i++) {
        uint64_t key = id_key(s->threads[i].process, s->threads[i].thread_id);
        if (id_table_find(&s->ids, key) == ID_TABLE_NONE)
            s->nomem = !id_table_add(&s->ids, key, (uint32_t)i);
    }
}

struct atf_thread *atf_thread_find(const struct ras_atf_session *s, size_t process, uint32_t id)
{
    uint32_t found = id_table_find(&s->ids, id_key(process, id));
    return found == ID_TABLE_NONE ? NULL : &s->threads[found];
}

static int by_place(const void *a, const void *b, void *user)
{
    const struct ras_atf_session *s = user;
    const struct atf_thread *x = a, *y = b;
    int order = name_order(s->processes[x->process].dir, s->processes[y->process].dir);
    if (order)
        return order;
    if (x->thread_id != y->thread_id)
        return x->thread_id < y->thread_id ? -1 : 1;
    return name_order(x->dir, y->dir);
}

/* Fail because of one file. */
static int refuse(const struct ras_atf_session *s, const struct atf_thread_file *file,
                  struct ras_error *err)
{
    const char *name = source_name(s->source, (size_t)file->part);
    return fail(err, file->status, file->error.offset, "%s%s%s", name, *name ? ": " : "",
                file->error.text);
}

bool atf_is_session_of_none(struct source *source, size_t part)
{
    struct atf_manifest m = {0};
    struct ras_error err;
    if (source_load(source, part, NULL) < 0)
        return false;
    struct ras_bytes text = source_bytes(source, part);
    if (!text.len || !memmem(text.at, text.len, "\"threads\"", 9) ||
        !memmem(text.at, text.len, "\"format_version\"", 16) ||
        atf_manifest_parse(&m, text, text.len, &err) < 0)
        return false;
    bool good = !m.out.thread_count && !m.out.unfinished;
    atf_manifest_free(&m);
    return good;
}

/* A recording without any event, or one of which rotation has deleted all, has manifests alone. */
static int find_processes(struct ras_atf_session *s, struct ras_error *err)
{
    for (size_t i = 0; source_is_dir(s->source) && i < source_count(s->source); i++) {
        const char *name = source_name(s->source, i);
        if (!strcmp(last_component(name), "manifest.json") &&
            atf_is_session_of_none(s->source, i) && !process_for(s, name, dir_length(name)))
            return fail_memory(err);
    }
    return s->process_count ? RAS_OK
                            : fail(err, RAS_EFORMAT, RAS_NONE,
                                   "no index.atf or detail.atf below this directory");
}

/* One readable file suffices: each thread is recovered by itself (spec "Independent recovery").
 * But where every index was refused, that error is returned; a file that is not an index at all
 * takes precedence over one that is cut. */
static int judge(struct ras_atf_session *s, struct ras_error *err)
{
    const struct atf_thread_file *bad = NULL;
    for (size_t i = 0; i < s->thread_count; i++) {
        const struct atf_thread_file *file = &s->threads[i].index_file;
        if (file->part < 0)
            continue;
        if (file->status == RAS_OK)
            return RAS_OK;
        if (!bad || (bad->status == RAS_ECUT && file->status != RAS_ECUT))
            bad = file;
    }
    if (bad)
        return refuse(s, bad, err);
    for (size_t i = 0; i < s->thread_count; i++) {
        if (atf_detail_ready(s, &s->threads[i]))
            return RAS_OK;
        bad = &s->threads[i].detail_file;
    }
    if (bad)
        return refuse(s, bad, err);
    return find_processes(s, err);
}

int atf_session_init(struct ras_atf_session *s, struct source *source,
                     const struct ras_limits *limits, struct ras_error *err)
{
    *s = (struct ras_atf_session){.source = source, .limits = *limits};
    int status = find_threads(s, 0, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < s->thread_count; i++)
        number_thread(s, &s->threads[i]);
    if (s->thread_count)
        sort_with(s->threads, s->thread_count, sizeof *s->threads, by_place, s);
    number_streams(s, 0);
    know_ids(s, 0);
    know_extents(s);
    status = judge(s, err);
    if (status == RAS_OK)
        find_manifests(s, 0);
    s->part_count = source_count(source);
    return s->nomem ? fail_memory(err) : status;
}

static void renew_manifests(struct ras_atf_session *s)
{
    for (size_t i = 0; i < s->process_count; i++) {
        struct atf_process *p = &s->processes[i];
        if (p->manifest_part < 0 ||
            p->manifest_edition == source_edition(s->source, (size_t)p->manifest_part))
            continue;
        atf_manifest_free(&p->manifest);
        read_manifest(s, p, (size_t)p->manifest_part);
        s->drops_known = false;
    }
}

int atf_session_refresh(struct ras_atf_session *s, struct ras_error *err)
{
    size_t parts = s->part_count, threads = s->thread_count;
    renew_manifests(s);
    if (s->nomem)
        return fail_memory(err);
    if (parts == source_count(s->source))
        return RAS_OK;
    int status = find_threads(s, parts, err);
    for (size_t i = threads; i < s->thread_count; i++)
        number_thread(s, &s->threads[i]);
    number_streams(s, threads);
    know_ids(s, threads);
    know_extents(s);
    find_manifests(s, parts);
    s->drops_known = false;
    s->part_count = source_count(s->source);
    return s->nomem ? fail_memory(err) : status;
}

void atf_session_free(struct ras_atf_session *s)
{
    source_unpin(s->source, &s->pin);
    for (size_t i = 0; i < s->thread_count; i++) {
        free(s->threads[i].dir);
        free(s->threads[i].detail_at);
    }
    for (size_t i = 0; i < s->process_count; i++) {
        free(s->processes[i].dir);
        atf_manifest_free(&s->processes[i].manifest);
    }
    id_table_free(&s->ids);
    id_table_free(&s->by_dir);
    free(s->threads);
    free(s->processes);
    free(s->drops);
    *s = (struct ras_atf_session){0};
}

/* ---- public ------------------------------------------------------------- */

size_t ras_atf_thread_count(const struct ras_atf_session *s)
{
    return s->thread_count;
}

int ras_atf_thread_at(struct ras_atf_session *s, size_t thread, struct ras_atf_thread *out,
                      struct ras_error *err)
{
    if (thread >= s->thread_count)
        return fail(err, RAS_EUSAGE, RAS_NONE, "thread %zu requested, the session has %zu", thread,
                    s->thread_count);
    struct atf_thread *t = &s->threads[thread];
    *out = (struct ras_atf_thread){
        .thread_id = t->thread_id,
        .stream = t->stream,
        .process = s->processes[t->process].name,
        .has_index = atf_index_ready(s, t),
        .has_detail = atf_detail_ready(s, t),
    };
    if (out->has_index)
        out->index = t->index;
    if (out->has_detail)
        out->detail = t->detail;
    return RAS_OK;
}

const char *atf_thread_path(const struct ras_atf_session *s, const struct atf_thread *t)
{
    const struct atf_manifest *m = &s->processes[t->process].manifest;
    const struct ras_atf_listed *listed = atf_manifest_thread(m, t->thread_id);
    return listed ? listed->path : NULL;
}

size_t atf_session_carrier(struct ras_atf_session *s, size_t part)
{
    const char *name = source_name(s->source, part);
    return (size_t)(process_at(s, name, dir_length(name)) - s->processes);
}

/* The count in the manifest of a process; RAS_NONE: none that is final. */
static uint64_t events_stored(const struct atf_process *p)
{
    const struct ras_atf_manifest *m = p ? &p->manifest.out : NULL;
    bool known = m && m->present && !m->unfinished && !m->killed && p->manifest_status == RAS_OK;
    return known ? p->manifest.events : RAS_NONE;
}

uint64_t atf_session_carried(struct ras_atf_session *s, size_t part)
{
    const char *name = source_name(s->source, part);
    return events_stored(process_at(s, name, dir_length(name)));
}

uint64_t atf_session_events_lost(struct ras_atf_session *s, size_t process)
{
    uint64_t stored = events_stored(&s->processes[process]);
    if (stored == RAS_NONE)
        return 0;
    for (size_t i = 0; stored && i < source_count(s->source); i++)
        if (source_is_carried(s->source, i) && atf_session_carrier(s, i) == process)
            return 0;
    return stored;
}

const char *atf_thread_name(const struct ras_atf_session *s, const struct atf_thread *t)
{
    const struct atf_manifest *m = &s->processes[t->process].manifest;
    const struct ras_atf_listed *listed = atf_manifest_thread(m, t->thread_id);
    return listed ? listed->name : NULL;
}

const struct ras_atf_manifest *ras_atf_manifest(const struct ras_atf_session *s, size_t thread)
{
    static const struct ras_atf_manifest none = {.format_version = ""};
    if (thread >= s->thread_count)
        return &none;
    const struct atf_process *p = &s->processes[s->threads[thread].process];
    return p->manifest.out.present ? &p->manifest.out : &none;
}

const struct ras_atf_fault *ras_atf_fault(const struct ras_atf_session *s, size_t thread)
{
    static const struct ras_atf_fault none = {.pc = 0};
    return thread < s->thread_count ? &s->processes[s->threads[thread].process].manifest.fault
                                    : &none;
}

const struct ras_atf_symbol *ras_atf_symbol_of(const struct ras_atf_session *s, size_t thread,
                                               uint64_t function_id)
{
    if (thread >= s->thread_count)
        return NULL;
    return atf_manifest_symbol(&s->processes[s->threads[thread].process].manifest, function_id);
}

const char *ras_atf_source_of(const struct ras_atf_session *s, size_t thread, uint64_t function_id,
                              uint32_t *line)
{
    const struct atf_source *source =
        thread < s->thread_count
            ? atf_manifest_source(&s->processes[s->threads[thread].process].manifest, function_id)
            : NULL;
    *line = source ? source->line : 0;
    return source ? source->file : NULL;
}

const struct ras_atf_module *ras_atf_module_of(const struct ras_atf_session *s, size_t thread,
                                               uint64_t function_id)
{
    if (thread >= s->thread_count)
        return NULL;
    return atf_manifest_module(&s->processes[s->threads[thread].process].manifest,
                               (uint32_t)(function_id >> 32));
}
