/* atf_record.c - writes a recording as an ATF session: its directory and the files of its
 * threads. */
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "core/sink.h"
#include "formats/atf/atf_record.h"
#include "formats/atf/atf_write.h"
#include "record/atom.h"
#include "record/record_output.h"
#include "record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct output_file {
    struct output *output;
    uint32_t thread_id;
    int index_fd, detail_fd;
    struct ras_sink *index, *detail;
    struct ras_atf_writer *writer;
    uint64_t allocated; /* of index.atf */
};

struct output {
    char *dir; /* session_T/pid_N */
    bool compress;
    struct ras_atf_listed *threads; /* threads that have files */
    size_t count, room;
    uint64_t time_min, time_max; /* of threads that have ended */
};

/* ---- counts of a durable recording --------------------------------------------------- */

/* The counts of running threads are in their lanes. Those of threads that have ended are added
 * here, and events without a thread are counted in the second page. The file is removed once the
 * manifest has all of it. */

enum { PATH_ROOM = 4096, RECORDS_AT = 2 * RING_PAGE };
_Static_assert(RAS_RECORD_REASONS <= (int)ATF_REASONS_MOST, "a reader has room for all");

static void counts_path(const char *dir, char *path)
{
    snprintf(path, PATH_ROOM + 64, "%s/" ATF_COUNTS_NAME, dir);
}

/* Creates the file of counts of a durable recording, for repair. */
static int record_counts(const char *dir, unsigned segment)
{
    char path[PATH_ROOM + 64];
    uint8_t header[COUNTS_SEGMENT_END] = {0};
    counts_path(dir, path);
    store_bytes(header + COUNTS_MAGIC, ATF_COUNTS_MAGIC, 8);
    store_u64(header + COUNTS_REASONS, RAS_RECORD_REASONS);
    store_u64(header + COUNTS_STRAY_AT, RING_PAGE);
    store_u64(header + COUNTS_RECORDS_AT, RECORDS_AT);
    store_u64(header + COUNTS_SEGMENT, segment);
    store_u64(header + COUNTS_NUMBERS_AT, RING_PAGE + COUNTS_DELETED * sizeof(uint64_t));
    int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_APPEND | O_CLOEXEC, 0666);
    if (fd >= 0 && (write(fd, header, sizeof header) != (ssize_t)sizeof header ||
                    posix_fallocate(fd, 0, RECORDS_AT))) {
        close(fd);
        unlink(path);
        return -1;
    }
    return fd;
}

/* One write: a killed process has written all of it or nothing. */
static void record_ended(int fd, const struct thread_info *thread)
{
    const struct ras_record_counts *c = &thread->counts;
    uint8_t record[ENDED_DROPPED + 8 * RAS_RECORD_REASONS] = {0};
    store_u64(record + ENDED_THREAD_ID, thread->thread_id);
    store_u64(record + ENDED_PRODUCED, c->produced);
    store_u64(record + ENDED_EVENTS, c->events);
    store_u64(record + ENDED_EVENTS_DROPPED, atf_reasons_sum(c->events_dropped));
    store_u64(record + ENDED_DETAILS_DROPPED, c->details_dropped);
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++)
        store_u64(record + ENDED_DROPPED + 8 * i, c->dropped[i]);
    (void)!write(fd, record, sizeof record);
}

static void record_forget(const char *dir)
{
    char path[PATH_ROOM + 64];
    counts_path(dir, path);
    unlink(path);
}

/* ---- the manifest -------------------------------------------------------------------- */

/* The manifest is written during the recording, too, so that a process that is killed leaves the
 * names of its functions. */

/* Its temporary arrays. */
struct lists {
    struct ras_atf_module *modules;
    struct ras_atf_symbol *symbols;
    struct ras_atf_drop *drops;
    struct ras_atf_anchor *anchors;
};

static void lists_free(struct lists *l)
{
    free(l->modules);
    free(l->symbols);
    free(l->drops);
    free(l->anchors);
}

