/* atf_record.c - a recording as an ATF session: its directory and the files of its threads. */
#include "formats/atf/atf_record.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(struct ras_record_event) == RAS_ATF_INDEX_EVENT_SIZE &&
                   offsetof(struct ras_record_event, function_id) == EVENT_FUNCTION_ID &&
                   offsetof(struct ras_record_event, thread_id) == EVENT_THREAD_ID &&
                   offsetof(struct ras_record_event, event_kind) == EVENT_KIND &&
                   offsetof(struct ras_record_event, call_depth) == EVENT_CALL_DEPTH &&
                   offsetof(struct ras_record_event, detail_seq) == EVENT_DETAIL_SEQ,
               "a ring holds events as they are stored");
_Static_assert((int)RAS_TRACE_CALL == RAS_ATF_CALL && (int)RAS_TRACE_RETURN == RAS_ATF_RETURN &&
                   (int)RAS_TRACE_EXCEPTION == RAS_ATF_EXCEPTION && UINT32_MAX == RAS_ATF_NO_DETAIL,
               "and in the specification's words");
_Static_assert((int)DETAIL_HEAD == RAS_ATF_DETAIL_EVENT_SIZE &&
                   (int)DETAIL_PAYLOAD == RAS_ATF_PAYLOAD_SIZE,
               "details too");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "which are little-endian");

enum { PATH_ROOM = 4096, AHEAD = 64 << 20, AHEAD_FROM = 4 << 20 };

/* ---- the directory --------------------------------------------------------------- */

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

/* localtime_r() reads the time zone into the program's heap: only who names no session needs it. */
static void put_stamp(time_t when, char *to, size_t room)
{
    struct tm t;
    localtime_r(&when, &t);
    strftime(to, room, "%Y%m%d_%H%M%S", &t);
}

/* `again`: how often the name was taken. exec() leaves the process id as it is. */
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

/* A process that records twice in a second has two sessions all the same. */
static int make_session(const struct ras_record_options *o, char *dir, struct ras_error *err)
{
    time_t now = time(NULL);
    for (int again = 0;; again++) {
        int status = name_dir(o, now, again, dir, err);
        if (status == RAS_OK)
            status = make_dirs(dir, err);
        if (status < 0 || mkdir(dir, 0777) == 0)
            return status;
        if (errno != EEXIST || again > 3600)
            return fail_os(err, dir);
    }
}

static int output_open(struct output **out, const struct ras_record_options *options, char *dir,
                       struct ras_error *err)
{
    *out = NULL;
    int status = make_session(options, dir, err);
    if (status < 0)
        return status;
    struct output *output = calloc(1, sizeof *output);
    if (output)
        output->dir = text_copy(dir, strlen(dir));
    if (!output || !output->dir) {
        free(output);
        return fail_memory(err);
    }
    output->time_min = UINT64_MAX;
    *out = output;
    return RAS_OK;
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
    /* What ring() began is written over, not emptied: a kill may come any time. */
    *fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
    return *fd < 0 ? fail_os(err, path) : ras_sink_fd(sink, *fd, err);
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

/* A file that grows long is given its blocks ahead; its size stays what was written. */
static void allocate(struct output_file *f, uint64_t more)
{
    uint64_t size = ras_sink_size(f->index);
    if (size < AHEAD_FROM || size + more <= f->allocated)
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
}

/* Whole events that lie in the file. */
static uint64_t events_in(const struct output_file *f)
{
    struct stat st;
    if (fstat(f->index_fd, &st) < 0 || st.st_size < RAS_ATF_HEADER_SIZE)
        return 0;
    return (uint64_t)(st.st_size - RAS_ATF_HEADER_SIZE) / RAS_ATF_INDEX_EVENT_SIZE;
}

static int output_end(struct output_file *f, uint64_t *events, struct ras_error *err)
{
    int status = ras_atf_writer_finalize(f->writer, err);
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

/* What is kept back is the parent's to write. */
static void output_leave(struct output_file *f)
{
    f->writer->finalized = true;
    (void)!ras_atf_writer_close(f->writer, NULL);
    file_free(f);
}

/* ---- durable ------------------------------------------------------------------------ */

_Static_assert(sizeof(struct stream_taken) == TAKEN_SIZE &&
                   offsetof(struct stream_taken, file_at) == TAKEN_FILE_AT &&
                   (int)STREAM_WRITING == TAKEN_WRITING && (int)STREAM_WRITTEN == TAKEN_WRITTEN &&
                   STREAM_BATCH == ATF_TYPES_BATCH && STREAM_BASE == ATF_TYPES_BASE,
               "what repair looks for");

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

/* A thread that is killed before the drain comes has an index.atf all the same. */
static bool put_placeholder(const char *path, uint32_t thread_id)
{
    struct ras_sink *sink = NULL;
    struct ras_atf_writer *writer = NULL;
    const struct ras_atf_index_header header = {.thread_id = thread_id};
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
    bool good = fd >= 0 && ras_sink_fd(&sink, fd, NULL) == RAS_OK &&
                ras_atf_writer_open(&writer, sink, &header, NULL, NULL) == RAS_OK;
    good = ras_atf_writer_close(writer, NULL) == RAS_OK && good;
    ras_sink_drop(sink);
    if (fd >= 0)
        close(fd);
    return good;
}

static bool put_lane(int fd, uint32_t thread_id, const struct ring_layout *ring)
{
    uint8_t header[RING_HEADER_SIZE] = {0};
    put_ring(ring, thread_id, header);
    return posix_fallocate(fd, 0, (off_t)ring->size) == 0 &&
           pwrite(fd, header, sizeof header, 0) == (ssize_t)sizeof header;
}

/* The lane is there before the file that makes it a thread: one without a lane has lost it. */
static int output_ring(const char *dir, uint32_t thread_id, const struct ring_layout *ring)
{
    char path[PATH_ROOM + 64], index[PATH_ROOM + 64];
    int len = snprintf(path, sizeof path, "%s/thread_%" PRIu32, dir, thread_id);
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return -1;
    snprintf(index, sizeof index, "%.*s/index.atf", len, path);
    snprintf(path + len, sizeof path - (size_t)len, "/" ATF_RING_NAME);
    int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    if (!put_lane(fd, thread_id, ring) || !put_placeholder(index, thread_id)) {
        close(fd);
        unlink(path);
        return -1;
    }
    return fd;
}

static const struct output_ops output = {
    .open = output_open,
    .begin = output_begin,
    .events = output_events,
    .details = output_details,
    .flush = output_flush,
    .end = output_end,
    .ring = output_ring,
    .counts = atf_record_counts,
    .ended = atf_record_ended,
    .forget = atf_record_forget,
    .leave = output_leave,
    .manifest = atf_record_manifest,
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
