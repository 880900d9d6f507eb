/* write_dial9.c - two threads record events; their batches become one stream.
 *
 *   write_dial9 OUTPUT
 *
 * Each thread has a writer of its own, so that recording an event takes no lock. A
 * batch is appended to the sink under one, and can be at any time. */
#include <rastrum/dial9.h>
#include <stdio.h>
#include <threads.h>

enum { WORKERS = 2, POLLS = 3 };

struct recording {
    struct ras_sink *sink;
    mtx_t lock; /* of the sink */
};

struct worker {
    struct recording *recording;
    uint64_t id;
    struct ras_error err;
};

static const struct ras_dial9_field poll_fields[] = {
    {"worker_id", RAS_DIAL9_VARINT},
    {"spawn_loc", RAS_DIAL9_POOLED_STRING},
    {"cpu", RAS_DIAL9_U8 | RAS_DIAL9_OPTIONAL},
};
static const struct ras_dial9_schema poll_schema = {"PollStart", poll_fields, 3, true};

static int put_polls(struct ras_dial9_writer *w, uint64_t worker, struct ras_error *err)
{
    static const struct ras_bytes where = {(const uint8_t *)"src/main.rs:42:5", 16};
    uint16_t type_id;
    uint32_t pool_id;
    int status = ras_dial9_writer_schema(w, &poll_schema, &type_id, err);
    for (uint64_t i = 0; i < POLLS && status == RAS_OK; i++) {
        /* Written once, and only looked up after that. */
        status = ras_dial9_writer_string(w, where, &pool_id, err);
        if (status < 0)
            break;
        struct ras_dial9_value values[] = {
            {.type = RAS_DIAL9_VARINT, .u = worker},
            {.type = RAS_DIAL9_POOLED_STRING, .u = pool_id},
            {.type = i == 1 ? RAS_DIAL9_U8 : 0, .u = i}, /* 0: absent */
        };
        uint64_t time_ns = 1000000000 + i * 20000000 + worker;
        status = ras_dial9_writer_event(w, type_id, time_ns, values, 3, err);
    }
    return status;
}

static int work(void *user)
{
    struct worker *self = user;
    struct recording *r = self->recording;
    struct ras_dial9_writer *w;
    int status = ras_dial9_writer_open(&w, NULL, NULL, &self->err);
    if (status < 0)
        return status;
    status = put_polls(w, self->id, &self->err);
    mtx_lock(&r->lock);
    if (status == RAS_OK)
        status = ras_dial9_writer_append(w, r->sink, &self->err);
    mtx_unlock(&r->lock);
    int closed = ras_dial9_writer_close(w, NULL);
    return status < 0 ? status : closed;
}

static int record(struct recording *r, struct ras_error *err)
{
    struct worker workers[WORKERS];
    thrd_t threads[WORKERS];
    int status = RAS_OK, started = 0;
    for (; started < WORKERS; started++) {
        workers[started] = (struct worker){.recording = r, .id = (uint64_t)started};
        if (thrd_create(&threads[started], work, &workers[started]) != thrd_success)
            break;
    }
    for (int i = 0; i < started; i++) {
        int result;
        thrd_join(threads[i], &result);
        if (result < 0) {
            status = result;
            *err = workers[i].err;
        }
    }
    return started == WORKERS ? status : RAS_EMEMORY;
}

int main(int argc, char **argv)
{
    struct ras_error err = {.text = "no thread"};
    struct recording r;
    if (argc != 2) {
        fputs("usage: write_dial9 OUTPUT\n", stderr);
        return 2;
    }
    int status = ras_sink_file(&r.sink, argv[1], 0, &err);
    if (status == RAS_OK && mtx_init(&r.lock, mtx_plain) == thrd_success) {
        status = record(&r, &err);
        mtx_destroy(&r.lock);
        if (status == RAS_OK)
            status = ras_sink_close(r.sink, &err);
        else
            ras_sink_drop(r.sink);
    }
    if (status < 0)
        fprintf(stderr, "write_dial9: %s: %s\n", argv[1], err.text);
    return status < 0;
}
