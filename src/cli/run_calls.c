/* run_calls.c - the calls of a world's functions, through the recorder of this process. */
#include "cli/world_choice.h"
#include <rastrum/record.h>

static int start(const char *dir, struct ras_error *err)
{
    /* Threads wait rather than lose a call; the recorder handles no signals. */
    const struct ras_record_options how = {.exact = dir, .no_crash = true};
    return ras_record_start(&how, err);
}

static uint64_t function(const char *module, const char *name)
{
    uint32_t number = ras_record_module(module);
    return number ? ras_record_function(number, name) : 0;
}

static void call(uint64_t id)
{
    ras_trace_call(id);
}

static void leave(uint64_t id)
{
    ras_trace_return(id);
}

/* The first eight words are in the order of a processor's registers. */
static void call_with(uint64_t id, const uint64_t *args, uint32_t count)
{
    struct ras_detail detail = {0};
    for (uint32_t i = 0; i < count && i < sizeof detail.regs / sizeof *detail.regs; i++)
        detail.regs[i] = args[i];
    ras_trace_detail(RAS_TRACE_CALL, id, &detail);
}

static uint64_t recorded(uint32_t *thread)
{
    *thread = RAS_LANE ? RAS_LANE->thread_id : 0;
    return RAS_LANE ? RAS_LANE->head : 0;
}

const struct ras_run_calls run_calls = {
    .start = start,
    .stop = ras_record_stop,
    .function = function,
    .call = call,
    .leave = leave,
    .call_with = call_with,
    .recorded = recorded,
};