static bool list_names(struct lists *l, const struct names *names, struct ras_atf_manifest *m)
{
    size_t functions = 0;
    for (size_t i = 0; i < names->count; i++)
        functions += names->modules[i].count;
    l->modules = calloc(names->count + 1, sizeof *l->modules);
    l->symbols = calloc(functions + 1, sizeof *l->symbols);
    if (!l->modules || !l->symbols)
        return false;
    for (size_t i = 0; i < names->count; i++) {
        const struct module *from = &names->modules[i];
        uint32_t id = (uint32_t)i + 1;
        l->modules[m->module_count++] =
            (struct ras_atf_module){.module_id = id,
                                    .path = from->path,
                                    .uuid = from->build_id ? from->build_id : "",
                                    .has_address = from->base || from->size,
                                    .base_address = from->base,
                                    .has_size = from->size,
                                    .size = from->size};
        for (size_t k = 0; k < from->count; k++)
            l->symbols[m->symbol_count++] =
                (struct ras_atf_symbol){.function_id = (uint64_t)id << 32 | (k + 1),
                                        .module_id = id,
                                        .symbol_index = (uint32_t)k + 1,
                                        .name = from->functions[k],
                                        .name_len = (uint32_t)strlen(from->functions[k])};
    }
    m->modules = l->modules;
    m->symbols = l->symbols;
    return true;
}

static bool list_drops(struct lists *l, const struct manifest_info *sum, struct ras_atf_manifest *m)
{
    l->drops = calloc(sum->thread_count * RAS_RECORD_REASONS + 2, sizeof *l->drops);
    if (!l->drops)
        return false;
    for (size_t i = 0; i < sum->thread_count; i++)
        for (unsigned k = 0; k < RAS_RECORD_REASONS; k++)
            if (sum->threads[i].counts.dropped[k])
                l->drops[m->drop_count++] = (struct ras_atf_drop){
                    sum->threads[i].thread_id, sum->threads[i].counts.dropped[k],
                    ras_record_reason_name((enum ras_record_reason)k)};
    uint32_t first = m->thread_count ? m->threads[0].id : 0; /* whose gap is read */
    if (sum->deleted_events)
        l->drops[m->drop_count++] = (struct ras_atf_drop){first, sum->deleted_events, "deleted"};
    m->drops = l->drops;
    return true;
}

static bool list_anchors(struct lists *l, const struct manifest_info *sum,
                         struct ras_atf_manifest *m)
{
    const struct media_anchors *from = sum->anchors;
    l->anchors = calloc(from->count + 1, sizeof *l->anchors);
    for (size_t i = 0; l->anchors && i < from->count; i++)
        l->anchors[i] = (struct ras_atf_anchor){from->at[i].time_ns, from->at[i].media_seconds};
    m->anchors = l->anchors;
    m->anchor_count = from->count;
    return l->anchors;
}

/* Sets who created the threads that have files. */
static void put_paths(const struct output *output, const struct manifest_info *sum)
{
    for (size_t i = 0; i < output->count; i++) {
        uint32_t id = output->threads[i].id;
        bool known = id < sum->thread_count && sum->threads[id].path[0];
        output->threads[i].path = known ? sum->threads[id].path : NULL;
    }
}

/* ---- the file --------------------------------------------------------------------- */

