/* source.c - the addressable bytes of a trace: one or more parts. */
#include "core/source.h"
#include "base/error.h"
#include "base/id_table.h"
#include "base/memory.h"
#include "base/os.h"
#include "codec/fnv1a.h"
#include "core/directory.h"
#include "core/join.h"
#include "core/part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PIPE_STEP = 1 << 20, FOLLOW_MS = 20, INFLATE_LEAST = 256 << 10 };

struct source {
    struct part *parts;
    size_t count, room;
    struct id_table names; /* hash of a name: the first part that has it */
    struct directory *dir; /* of a directory: where the parts are */
    struct join *join;     /* of segments: their files; part 0 has their bytes */
    bool is_dir;           /* also when its files lie in memory */
    int pipe;              /* descriptor + 1 while it is open; 0: none */
    bool owns_pipe;        /* opened here, so closed here */
    bool growing;          /* a pipe still open, memory still filled */
    bool live;
    bool interrupted; /* the last wait, by a signal */
    uint64_t generation;
    uint32_t holders; /* see source_hold() */
    struct ras_limits limits;
    const struct ras_debug *debug;
    struct ras_error broken; /* why no more can be inflated; status RAS_OK: nothing is wrong */
};

static struct source *source_new(const struct ras_options *options, const struct ras_limits *limits)
{
    struct source *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->limits = *limits;
    if (!s->limits.inflate_step)
        s->limits.inflate_step = INFLATE_LEAST;
    s->live = options && options->live;
    s->debug = options ? options->debug : NULL;
    return s;
}

static struct part *add_part(struct source *s, const char *name)
{
    uint64_t hash = fnv1a_text(name);
    if (!array_grow(&s->parts, &s->room, s->count + 1, sizeof *s->parts))
        return NULL;
    if (id_table_find(&s->names, hash) == ID_TABLE_NONE &&
        !id_table_add(&s->names, hash, (uint32_t)s->count))
        return NULL;
    struct part p = {
        .name = text_copy(name, strlen(name)), .wrap.kind = RAS_COMPLETE, .eager = s->live};
    if (!p.name) {
        if (id_table_find(&s->names, hash) == s->count)
            id_table_remove(&s->names, hash);
        return NULL;
    }
    s->parts[s->count] = p;
    return &s->parts[s->count++];
}

static void end_pipe(struct source *s)
{
    if (s->pipe && s->owns_pipe)
        os_close(s->pipe - 1);
    s->pipe = 0;
    s->growing = false;
}

void source_close(struct source *s)
{
    if (!s)
        return;
    end_pipe(s);
    for (size_t i = 0; i < s->count; i++)
        part_free(&s->parts[i]);
    join_close(s->join);
    directory_close(s->dir);
    id_table_free(&s->names);
    free(s->parts);
    free(s);
}

/* One read, which waits where the other side made the pipe non-blocking. */
static int64_t read_some(int fd, uint8_t *buffer, size_t room)
{
    for (;;) {
        int64_t got = os_read(fd, buffer, room);
        if (got >= 0 || (errno != EINTR && errno != EAGAIN))
            return got;
        if (errno == EAGAIN)
            (void)os_wait(fd, false, -1);
    }
}

/* Read once from the pipe, up to PIPE_STEP bytes. */
static int pipe_read(struct source *s, struct ras_error *err)
{
    struct part *p = &s->parts[0];
    uint8_t *buffer = malloc(PIPE_STEP);
    if (!buffer)
        return fail_memory(err);
    int64_t got = read_some(s->pipe - 1, buffer, PIPE_STEP);
    int status = RAS_OK;
    if (got < 0)
        status = fail_os(err, "read");
    else if (got == 0)
        end_pipe(s);
    else
        status = spool_append(&p->spool, buffer, (size_t)got, err);
    free(buffer);
    p->raw = (struct ras_bytes){p->spool.at, p->spool.len};
    p->stored = p->spool.len;
    s->generation++;
    return status == RAS_OK ? part_unwrap(p, !s->growing, &s->limits, err) : status;
}

