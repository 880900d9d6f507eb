/* cdt_sweep.c - copies adjacent chunks that are selected completely, in long pieces.
 *
 * Decompressing, hashing and decoding a chunk takes longer than copying it. So the range is cut
 * into jobs of some chunks each, which threads verify; the writing thread verifies jobs too while
 * it waits for the next one. Everything is written in order. */
#include "base/os.h"
#include "base/thread.h"
#include "codec/blake2b.h"
#include "formats/cdt/cdt_rewrite.h"

#include <stdlib.h>

enum {
    JOBS = 8,            /* at the same time */
    JOB_BYTES = 1 << 18, /* or four chunks, if they are slightly larger */
    DESK_BYTES = 4 << 20,
    HELPERS = 3,
    PROGRESS_EVERY = 4 << 20, /* bytes */
};

enum state { FREE, WAITING, BEING_READ, READ };

struct job {
    enum state state; /* the other members belong to the thread that set it last */
    uint64_t from, to;
    int status; /* RAS_END: a chunk does not match its header */
    uint64_t rows[CDT_ROWS];
};

struct crew {
    const struct cdt_sweep *sweep;
    struct os_thread helpers[HELPERS];
    size_t helper_count;
    struct os_mutex lock; /* guards the states of jobs and the members below */
    struct os_condition changed;
    bool stop;
    size_t made, claimed; /* jobs so far; job i is in slot i % JOBS */
    struct job jobs[JOBS];
};

/* ---- heads ------------------------------------------------------------------------------- */

/* Reads the chunk header at an offset; false: the chunk is not selected completely. */
static bool head_at(struct ras_bytes file, uint64_t at, const struct ras_rewrite_options *o,
                    struct ras_cdt_chunk *chunk)
{
    if (ras_cdt_chunk_get(file, at, chunk, NULL) < 0 || chunk->kind != RAS_CDT_TICK ||
        cdt_chunk_size(chunk) > file.len - at || chunk->start_tick < 0 ||
        chunk->end_tick < chunk->start_tick)
        return false;
    return o->axis != RAS_AXIS_TICK ||
           ((uint64_t)chunk->start_tick >= o->from && (uint64_t)chunk->end_tick < o->to);
}

static uint64_t ticks_of(const struct ras_cdt_chunk *chunk)
{
    return (uint64_t)((int64_t)chunk->end_tick - chunk->start_tick) + 1;
}

uint64_t cdt_skim(struct ras_bytes file, uint64_t at, const struct ras_rewrite_options *o,
                  struct cdt_bounds *rows)
{
    struct ras_cdt_chunk chunk;
    for (; head_at(file, at, o, &chunk); at += cdt_chunk_size(&chunk))
        cdt_bounds_add(rows, chunk.start_tick, chunk.end_tick, ticks_of(&chunk));
    return at;
}