/* The old file stays until the new one is complete. */
static int replace(const struct output *output, struct ras_bytes text, struct ras_error *err)
{
    char path[4096], fresh[4096];
    snprintf(path, sizeof path, "%s/manifest.json", output->dir);
    snprintf(fresh, sizeof fresh, "%s/.manifest.new", output->dir);
    int fd = open(fresh, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    int status = fd < 0 ? fail_os(err, fresh) : file_write_all(fd, text.at, text.len, err);
    if (fd >= 0)
        close(fd);
    if (status == RAS_OK && rename(fresh, path) < 0)
        status = fail_os(err, path);
    if (status < 0)
        unlink(fresh);
    return status;
}

/* The names are read once, so that no thread that registers a function waits for the disk. */
static int put_recording(const struct output *output, const struct manifest_info *sum,
                         struct ras_sink *sink, struct ras_error *err)
{
    struct ras_atf_manifest m = {.format_version = "",
                                 .threads = output->threads,
                                 .thread_count = output->count,
                                 .clock_type = RAS_ATF_BOOTTIME,
                                 .time_end_ns = output->time_max};
    struct lists lists = {0};
    struct out out = {0};
    m.time_start_ns = output->time_min <= output->time_max ? output->time_min : 0;
    atf_record_own(&out, sum);
    put_paths(output, sum);
    const struct atf_manifest_more more = {.no_times = !sum->over, .members = {out.at, out.len}};
    lock_take(&sum->names->lock);
    int status = out.failed || !list_names(&lists, sum->names, &m) ||
                         !list_drops(&lists, sum, &m) || !list_anchors(&lists, sum, &m)
                     ? fail_memory(err)
                     : atf_manifest_write(&m, &more, sink, err);
    lock_give(&sum->names->lock);
    lists_free(&lists);
    out_free(&out);
    return status;
}

/* Replaces manifest.json. */
static int record_manifest(struct output *output, const struct manifest_info *sum,
                           struct ras_error *err)
{
    struct ras_sink *sink;
    int status = ras_sink_memory(&sink, err);
    if (status < 0)
        return status;
    status = put_recording(output, sum, sink, err);
    if (status == RAS_OK)
        status = replace(output, ras_sink_bytes(sink), err);
    ras_sink_drop(sink);
    return status;
}

/* ---- the session --------------------------------------------------------------------- */

_Static_assert(sizeof(struct ras_record_event) == RAS_ATF_INDEX_EVENT_SIZE &&
                   offsetof(struct ras_record_event, function_id) == EVENT_FUNCTION_ID &&
                   offsetof(struct ras_record_event, thread_id) == EVENT_THREAD_ID &&
                   offsetof(struct ras_record_event, event_kind) == EVENT_KIND &&
                   offsetof(struct ras_record_event, call_depth) == EVENT_CALL_DEPTH &&
                   offsetof(struct ras_record_event, detail_seq) == EVENT_DETAIL_SEQ,
               "a ring holds events as they are stored");
_Static_assert((int)RAS_TRACE_CALL == RAS_ATF_CALL && (int)RAS_TRACE_RETURN == RAS_ATF_RETURN &&
                   (int)RAS_TRACE_EXCEPTION == RAS_ATF_EXCEPTION && UINT32_MAX == RAS_ATF_NO_DETAIL,
               "and with the specification's numbers");
_Static_assert((int)DETAIL_HEAD == RAS_ATF_DETAIL_EVENT_SIZE &&
                   (int)DETAIL_PAYLOAD == RAS_ATF_PAYLOAD_SIZE,
               "details too");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "which are little-endian");

enum { AHEAD = 64 << 20, AHEAD_FROM = 4 << 20 };

static int make_dirs(char *path, struct ras_error *err)
{
    for (char *p = path + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        int made = mkdir(path, 0777);
        *p = '/';
        if (made < 0 && errno != EEXIST)
            return fail_os(err, path);
    }
    return RAS_OK;
}

/* localtime_r() allocates the time zone in the program's heap: it is called only where the
 * session has no given name. */
static void put_stamp(time_t when, char *to, size_t room)
{
    struct tm t;
    localtime_r(&when, &t);
    strftime(to, room, "%Y%m%d_%H%M%S", &t);
}

/* `again`: how many names were taken. exec() keeps the process id. */
static int name_dir(const struct ras_record_options *o, time_t now, int again, char *dir,
                    struct ras_error *err)
{
    char stamp[32] = "", more[16] = "";
    if (!o->exact)
        put_stamp(now + again, stamp, sizeof stamp);
    if (again)
        snprintf(more, sizeof more, "_%d", again + 1);
    int len = o->exact
                  ? snprintf(dir, PATH_ROOM, "%s/pid_%d%s", o->exact, (int)getpid(), more)
                  : snprintf(dir, PATH_ROOM, "%s/session_%s/pid_%d", o->dir, stamp, (int)getpid());
    if (len >= PATH_ROOM - 64)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a path of %d bytes is too long for a session", len);
    return RAS_OK;
}

/* A process that records twice in a second still gets two sessions; exec() and numbers of processes
 * that come again have theirs beside what is left of the first. */