/* Nothing is read yet: whoever opens the trace waits for the bytes. */
static int open_pipe(struct source *s, int fd, bool own, struct ras_error *err)
{
    debug_write(s->debug, RAS_DEBUG_SOURCE, "a pipe or device, kept as it arrives");
    s->pipe = fd + 1;
    s->owns_pipe = own;
    s->growing = true;
    struct part *p = add_part(s, "");
    if (!p)
        return fail_memory(err);
    p->loaded = true;
    return RAS_OK;
}

/* Take a regular file over; the part owns the descriptor. */
static int open_file(struct source *s, int fd, uint64_t size, struct ras_error *err)
{
    struct part *p = add_part(s, "");
    if (!p) {
        os_close(fd);
        return fail_memory(err);
    }
    p->fd = fd + 1;
    int status = part_load_file(p, size, s->live, err);
    if (status == RAS_OK)
        status = part_unwrap(p, !s->live, &s->limits, err);
    if (status == RAS_OK)
        part_report(p, s->debug);
    return status;
}

/* `status` is that of opening the directory. */
static int take_folder(struct source *s, int status, struct ras_error *err)
{
    s->is_dir = true;
    for (size_t i = 0; status == RAS_OK && i < directory_count(s->dir); i++) {
        struct part *p = add_part(s, directory_name(s->dir, i));
        if (!p)
            return fail_memory(err);
        p->stored = directory_size(s->dir, i);
    }
    debug_write(s->debug, RAS_DEBUG_SOURCE, "a directory of %zu files, loaded when they are needed",
                s->count);
    return status;
}

static int hand_out(struct source **out, struct source *s, int status)
{
    if (status < 0) {
        source_close(s);
        s = NULL;
    }
    *out = s;
    return status;
}

/* A file on a server: its first bytes are there, the rest is fetched as it is read. Or a directory:
 * the list of its files is there. */
static int open_url(struct source **out, const char *url, const struct ras_options *options,
                    const struct ras_limits *limits, struct ras_error *err)
{
    if (options && options->live)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "a URL cannot be followed: it has no end that grows; download the file while "
                    "it is written, and follow that");
    struct source *s = source_new(options, limits);
    if (s && remote_is_folder(url)) {
        int status = directory_open_url(&s->dir, url, options, limits->parts, err);
        return hand_out(out, s, take_folder(s, status, err));
    }
    struct part *p = s ? add_part(s, "") : NULL;
    if (!p)
        return s ? hand_out(out, s, fail_memory(err)) : fail_memory(err);
    int status = part_load_url(p, url, options, err);
    if (status == RAS_OK)
        status = part_unwrap(p, !part_is_arriving(p), &s->limits, err);
    if (status == RAS_OK)
        part_report(p, s->debug);
    return hand_out(out, s, status);
}

int source_open_path(struct source **out, const char *path, const struct ras_options *options,
                     const struct ras_limits *limits, struct ras_error *err)
{
    *out = NULL;
    if (remote_is_url(path))
        return open_url(out, path, options, limits, err);
    int fd = os_open(path, OS_READ);
    struct os_about about;
    if (fd < 0 || os_about_fd(fd, &about) < 0) {
        int status = fail_os(err, "cannot open");
        if (fd >= 0)
            os_close(fd);
        return status;
    }
    struct source *s = source_new(options, limits);
    if (!s) {
        os_close(fd);
        return fail_memory(err);
    }
    debug_write(s->debug, RAS_DEBUG_SOURCE, "opens %s", path);
    if (about.kind == OS_FILE)
        return hand_out(out, s, open_file(s, fd, about.size, err));
    if (about.kind == OS_FOLDER) {
        os_close(fd);
        int status = directory_open(&s->dir, path, limits->parts, err);
        return hand_out(out, s, take_folder(s, status, err));
    }
    return hand_out(out, s, open_pipe(s, fd, true, err));
}

