/* gles_process.c - start the process that runs OpenGL ES, hand it calls, and outlive it. */
#include "gpu/gles_process.h"
#include "base/error.h"
#include <rastrum/aerogpu.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { START_MS = 60000 }; /* the first start on a machine reads a hundred megabytes */

/* ---- its exit ---------------------------------------------------------------------------- */

static int reap(struct gles_process *p)
{
    int state = 0;
    while (waitpid(p->pid, &state, 0) < 0 && errno == EINTR)
        ;
    p->pid = 0;
    return state;
}

static const char *opcode_name(uint32_t opcode)
{
    const struct ras_aero_op *op = ras_aero_packet_op(opcode);
    return op ? op->name : "start";
}

static int died(struct gles_process *p, struct ras_error *err)
{
    const char *name = opcode_name(p->shared->opcode);
    uint64_t offset = p->shared->offset;
    int state = reap(p);
    if (WIFSIGNALED(state))
        return fail(err, RAS_EUNSUPPORTED, offset, "%s: the OpenGL driver crashed (signal %d)",
                    name, WTERMSIG(state));
    return fail(err, RAS_EUNSUPPORTED, offset, "%s: the OpenGL driver ended its process (%d)", name,
                WEXITSTATUS(state));
}

static int hung(struct gles_process *p, uint32_t time_ms, struct ras_error *err)
{
    const char *name = opcode_name(p->shared->opcode);
    uint64_t offset = p->shared->offset;
    kill(p->pid, SIGKILL);
    reap(p);
    return fail(err, RAS_ELIMIT, offset,
                "%s: the OpenGL driver took longer than %" PRIu32 " ms (timeout)", name, time_ms);
}

/* ---- requests and answers ---------------------------------------------------------------- */

/* Its text, of which an error shows the first two lines as one. */
static int judge_answer(struct gles_shared *s, struct ras_error *err)
{
    int status = s->status;
    uint32_t opcode = s->opcode;
    if (status == RAS_OK)
        return RAS_OK;
    if (status > RAS_OK || status < RAS_ECANCELED)
        status = RAS_EUNSUPPORTED;
    s->text[GLES_TEXT_SIZE - 1] = 0;
    for (char *p = s->text; *p; p++)
        if (*p != '\n' && (*p < 0x20 || *p > 0x7e))
            *p = '?';
    size_t first = strcspn(s->text, "\n");
    const char *second = s->text + first + (s->text[first] == '\n');
    return fail(err, status, s->offset, "%s%s%.*s%s%.*s", opcode ? opcode_name(opcode) : "",
                opcode ? ": " : "", (int)first, s->text, *second ? ": " : "",
                (int)strcspn(second, "\n"), second);
}

/* RAS_OK: it answered, and all went well. */
static int wait_answer(struct gles_process *p, uint32_t time_ms, struct ras_error *err)
{
    struct pollfd fd = {.fd = p->answer, .events = POLLIN};
    int64_t end = work_now_ms() + time_ms;
    uint8_t byte;
    for (;;) {
        int64_t left = end - work_now_ms();
        int ready = poll(&fd, 1, left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready < 0)
            return fail_os(err, "poll");
        if (!ready && work_now_ms() < end)
            continue;
        if (!ready)
            return hung(p, time_ms, err);
        ssize_t got = read(p->answer, &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got != 1)
            return died(p, err);
        break;
    }
    return judge_answer(p->shared, err);
}

int gles_process_run(struct gles_process *p, struct ras_error *err)
{
    if (!p->pid)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "the OpenGL driver is gone");
    if (!p->shared->used)
        return RAS_OK;
    work_begin(&p->work);
    while (write(p->ask, "", 1) < 0)
        if (errno != EINTR)
            return fail_os(err, "write to the OpenGL process");
    int status = wait_answer(p, p->work.time_ms, err);
    uint64_t took_ns = (uint64_t)(work_now_ms() - p->work.began_ms) * 1000000;
    char why[120];
    p->shared->used = 0;
    if (status == RAS_OK && !work_take(&p->work, took_ns))
        return fail(err, RAS_ELIMIT, p->shared->offset, "%s: %s", opcode_name(p->shared->opcode),
                    work_refusal(&p->work, why));
    return status;
}