static int make_session(const struct ras_record_options *o, char *dir, struct ras_error *err)
{
    time_t now = time(NULL);
    for (int again = 0;; again++) {
        int status = name_dir(o, now, again, dir, err);
        if (status == RAS_OK)
            status = make_dirs(dir, err);
        bool taken = status == RAS_OK && recorder_rotates() && rotate_is_taken(dir);
        if (status < 0 || (!taken && mkdir(dir, 0777) == 0))
            return status;
        if ((!taken && errno != EEXIST) || again > 3600)
            return fail_os(err, dir);
    }
}

/* An output in a directory that exists. */
static int output_new(struct output **out, const struct ras_record_options *options,
                      const char *dir, struct ras_error *err)
{
    struct output *output = calloc(1, sizeof *output);
    if (output)
        output->dir = text_copy(dir, strlen(dir));
    if (!output || !output->dir) {
        free(output);
        return fail_memory(err);
    }
    output->time_min = UINT64_MAX;
    output->compress = options->compress;
    *out = output;
    return RAS_OK;
}

static int output_next(struct output **out, const struct ras_record_options *options,
                       const char *dir, struct ras_error *err)
{
    *out = NULL;
    return mkdir(dir, 0777) < 0 ? fail_os(err, dir) : output_new(out, options, dir, err);
}

static int output_open(struct output **out, const struct ras_record_options *options, char *dir,
                       struct ras_error *err)
{
    *out = NULL;
    int status = make_session(options, dir, err);
    if (status < 0)
        return status;
    return output_new(out, options, dir, err);
}

static void output_close(struct output *output)
{
    free(output->threads);
    free(output->dir);
    free(output);
}

/* ---- the files of a thread -------------------------------------------------------- */

static int create(const struct output_file *f, const char *name, int *fd, struct ras_sink **sink,
                  struct ras_error *err)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/thread_%" PRIu32 "/%s", f->output->dir, f->thread_id, name);
    /* The file that output_ring() began is overwritten, not truncated: the process may be killed
     * at any time. */
    *fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
    int status = *fd < 0 ? fail_os(err, path) : ras_sink_fd(sink, *fd, err);
    if (status == RAS_OK && f->output->compress)
        status = sink_compress(*sink, RAS_ATF_HEADER_SIZE, err);
    return status;
}

static int record_begin_detail(void *user, struct ras_sink **out, struct ras_error *err)
{
    struct output_file *f = user;
    int status = create(f, "detail.atf", &f->detail_fd, &f->detail, err);
    *out = f->detail;
    return status;
}

static void file_free(struct output_file *f)
{
    ras_sink_drop(f->index);
    ras_sink_drop(f->detail);
    if (f->index_fd >= 0)
        close(f->index_fd);
    if (f->detail_fd >= 0)
        close(f->detail_fd);
    free(f);
}

static int file_open(struct output_file *f, struct ras_error *err)
{
    char path[PATH_ROOM];
    const struct ras_atf_writer_options options = {.detail = record_begin_detail, .user = f};
    const struct ras_atf_index_header header = {.thread_id = f->thread_id};
    snprintf(path, sizeof path, "%s/thread_%" PRIu32, f->output->dir, f->thread_id);
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return fail_os(err, path);
    int status = create(f, "index.atf", &f->index_fd, &f->index, err);
    if (status == RAS_OK)
        status = ras_atf_writer_open(&f->writer, f->index, &header, &options, err);
    return status == RAS_OK ? ras_sink_flush(f->index, err) : status;
}

static int output_begin(struct output *output, uint32_t thread_id, struct output_file **out,
                        struct ras_error *err)
{
    *out = NULL;
    struct output_file *f = calloc(1, sizeof *f);
    if (!f ||
        !array_grow(&output->threads, &output->room, output->count + 1, sizeof *output->threads)) {
        free(f);
        return fail_memory(err);
    }
    *f = (struct output_file){
        .output = output, .thread_id = thread_id, .index_fd = -1, .detail_fd = -1};
    int status = file_open(f, err);
    if (status < 0) {
        (void)!ras_atf_writer_close(f->writer, NULL);
        file_free(f);
        return status;
    }
    output->threads[output->count++] = (struct ras_atf_listed){.id = thread_id};
    *out = f;
    return RAS_OK;
}