int source_open_fd(struct source **out, int fd, const struct ras_options *options,
                   const struct ras_limits *limits, struct ras_error *err)
{
    *out = NULL;
    struct os_about about;
    if (os_about_fd(fd, &about) < 0)
        return fail_os(err, "cannot read the descriptor");
    struct source *s = source_new(options, limits);
    if (!s)
        return fail_memory(err);
    bool whole = about.kind == OS_FILE && os_position(fd) == 0;
    if (!whole)
        return hand_out(out, s, open_pipe(s, fd, false, err));
    int own = os_dup(fd);
    if (own < 0)
        return hand_out(out, s, fail_os(err, "cannot keep the descriptor"));
    return hand_out(out, s, open_file(s, own, about.size, err));
}

int source_open_memory(struct source **out, const void *bytes, size_t size,
                       const struct ras_options *options, const struct ras_limits *limits,
                       struct ras_error *err)
{
    *out = NULL;
    struct source *s = source_new(options, limits);
    if (!s)
        return fail_memory(err);
    struct part *p = add_part(s, "");
    if (!p)
        return hand_out(out, s, fail_memory(err));
    p->borrowed = p->loaded = true;
    p->raw = (struct ras_bytes){bytes, size};
    p->stored = size;
    s->growing = s->live;
    return hand_out(out, s, part_unwrap(p, !s->growing, &s->limits, err));
}

int source_open_parts(struct source **out, const struct ras_part *parts, size_t count,
                      const struct ras_options *options, const struct ras_limits *limits,
                      struct ras_error *err)
{
    *out = NULL;
    struct source *s = source_new(options, limits);
    if (!s)
        return fail_memory(err);
    s->is_dir = true;
    s->live = false; /* memory grows one piece at a time only */
    int status = RAS_OK;
    if (count > limits->parts)
        status = fail(err, RAS_ELIMIT, RAS_NONE, "%zu parts exceed the limit of %u", count,
                      limits->parts);
    for (size_t i = 0; status == RAS_OK && i < count; i++) {
        struct part *p = add_part(s, parts[i].name);
        if (!p)
            return hand_out(out, s, fail_memory(err));
        p->borrowed = true;
        p->raw = parts[i].bytes;
        p->stored = parts[i].bytes.len;
    }
    return hand_out(out, s, status);
}

int source_join(struct source *s, const struct segment_ops *ops, struct ras_error *err)
{
    const struct join_files files = {s->parts, s->count, s->room, s->dir};
    s->parts = NULL;
    s->count = s->room = 0;
    id_table_free(&s->names);
    s->names = (struct id_table){0};
    s->is_dir = false;
    struct part joined = {.wrap.kind = RAS_COMPLETE};
    int status = join_open(&s->join, &files, ops, &s->limits, s->live, &joined, err);
    struct part *p = add_part(s, "");
    if (!p) {
        part_free(&joined);
        return fail_memory(err);
    }
    joined.name = p->name;
    *p = joined;
    size_t count;
    debug_write(s->debug, RAS_DEBUG_SOURCE, "%zu segments are one stream of %zu bytes",
                source_segments(s, &count) ? count : 0, joined.view.len);
    return status;
}

const struct source_segment *source_segments(const struct source *s, size_t *count)
{
    *count = 0;
    return s->join ? join_segments(s->join, count) : NULL;
}

int source_set_memory(struct source *s, size_t size, bool more, struct ras_error *err)
{
    struct part *p = &s->parts[0];
    if (s->is_dir || s->count != 1 || !p->borrowed || size < p->raw.len)
        return fail(err, RAS_EUSAGE, RAS_NONE, "only memory grows, and only upwards");
    if (!s->growing && size > p->raw.len)
        return fail(err, RAS_EUSAGE, RAS_NONE, "the memory was declared complete: it cannot grow");
    p->raw.len = size;
    p->stored = size;
    s->growing = more;
    s->generation++;
    return part_unwrap(p, !more, &s->limits, err);
}

void source_by_name(struct source *s, size_t part)
{
    s->parts[part].by_name = true;
}

uint64_t source_edition(const struct source *s, size_t part)
{
    return s->parts[part].edition;
}