/* The end of the job that starts here. */
static uint64_t job_end(const struct cdt_sweep *s, uint64_t from, uint64_t to)
{
    struct ras_cdt_chunk chunk;
    uint64_t at = from;
    for (unsigned n = 0; at < to && head_at(s->file, at, s->options, &chunk); n++) {
        if (at - from >= JOB_BYTES && (n % 4 == 0 || at - from >= DESK_BYTES))
            break;
        at += cdt_chunk_size(&chunk);
    }
    return at == from ? to : at; /* bytes that changed since the first pass: one job */
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Whether a block has exactly the ticks of its header. */
static bool holds_its_ticks(const struct cdt_block *b)
{
    const struct ras_cdt_chunk *chunk = &b->loaded.chunk;
    const struct ras_cdt_tick_record *ticks = b->block.ticks.at;
    bool good = b->block.ticks.count == ticks_of(chunk);
    for (size_t i = 0; good && i < b->block.ticks.count; i++)
        good = ticks[i].tick_index == chunk->start_tick + (int64_t)i;
    return good;
}

static void count_rows(const struct cdt_model *model, const struct cdt_block *b,
                       uint64_t rows[CDT_ROWS])
{
    for (size_t i = 0; i < b->block.ticks.count; i++)
        for (unsigned row = 0; row < model->row_count; row++) {
            size_t count;
            cdt_row_first(&cdt_rows[row], &b->block.ticks.at[i], &count);
            rows[row] += count;
        }
}

/* The buffers of one thread. */
struct desk {
    struct cdt_memory memories[4]; /* the lists of structs are all in the first */
    struct cdt_block blocks[4];
};

static void desk_free(struct desk *d)
{
    for (int i = 0; i < 4; i++)
        cdt_memory_free(&d->memories[i]);
}

/* Decompresses up to four chunks from *at on. */
static int load_some(const struct cdt_sweep *s, struct desk *d, uint64_t *at, uint64_t to, int *n)
{
    size_t bytes = 0;
    int status = RAS_OK;
    for (*n = 0; status == RAS_OK && *n < 4 && *at < to && bytes < DESK_BYTES; ++*n) {
        struct cdt_buffer *buffer = &d->memories[*n].buffer;
        struct cdt_loaded *loaded = &d->blocks[*n].loaded;
        buffer->sure = true; /* hashed below, four at a time */
        status = cdt_chunk_load(buffer, s->file, *at, s->limit, loaded, NULL);
        bytes += loaded->payload.len;
        *at += cdt_chunk_size(&loaded->chunk);
    }
    return status;
}

static bool checksums_hold(const struct desk *d, int n)
{
    struct ras_bytes payloads[4];
    uint64_t sums[4];
    bool good = true;
    for (int i = 0; i < 4; i++)
        payloads[i] = d->blocks[i < n ? i : 0].loaded.payload;
    if (n == 4)
        blake2b64_four(payloads, sums);
    for (int i = 0; i < n; i++) {
        uint64_t sum = n == 4 ? sums[i] : blake2b64(payloads[i].at, payloads[i].len);
        good &= sum == d->blocks[i].loaded.chunk.checksum64;
    }
    return good;
}

/* Reads chunks like cdt_block_load(). RAS_END: a chunk does not match its header. */
static int read_some(const struct cdt_sweep *s, struct desk *d, uint64_t *at, struct job *job)
{
    int n, status = load_some(s, d, at, job->to, &n);
    if (status == RAS_OK && !checksums_hold(d, n))
        return RAS_END;
    for (int i = 0; status == RAS_OK && i < n; i++) {
        struct cdt_block *b = &d->blocks[i];
        status = cdt_payload_decode(&d->memories[0], s->model->block, b->loaded.payload, 0,
                                    &b->block, &b->problem, NULL);
        if (status == RAS_OK && !holds_its_ticks(b))
            return RAS_END;
        if (status == RAS_OK)
            count_rows(s->model, b, job->rows);
    }
    return status < 0 && status != RAS_EMEMORY ? RAS_END : status;
}

static void read_job(const struct cdt_sweep *s, struct desk *desk, struct job *job)
{
    job->status = RAS_OK;
    memset(job->rows, 0, sizeof job->rows);
    for (uint64_t at = job->from; at < job->to && job->status == RAS_OK;)
        job->status = read_some(s, desk, &at, job);
}

/* Takes the next job that is not claimed yet, or NULL; the lock is held. */
static struct job *claim(struct crew *c)
{
    if (c->claimed == c->made)
        return NULL;
    struct job *job = &c->jobs[c->claimed++ % JOBS];
    job->state = BEING_READ;
    return job;
}

static void read_claimed(struct crew *c, struct desk *desk, struct job *job)
{
    read_job(c->sweep, desk, job);
    mutex_lock(&c->lock);
    job->state = READ;
    condition_notify_all(&c->changed);
    mutex_unlock(&c->lock);
}

static void *help(void *user)
{
    struct crew *c = user;
    struct desk desk = {0};
    for (;;) {
        struct job *job = NULL;
        mutex_lock(&c->lock);
        while (!c->stop && !(job = claim(c)))
            condition_wait(&c->changed, &c->lock);
        mutex_unlock(&c->lock);
        if (!job)
            break;
        read_claimed(c, &desk, job);
    }
    desk_free(&desk);
    return NULL;
}

/* ---- writing ------------------------------------------------------------------------------ */

static bool crew_open(struct crew *c, const struct cdt_sweep *s, uint64_t size)
{
    *c = (struct crew){.sweep = s};
    if (!mutex_init(&c->lock))
        return false;
    if (!condition_init(&c->changed)) {
        mutex_free(&c->lock);
        return false;
    }
    unsigned processors = os_processors();
    size_t most = processors > HELPERS ? HELPERS : processors - 1;
    while (size > JOB_BYTES && c->helper_count < most &&
           thread_start(&c->helpers[c->helper_count], help, c))
        c->helper_count++;
    return true;
}

static void crew_close(struct crew *c)
{
    mutex_lock(&c->lock);
    c->stop = true;
    condition_notify_all(&c->changed);
    mutex_unlock(&c->lock);
    for (size_t i = 0; i < c->helper_count; i++)
        thread_join(&c->helpers[i]);
    condition_free(&c->changed);
    mutex_free(&c->lock);
}

/* Creates jobs while there are free slots. */
static void make_jobs(struct crew *c, size_t written, uint64_t *next, uint64_t to)
{
    mutex_lock(&c->lock);
    while (*next < to && c->made - written < JOBS) {
        uint64_t end = job_end(c->sweep, *next, to);
        c->jobs[c->made++ % JOBS] = (struct job){.state = WAITING, .from = *next, .to = end};
        *next = end;
    }
    condition_notify_all(&c->changed);
    mutex_unlock(&c->lock);
}

/* Waits until a job is verified and verifies others meanwhile. */
static void await(struct crew *c, struct desk *desk, const struct job *job)
{
    for (;;) {
        struct job *other = NULL;
        mutex_lock(&c->lock);
        while (job->state != READ && !(other = claim(c)))
            condition_wait(&c->changed, &c->lock);
        mutex_unlock(&c->lock);
        if (!other)
            return;
        read_claimed(c, desk, other);
    }
}

static int write_job(struct cdt_sweep *s, const struct job *job, struct ras_error *err)
{
    if (job->status != RAS_OK)
        return job->status < 0 ? fail_memory(err) : job->status;
    for (unsigned row = 0; row < CDT_ROWS; row++)
        s->rows[row] += job->rows[row];
    return cdt_writer_chunks(s->writer, s->file, job->from, job->to, err);
}

int cdt_sweep(struct cdt_sweep *s, uint64_t from, uint64_t to, struct ras_error *err)
{
    struct crew *c = calloc(1, sizeof *c);
    struct desk desk = {0};
    int status = RAS_OK;
    if (!c || !crew_open(c, s, to - from)) {
        free(c);
        return fail_memory(err);
    }
    uint64_t next = from, reported = from;
    make_jobs(c, 0, &next, to);
    for (size_t i = 0; status == RAS_OK && i < c->made; i++) {
        const struct job *job = &c->jobs[i % JOBS];
        await(c, &desk, job);
        status = write_job(s, job, err);
        if (status == RAS_OK && s->options->progress && job->to - reported >= PROGRESS_EVERY) {
            reported = job->to;
            if (!s->options->progress(s->options->user, job->to, s->file.len))
                status = fail_canceled(err);
        }
        make_jobs(c, i + 1, &next, to);
    }
    crew_close(c);
    desk_free(&desk);
    free(c);
    return status;
}