/* Blocks of a file that grows long are allocated ahead; its size stays that of its data. */
static void allocate(struct output_file *f, uint64_t more)
{
    uint64_t size = ras_sink_size(f->index);
    if (f->output->compress || size < AHEAD_FROM || size + more <= f->allocated)
        return;
    if (fallocate(f->index_fd, FALLOC_FL_KEEP_SIZE, (off_t)size, AHEAD) == 0)
        f->allocated = size + AHEAD;
    else
        f->allocated = UINT64_MAX; /* this file system cannot */
}

static int output_events(struct output_file *f, const struct ras_record_event *events, size_t count,
                         struct ras_error *err)
{
    allocate(f, count * sizeof *events);
    return ras_atf_writer_append(f->writer, events, count, err);
}

static int output_details(struct output_file *f, const void *bytes, size_t size, uint64_t *count,
                          struct ras_error *err)
{
    uint64_t before = ras_atf_writer_details(f->writer);
    int status = ras_atf_writer_append_details(f->writer, bytes, size, err);
    *count = ras_atf_writer_details(f->writer) - before;
    return status;
}

static uint64_t output_stored(const struct output_file *f)
{
    return sink_stored(f->index) + (f->detail ? sink_stored(f->detail) : 0);
}

static int output_flush(struct output_file *f, struct ras_error *err)
{
    return ras_atf_writer_flush(f->writer, err);
}

static void note_times(struct output_file *f)
{
    struct atf_written w = atf_writer_written(f->writer);
    struct output *output = f->output;
    if (w.has_events && w.times.min < output->time_min)
        output->time_min = w.times.min;
    if (w.has_events && w.times.max > output->time_max)
        output->time_max = w.times.max;
    for (size_t i = output->count; i-- > 0;)
        if (output->threads[i].id == f->thread_id)
            output->threads[i].has_detail = w.has_detail;
}

static void remove_ring(const struct output_file *f)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/thread_%" PRIu32 "/" ATF_RING_NAME, f->output->dir,
             f->thread_id);
    unlink(path);
    snprintf(path, sizeof path, "%s/thread_%" PRIu32 "/" ATF_BASE_NAME, f->output->dir,
             f->thread_id);
    unlink(path);
}

/* Complete events in the file. */
static uint64_t events_in(const struct output_file *f)
{
    struct stat st;
    if (fstat(f->index_fd, &st) < 0)
        return 0;
    uint64_t size = f->output->compress ? sink_kept(f->index) : (uint64_t)st.st_size;
    return size < RAS_ATF_HEADER_SIZE ? 0 : (size - RAS_ATF_HEADER_SIZE) / RAS_ATF_INDEX_EVENT_SIZE;
}

/* The indexes of compressed files; the details go first, as with a flush. */
static int finish_frames(struct output_file *f, struct ras_error *err)
{
    int status = f->detail ? sink_finish(f->detail, err) : RAS_OK;
    return status == RAS_OK ? sink_finish(f->index, err) : status;
}

static int output_end(struct output_file *f, uint64_t *events, struct ras_error *err)
{
    int status = ras_atf_writer_finalize(f->writer, err);
    if (status == RAS_OK && f->output->compress)
        status = finish_frames(f, err);
    uint64_t there = status == RAS_OK ? *events : events_in(f);
    *events = there < *events ? there : *events;
    note_times(f);
    if (f->allocated && f->allocated != UINT64_MAX &&
        ftruncate(f->index_fd, (off_t)ras_sink_size(f->index)) < 0 && status == RAS_OK)
        status = fail_os(err, "index.atf");
    int closed = ras_atf_writer_close(f->writer, status == RAS_OK ? err : NULL);
    if (status == RAS_OK && closed == RAS_OK)
        remove_ring(f);
    file_free(f);
    return status == RAS_OK ? closed : status;
}

/* In a forked child: drop buffered data, the parent writes it. */
static void output_leave(struct output_file *f)
{
    f->writer->finalized = true;
    (void)!ras_atf_writer_close(f->writer, NULL);
    file_free(f);
}

/* ---- durable ------------------------------------------------------------------------ */