/* Another file has the part's name. Until one does, the old one stays. */
static int load_another(struct source *s, size_t part, bool *changed, struct ras_error *err)
{
    struct part *p = &s->parts[part];
    uint64_t size;
    int fd = directory_open_file(s->dir, part, &size, NULL);
    if (fd < 0)
        return RAS_OK;
    os_close(fd);
    part_unload(p);
    p->edition++;
    *changed = true;
    return source_load(s, part, err);
}

/* The bytes of a part of a directory to the end: it is one of many, and small. */
static int unwrap_all(struct source *s, struct part *p, struct ras_error *err)
{
    int status = part_unwrap(p, !s->live, &s->limits, err);
    while (status == RAS_OK && p->pending)
        status = part_inflate(p, &s->limits, err);
    return status;
}

/* Check whether loaded files have grown: *changed. */
static int refresh_files(struct source *s, bool *changed, struct ras_error *err)
{
    if (s->join)
        return join_refresh(s->join, &s->parts[0], changed, err);
    for (size_t i = 0; i < s->count; i++) {
        struct part *p = &s->parts[i];
        struct os_about about;
        if (!p->fd || !p->loaded)
            continue;
        if (os_about_fd(p->fd - 1, &about) < 0)
            return fail_os(err, "cannot stat");
        if (about.links == 0 && p->by_name && s->dir) {
            int loaded = load_another(s, i, changed, err);
            if (loaded < 0)
                return loaded;
            continue;
        }
        if (about.size == p->stored)
            continue;
        int status = part_grow_file(p, about.size, err);
        if (status == RAS_OK && s->is_dir)
            status = unwrap_all(s, p, err);
        else if (status == RAS_OK)
            status = part_unwrap(p, false, &s->limits, err);
        if (status < 0)
            return status;
        *changed = true;
    }
    if (!s->dir)
        return RAS_OK;
    size_t before = s->count;
    int status = directory_refresh(s->dir, err);
    for (size_t i = before; status == RAS_OK && i < directory_count(s->dir); i++) {
        struct part *p = add_part(s, directory_name(s->dir, i));
        if (!p)
            return fail_memory(err);
        p->stored = directory_size(s->dir, i);
        *changed = true;
    }
    return status;
}

static int wait_files(struct source *s, int timeout_ms, struct ras_error *err)
{
    for (;;) {
        bool changed = false;
        int status = refresh_files(s, &changed, err);
        if (status < 0)
            return status;
        if (changed) {
            s->generation++;
            return RAS_OK;
        }
        if (timeout_ms == 0)
            return RAS_WAIT;
        int nap = timeout_ms < 0 || timeout_ms > FOLLOW_MS ? FOLLOW_MS : timeout_ms;
        if (os_sleep(nap) < 0) {
            s->interrupted = true; /* so that the caller can react to the signal */
            return RAS_WAIT;
        }
        if (timeout_ms > 0)
            timeout_ms -= nap;
    }
}

bool source_pending(const struct source *s)
{
    const struct part *p = s->parts;
    return s->broken.status || (!s->is_dir && s->count && (p->pending || part_is_arriving(p)));
}

int source_inflate(struct source *s, struct ras_error *err)
{
    struct part *p = &s->parts[0];
    if (!s->broken.status) {
        s->generation++;
        p->view.held = p->spool.held = s->holders;
        if (p->pending ? part_inflate(p, &s->limits, &s->broken) == RAS_OK
                       : part_fetch(p, &s->limits, &s->broken) == RAS_OK) {
            s->broken.status = RAS_OK;
            return RAS_OK;
        }
        p->wrap.kind = RAS_DAMAGED;
        p->wrap.offset = p->inflated_from;
        p->wrap.why = "cannot be decompressed further";
    }
    if (err)
        *err = s->broken;
    return s->broken.status;
}

void source_hold(struct source *s, int more)
{
    s->holders += (uint32_t)more;
}