int gles_process_put(struct gles_process *p, const struct gles_call *call, const void *data,
                     struct ras_error *err)
{
    struct gles_shared *s = p->shared;
    size_t size = sizeof *call + (((size_t)call->len + 7) & ~(size_t)7);
    if (size > GLES_QUEUE_SIZE)
        return fail(err, RAS_ELIMIT, call->offset, "%s: %" PRIu32 " bytes, at most %zu",
                    opcode_name(call->opcode), call->len, GLES_QUEUE_SIZE - sizeof *call);
    if (size > GLES_QUEUE_SIZE - s->used) {
        int status = gles_process_run(p, err);
        if (status < 0)
            return status;
    }
    memcpy(s->queue + s->used, call, sizeof *call);
    if (call->len)
        memcpy(s->queue + s->used + sizeof *call, data, call->len);
    s->used += (uint32_t)size;
    return RAS_OK;
}

void gles_process_flip(struct gles_process *p)
{
    size_t row = (size_t)p->width * 4;
    uint8_t *top = p->shared->pixels, *bottom = top + row * (p->height - 1);
    for (; top < bottom; top += row, bottom -= row) {
        for (size_t i = 0; i < row; i++) {
            uint8_t kept = top[i];
            top[i] = bottom[i];
            bottom[i] = kept;
        }
    }
}

/* ---- starting it ------------------------------------------------------------------------- */

static void close_pipes(const int *ask, const int *answer)
{
    for (int i = 0; i < 2; i++) {
        if (ask[i] >= 0)
            close(ask[i]);
        if (answer[i] >= 0)
            close(answer[i]);
    }
}

static int start(struct gles_process *p, const struct gpu_limits *limits, struct ras_error *err)
{
    int ask[2] = {-1, -1}, answer[2] = {-1, -1};
    if (pipe2(ask, O_CLOEXEC) < 0 || pipe2(answer, O_CLOEXEC) < 0) {
        close_pipes(ask, answer);
        return fail_os(err, "pipe");
    }
    int pid = fork();
    if (pid < 0) {
        close_pipes(ask, answer);
        return fail_os(err, "fork");
    }
    if (!pid) {
        close(ask[1]);
        close(answer[0]);
        gles_child(p->shared, ask[0], answer[1], limits);
    }
    close(answer[1]);
    p->pid = pid;
    p->ask = ask[1];
    p->ask_read = ask[0];
    p->answer = answer[0];
    return RAS_OK;
}

int gles_process_open(struct gles_process *p, uint32_t width, uint32_t height,
                      const struct gpu_limits *limits, struct ras_error *err)
{
    *p = (struct gles_process){
        .ask = -1, .answer = -1, .ask_read = -1, .width = width, .height = height};
    work_start(&p->work, limits);
    size_t size = sizeof *p->shared + (size_t)width * height * 4;
    void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return fail_memory(err);
    p->shared = shared;
    p->shared_size = size;
    p->shared->width = width;
    p->shared->height = height;
    p->shared->offset = RAS_NONE;
    int status = start(p, limits, err);
    if (status == RAS_OK)
        status = wait_answer(p, START_MS, err);
    if (status < 0)
        gles_process_close(p);
    return status;
}

void gles_process_close(struct gles_process *p)
{
    if (p->pid) {
        kill(p->pid, SIGKILL);
        reap(p);
    }
    const int ends[] = {p->ask, p->ask_read, p->answer};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (p->shared && ends[i] >= 0)
            close(ends[i]);
    if (p->shared)
        munmap(p->shared, p->shared_size);
    *p = (struct gles_process){0};
}