_Static_assert(sizeof(struct event_stream_taken) == TAKEN_SIZE &&
                   offsetof(struct event_stream_taken, file_at) == TAKEN_FILE_AT &&
                   (int)STREAM_WRITING == TAKEN_WRITING && (int)STREAM_WRITTEN == TAKEN_WRITTEN &&
                   STREAM_BATCH == ATF_TYPES_BATCH && STREAM_BASE == ATF_TYPES_BASE,
               "repair expects these");

static void put_ring(const struct ring_layout *r, uint32_t thread_id, uint8_t *to)
{
    store_bytes(to + RING_MAGIC, ATF_RING_MAGIC, 8);
    store_u32(to + RING_THREAD_ID, thread_id);
    store_u64(to + RING_HEAD_AT, r->head_at);
    store_u64(to + RING_TAIL_AT, r->tail_at);
    store_u64(to + RING_EVENTS_AT, r->ring_at);
    store_u64(to + RING_CAPACITY, r->capacity);
    store_u64(to + RING_DETAIL_HEAD_AT, r->detail_head_at);
    store_u64(to + RING_DETAIL_TAIL_AT, r->detail_tail_at);
    store_u64(to + RING_DETAIL_WRAP_AT, r->detail_wrap_at);
    store_u64(to + RING_DETAIL_AT, r->detail_at);
    store_u64(to + RING_DETAIL_SIZE, r->detail_size);
    store_u64(to + RING_STREAM_HEAD_AT, r->stream_head_at);
    store_u64(to + RING_STREAM_TAIL_AT, r->stream_tail_at);
    store_u64(to + RING_STREAM_WRAP_AT, r->stream_wrap_at);
    store_u64(to + RING_STREAM_AT, r->stream_at);
    store_u64(to + RING_STREAM_SIZE, r->stream_size);
    store_u64(to + RING_BASE_AT, r->base_at);
    store_u64(to + RING_STANDING_AT, r->standalone_at);
    store_u64(to + RING_TAKEN_AT, r->taken_at);
    store_u64(to + RING_USED_AT, r->used_at);
    store_u64(to + RING_USED_SIZE, r->used_size);
    store_u64(to + RING_REASONS, RAS_RECORD_REASONS);
    store_u64(to + RING_DROPPED_AT, r->dropped_at);
    store_u64(to + RING_LOST_AT, r->lost_at);
    store_u64(to + RING_STREAM_COUNT_AT, r->stream_count_at);
    store_u64(to + RING_STREAM_DROPPED_AT, r->stream_dropped_at);
    store_u64(to + RING_DETAILS_DROPPED_AT, r->details_dropped_at);
}