void source_let_go(struct source *s)
{
    if (!s->is_dir && s->count && s->holders <= 1) {
        spool_forget(&s->parts[0].view);
        spool_forget(&s->parts[0].spool);
    }
}

int source_whole(struct source *s, struct ras_error *err)
{
    int status = source_is_spread(s) ? source_need(s, 0, 0, RAS_NONE, NULL, err) : (int)RAS_OK;
    while (status == RAS_OK && source_pending(s))
        status = source_inflate(s, err);
    return status;
}

int source_wait(struct source *s, int timeout_ms, struct ras_error *err)
{
    s->interrupted = false;
    if (source_pending(s))
        return source_inflate(s, err);
    if (s->pipe) {
        int ready = os_wait(s->pipe - 1, false, timeout_ms);
        if (ready < 0 && errno != EINTR)
            return fail_os(err, "poll");
        s->interrupted = ready < 0;
        return ready > 0 ? pipe_read(s, err) : RAS_WAIT;
    }
    if (s->growing)
        return RAS_WAIT; /* memory: its owner calls ras_trace_grow */
    return source_can_grow(s) ? wait_files(s, timeout_ms, err) : RAS_END;
}

int source_enter(struct source *s, size_t part, struct ras_error *err)
{
    if (part >= s->count)
        return fail(err, RAS_EUSAGE, RAS_NONE, "part %zu of %zu", part, s->count);
    struct part *p = &s->parts[part];
    if (p->loaded)
        return RAS_OK;
    p->by_frames = !s->live;
    if (p->borrowed) {
        p->loaded = true;
        return unwrap_all(s, p, err);
    }
    int status = part_load_listed(p, s->dir, part, s->live, err);
    if (status == RAS_OK)
        status = unwrap_all(s, p, err);
    part_report(p, s->debug);
    if (status == RAS_OK && p->fd &&
        !s->live) { /* thousands of parts must not exhaust descriptors */
        os_close(p->fd - 1);
        p->fd = 0;
    }
    return status;
}

int source_load(struct source *s, size_t part, struct ras_error *err)
{
    int status = source_enter(s, part, err);
    return status == RAS_OK ? source_whole(s, err) : status;
}

bool source_can_grow(const struct source *s)
{
    return s->live && (s->dir || (s->count && s->parts[0].fd));
}

const uint64_t *source_generation(const struct source *s)
{
    return &s->generation;
}

size_t source_count(const struct source *s)
{
    return s->count;
}

const struct ras_debug *source_debug(const struct source *s)
{
    return s->debug;
}

bool source_is_remote(const struct source *s)
{
    return directory_is_remote(s->dir) || (s->count && s->parts[0].remote);
}

bool source_is_spread(const struct source *s)
{
    return s->count && s->parts[0].pages;
}

int source_spread(struct source *s, struct ras_error *err)
{
    struct part *p = s->parts;
    if (s->is_dir || !s->count || p->wrap.name || !part_is_arriving(p))
        return RAS_OK;
    int status = part_spread(p, err);
    s->generation++;
    debug_write(s->debug, RAS_DEBUG_SOURCE, "the rest is fetched where it is needed");
    return status;
}

int source_fault(const struct source *s, struct ras_error *err)
{
    if (s->broken.status && err)
        *err = s->broken;
    return s->broken.status;
}

bool source_is_dir(const struct source *s)
{
    return s->is_dir;
}

const char *source_unlisted(const struct source *s)
{
    return s->dir ? directory_unlisted(s->dir) : NULL;
}

const char *source_name(const struct source *s, size_t part)
{
    return part < s->count ? s->parts[part].name : "";
}

/* Two names may share a hash: then all are compared. */
bool source_find(const struct source *s, const char *name, size_t *part)
{
    uint32_t found = id_table_find(&s->names, fnv1a_text(name));
    if (found == ID_TABLE_NONE)
        return false;
    size_t i = found;
    while (i < s->count && strcmp(s->parts[i].name, name) != 0)
        i++;
    *part = i;
    return i < s->count;
}

