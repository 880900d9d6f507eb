/* software.c - the back end that needs no GPU: streams in, command by command. */
#include "base/error.h"
#include "gpu/content.h"
#include "gpu/appendix.h"
#include "gpu/draw.h"
#include "gpu/machine.h"
#include "gpu/texture.h"

#include <stdarg.h>

int call_fail(const struct gpu_call *call, int status, const char *fmt, ...)
{
    char text[sizeof call->err->text];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return fail(call->err, status, call->offset, "%s: %s", call->name, text);
}

int call_remark(struct gpu *g, const struct gpu_call *call, const char *fmt, ...)
{
    if (!g->events.remark)
        return RAS_OK;
    char text[sizeof call->err->text];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return g->events.remark(g->events.user, call->offset, call->name, text, call->err);
}

int call_work(struct gpu *g, const struct gpu_call *call, uint64_t cost)
{
    return work_take(&g->work, cost) ? RAS_OK : call_work_refused(g, call);
}

int call_work_refused(const struct gpu *g, const struct gpu_call *call)
{
    char why[120];
    return call_fail(call, RAS_ELIMIT, "%s", work_refusal(&g->work, why));
}

int call_items(const struct gpu_call *call, size_t at, uint64_t count, size_t size)
{
    if (call->payload.len < at || count > (call->payload.len - at) / size)
        return call_fail(call, RAS_EFORMAT,
                         "%" PRIu64 " items of %zu bytes in a command of %" PRIu32, count, size,
                         call->size_bytes);
    return RAS_OK;
}

static const struct gpu_command *command_find(uint32_t opcode)
{
    size_t low = 0, high = gpu_command_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (gpu_commands[middle].opcode < opcode)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < gpu_command_count && gpu_commands[low].opcode == opcode;
    return found ? &gpu_commands[low] : NULL;
}

/* Unknown opcodes are skipped, as the ABI wants it; what they would have done nobody knows. */
static int skip_unknown(struct gpu *g, struct gpu_call *call)
{
    call->name = "UNKNOWN";
    call->row = (uint32_t)gpu_command_count;
    g->taint |= call_bit(call);
    return call_remark(g, call, "opcode 0x%03" PRIx32 " is not known", call->opcode);
}

static int execute(struct gpu *g, struct gpu_call *call)
{
    const struct gpu_command *command = command_find(call->opcode);
    const struct ras_aero_op *op = ras_aero_command_op(call->opcode, call->size_bytes);
    if (!command || !op)
        return skip_unknown(g, call);
    call->name = op->name;
    call->row = (uint32_t)(command - gpu_commands);
    if (call->size_bytes < op->size_bytes)
        return call_fail(call, RAS_EFORMAT, "%" PRIu32 " bytes, at least %" PRIu32 " wanted",
                         call->size_bytes, op->size_bytes);
    return command->run ? command->run(g, call) : RAS_OK;
}

static int submit(struct gpu *g, struct ras_bytes stream, const struct gpu_source *source,
                  struct ras_error *err)
{
    struct ras_aero_stream header;
    struct gpu_call call = {.source = source, .err = err, .name = "ACMD"};
    struct ras_error why;
    call.offset = source->offset;
    if (!stream.len) { /* what recorders store where a submission could not be read */
        g->taint |= UINT64_C(1) << gpu_command_count;
        return call_remark(g, &call, "a submission without commands");
    }
    int status = ras_aero_stream_get(stream, &header, &why);
    if (status)
        return call_fail(&call, status, "%s", why.text);
    work_begin(&g->work);
    g->written_back_count = 0;
    g->shown = &g->state;
    call.abi_minor = header.abi_version & 0xffff;
    uint64_t at = 0;
    while (!status) {
        struct ras_aero_command command;
        call.offset = source->offset + RAS_AERO_STREAM_HEADER_SIZE + at;
        status = ras_aero_command_get(header.commands, &at, &command, &why);
        if (status == RAS_END)
            return RAS_OK;
        if (status) {
            call.name = "ACMD";
            return call_fail(&call, status, "%s", why.text);
        }
        call.opcode = command.opcode;
        call.size_bytes = command.size_bytes;
        call.payload = command.payload;
        status = execute(g, &call);
    }
    return status;
}

static uint32_t or_usual(uint32_t value, uint32_t usual)
{
    return value ? value : usual;
}

static struct gpu_limits limits_of(const struct gpu_limits *asked)
{
    struct gpu_limits limits = gpu_limits_of(asked);
    /* Coordinates have 8 bits below the point and must fit beside a guard band. */
    if (limits.side > 16384)
        limits.side = 16384;
    return limits;
}

static void software_close(struct gpu *g)
{
    if (!g)
        return;
    objects_free(g);
    texture_free(g, g->canvas);
    draw_free(g->draw);
    appendix_free(g);
    free(g->picture);
    free(g);
}

static int software_open(struct gpu **out, const struct gpu_setup *setup, struct ras_error *err)
{
    *out = NULL;
    struct gpu *g = calloc(1, sizeof *g);
    if (!g)
        return fail_memory(err);
    g->limits = limits_of(&setup->limits);
    work_start(&g->work, &g->limits);
    g->events = setup->events;
    state_reset(&g->state);
    g->shown = &g->state;
    const struct gpu_call call = {.err = err, .name = "canvas", .offset = RAS_NONE};
    int status = texture_canvas(g, &call, or_usual(setup->width, 64), or_usual(setup->height, 64));
    if (!status)
        status = draw_new(&g->draw, err);
    if (status) {
        software_close(g);
        return status;
    }
    *out = g;
    return RAS_OK;
}

/* Every command is executed when it comes. */
static int end_frame(struct gpu *g, struct ras_error *err)
{
    (void)g;
    (void)err;
    return RAS_OK;
}

static void quiet(struct gpu *g, bool on)
{
    g->quiet = on;
}

static int look(struct gpu *g, struct gpu_present *now, struct ras_error *err)
{
    return machine_picture(g, now, err);
}

const struct gpu_backend gpu_software = {
    .name = "software",
    .open = software_open,
    .submit = submit,
    .packet = appendix_packet,
    .end_frame = end_frame,
    .quiet = quiet,
    .look = look,
    .texture = content_texture,
    .vertices = content_vertices,
    .close = software_close,
};