/* A thread that is killed before the first drain still has an index.atf, in which a header is. */
static bool put_placeholder(const char *dir, uint32_t thread_id, bool compress)
{
    struct ras_sink *sink = NULL;
    struct ras_atf_writer *writer = NULL;
    const struct ras_atf_index_header header = {.thread_id = thread_id};
    char path[PATH_ROOM + 96], fresh[PATH_ROOM + 96];
    snprintf(path, sizeof path, "%s/index.atf", dir);
    snprintf(fresh, sizeof fresh, "%s/.index.new", dir);
    int fd = open(fresh, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    bool good = fd >= 0 && ras_sink_fd(&sink, fd, NULL) == RAS_OK &&
                (!compress || sink_compress(sink, RAS_ATF_HEADER_SIZE, NULL) == RAS_OK) &&
                ras_atf_writer_open(&writer, sink, &header, NULL, NULL) == RAS_OK;
    good = ras_atf_writer_close(writer, NULL) == RAS_OK && good;
    ras_sink_drop(sink);
    if (fd >= 0)
        close(fd);
    good = good && rename(fresh, path) == 0;
    if (!good)
        unlink(fresh);
    return good;
}

static bool put_lane(int fd, uint32_t thread_id, const struct ring_layout *ring)
{
    uint8_t header[RING_HEADER_SIZE] = {0};
    put_ring(ring, thread_id, header);
    return posix_fallocate(fd, 0, (off_t)ring->size) == 0 &&
           pwrite(fd, header, sizeof header, 0) == (ssize_t)sizeof header;
}

/* lane.ring is created before the file that makes it a thread: a thread without one has lost it. */
static int output_ring(const char *dir, uint32_t thread_id, const struct ring_layout *ring)
{
    char path[PATH_ROOM + 64], thread[PATH_ROOM + 64];
    int len = snprintf(path, sizeof path, "%s/thread_%" PRIu32, dir, thread_id);
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return -1;
    memcpy(thread, path, sizeof thread);
    snprintf(path + len, sizeof path - (size_t)len, "/" ATF_RING_NAME);
    int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    if (!put_lane(fd, thread_id, ring) ||
        !put_placeholder(thread, thread_id, recorder.options.compress)) {
        close(fd);
        unlink(path);
        rmdir(thread);
        return -1;
    }
    return fd;
}

/* ---- segments ----------------------------------------------------------------------- */

static bool put_base(const char *path, const struct lane_base *base)
{
    const struct ras_record_counts *c = &base->counts;
    uint8_t bytes[BASE_DROPPED + 2 * 8 * RAS_RECORD_REASONS] = {0};
    store_bytes(bytes + BASE_MAGIC, ATF_BASE_MAGIC, 8);
    store_u64(bytes + BASE_REASONS, RAS_RECORD_REASONS);
    store_u64(bytes + BASE_EVENTS, base->events);
    store_u64(bytes + BASE_DETAILS, base->details);
    store_u64(bytes + BASE_STREAM_EVENTS, c->events);
    store_u64(bytes + BASE_DETAILS_DROPPED, c->details_dropped);
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++) {
        store_u64(bytes + BASE_DROPPED + 8 * i, c->dropped[i]);
        store_u64(bytes + BASE_DROPPED + 8 * (RAS_RECORD_REASONS + i), c->events_dropped[i]);
    }
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    bool good = fd >= 0 && write(fd, bytes, sizeof bytes) == (ssize_t)sizeof bytes;
    if (fd >= 0)
        close(fd);
    return good;
}

/* A lane's files in a directory of a thread. */
struct lane_files {
    char dir[PATH_ROOM + 64], index[PATH_ROOM + 96], base[PATH_ROOM + 96], ring[PATH_ROOM + 96];
};

static void name_files(struct lane_files *f, const char *dir, const char *hidden,
                       uint32_t thread_id)
{
    snprintf(f->dir, sizeof f->dir, "%s/%sthread_%" PRIu32, dir, hidden, thread_id);
    snprintf(f->index, sizeof f->index, "%s/index.atf", f->dir);
    snprintf(f->base, sizeof f->base, "%s/" ATF_BASE_NAME, f->dir);
    snprintf(f->ring, sizeof f->ring, "%s/" ATF_RING_NAME, f->dir);
}

/* A thread without events has no file of its own. */
static void remove_lane_files(const struct lane_files *f)
{
    unlink(f->index);
    unlink(f->base);
    rmdir(f->dir);
}

/* The directory of the thread appears with its files; the lane comes last: until then the files
 * beside it are those of the last segment. */
static bool output_move(const char *dir, const char *to, uint32_t thread_id,
                        const struct lane_base *base, bool used)
{
    struct lane_files from, fresh, next;
    name_files(&from, dir, "", thread_id);
    name_files(&fresh, to, ".", thread_id);
    name_files(&next, to, "", thread_id);
    if (mkdir(fresh.dir, 0777) < 0 || !put_base(fresh.base, base) ||
        !put_placeholder(fresh.dir, thread_id, recorder.options.compress) ||
        rename(fresh.dir, next.dir) < 0 || rename(from.ring, next.ring) < 0) {
        remove_lane_files(&fresh);
        remove_lane_files(&next);
        return false;
    }
    if (used)
        unlink(from.base);
    else
        remove_lane_files(&from);
    return true;
}

static const struct output_ops output = {
    .open = output_open,
    .next = output_next,
    .stored = output_stored,
    .begin = output_begin,
    .events = output_events,
    .details = output_details,
    .flush = output_flush,
    .end = output_end,
    .ring = output_ring,
    .move = output_move,
    .counts = record_counts,
    .ended = record_ended,
    .forget = record_forget,
    .leave = output_leave,
    .manifest = record_manifest,
    .close = output_close,
};

int ras_record_start(const struct ras_record_options *options, struct ras_error *err)
{
    struct ras_record_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    return recorder_start(options, &output, err);
}