uint64_t source_stored(const struct source *s, size_t part)
{
    return s->parts[part].foreign ? 0 : s->parts[part].stored;
}

uint64_t source_size(const struct source *s, size_t part)
{
    uint64_t stored = source_stored(s, part);
    bool other = s->parts[part].wrap.name || s->parts[part].joined;
    return stored && other ? source_length(s, part) : stored;
}

uint64_t source_size_before(const struct source *s, size_t part)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < part; i++)
        sum += source_size(s, i);
    return sum;
}

void source_leave_out(struct source *s, size_t part)
{
    s->parts[part].foreign = true;
}

void source_carry(struct source *s, size_t part)
{
    s->parts[part].foreign = s->parts[part].carried = true;
}

bool source_is_foreign(const struct source *s, size_t part)
{
    return s->parts[part].foreign && !s->parts[part].carried;
}

bool source_is_carried(const struct source *s, size_t part)
{
    return s->parts[part].carried;
}

struct ras_bytes source_arrived(const struct source *s, size_t part)
{
    return part_bytes(&s->parts[part]);
}

struct ras_bytes source_bytes(const struct source *s, size_t part)
{
    struct source *same = (struct source *)(uintptr_t)s; /* more of its bytes are shown */
    if (source_pending(s))
        (void)source_whole(same, NULL);
    if (s->parts[part].unpacked || s->parts[part].pages) /* damage, or a failure, ends the bytes */
        (void)!source_need(same, part, 0, RAS_NONE, NULL, NULL);
    return source_arrived(s, part);
}

uint64_t source_length(const struct source *s, size_t part)
{
    const struct part *p = &s->parts[part];
    return p->unpacked || p->pages ? source_arrived(s, part).len : source_bytes(s, part).len;
}

bool source_is_framed(const struct source *s, size_t part)
{
    return s->parts[part].unpacked;
}

/* A failure is kept, so that the step which needs the bytes ends with it. */
static int need_pages(struct source *s, struct part *p, uint64_t from, uint64_t to,
                      struct ras_error *err)
{
    struct ras_error why;
    if (s->broken.status || pages_need(p->pages, from, to, &why) == RAS_OK)
        return source_fault(s, err);
    s->broken = why;
    s->generation++;
    return source_fault(s, err);
}

int source_need(struct source *s, size_t part, uint64_t from, uint64_t to, struct source_pin *pin,
                struct ras_error *err)
{
    struct part *p = &s->parts[part];
    if (pin)
        source_unpin(s, pin);
    if (p->pages)
        return need_pages(s, p, from, to, err);
    if (!p->unpacked)
        return RAS_OK;
    int status = unpacked_need(p->unpacked, from, to, pin ? &pin->frames : NULL, err);
    if (pin)
        pin->part = part;
    if (status == RAS_EFORMAT) {
        part_note_frames(p);
        s->generation++;
    }
    return status;
}

int source_close_holes(struct source *s, size_t part, uint64_t head, uint64_t unit,
                       struct unpacked_hole *hole, struct ras_error *err)
{
    struct part *p = &s->parts[part];
    *hole = (struct unpacked_hole){0};
    int status =
        p->unpacked ? unpacked_close_holes(p->unpacked, head, unit, hole, err) : (int)RAS_END;
    if (status == RAS_OK) {
        part_note_frames(p);
        s->generation++;
    }
    return status;
}

void source_unpin(struct source *s, struct source_pin *pin)
{
    if (pin->frames.count && s->parts[pin->part].unpacked)
        unpacked_release(s->parts[pin->part].unpacked, &pin->frames);
    *pin = (struct source_pin){0};
}

const struct wrapping *source_wrapping(const struct source *s, size_t part)
{
    return &s->parts[part].wrap;
}

bool source_interrupted(const struct source *s)
{
    return s->interrupted;
}

bool source_waits(const struct source *s)
{
    return s->pipe || source_can_grow(s);
}

bool source_arriving(const struct source *s)
{
    return s->growing;
}

bool source_growing(const struct source *s)
{
    return s->growing || source_pending(s);
}
