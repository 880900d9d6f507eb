/* world_fuzz.c - Murk replays of any bytes, executed: whatever recipe, commands and ticks they
 * have, they end the same each time, and with a message where they cannot be executed. */
#include "fuzz.h"
#include <rastrum/replay.h>
#include <rastrum/rastrum.h>

#include <string.h>

enum { CELLS_MOST = 10000, TICKS_MOST = 64, COMMANDS_MOST = 4096 };

/* Large worlds are for other tests: a recipe whose sizes make more cells takes too long. */
static bool is_small(const uint8_t *data, size_t size)
{
    static const char word[] = "space ";
    const uint8_t *end = data + size, *at = data;
    while ((at = memmem(at, (size_t)(end - at), word, sizeof word - 1))) {
        uint64_t cells = 1, number = 0;
        for (; at < end && *at != '\n' && cells <= CELLS_MOST; at++) {
            bool digit = *at >= '0' && *at <= '9';
            if (!digit && number)
                cells *= number;
            number = digit && number <= CELLS_MOST ? 10 * number + (uint64_t)(*at - '0') : 0;
        }
        if (cells > CELLS_MOST)
            return false;
    }
    return true;
}

struct seen {
    uint64_t ticks, sum;
};

static bool see(void *user, const struct ras_replay_tick *t)
{
    struct seen *s = user;
    if (t->step->receipt_count > t->step->command_count)
        fuzz_wrong("%u receipts of %u commands", t->step->receipt_count, t->step->command_count);
    for (uint32_t i = 0; i < t->step->receipt_count; i++)
        s->sum = s->sum * 31 + t->step->receipts[i].reason;
    s->sum = s->sum * 31 + t->replayed;
    return ++s->ticks < TICKS_MOST && t->step->command_count < COMMANDS_MOST;
}

static struct seen execute(struct ras_trace *t, bool recorded_order)
{
    struct seen seen = {0};
    struct ras_replay *r;
    struct ras_error err = {0};
    const struct ras_replay_options how = {.worlds = ras_worlds(),
                                           .keep_going = true,
                                           .lenient_ticks = true,
                                           .recorded_order = recorded_order,
                                           .tick = see,
                                           .user = &seen};
    int status = ras_replay(&r, t, &how, &err);
    if (status < 0 && (r || !*err.text))
        fuzz_wrong("refused without a word");
    if (status == RAS_OK && (r->ticks < r->mismatches || r->ticks < r->rolled_back))
        fuzz_wrong("more ticks went wrong than there were");
    ras_replay_free(r);
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ras_options options = {.format = "murk"};
    struct ras_trace *t;
    if (!is_small(data, size) || ras_open_memory(&t, data, size, &options, NULL) < 0)
        return 0;
    for (int recorded = 0; recorded < 2; recorded++) {
        struct seen first = execute(t, recorded), again = execute(t, recorded);
        if (first.ticks != again.ticks || first.sum != again.sum)
            fuzz_wrong("executed again it comes out otherwise");
    }
    ras_close(t);
    return 0;
}
