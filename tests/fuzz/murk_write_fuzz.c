/* murk_write_fuzz.c - whatever frames, written as a replay: they read back as they were. */
#include "fuzz.h"
#include "script.h"
#include <rastrum/murk.h>

#include <string.h>

enum { COMMANDS_MAX = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static bool same_bytes(struct ras_bytes a, struct ras_bytes b)
{
    return a.len == b.len && (!a.len || !memcmp(a.at, b.at, a.len));
}

static struct ras_murk_command command(struct script *s)
{
    uint8_t shape = (uint8_t)number(s, 1);
    struct ras_murk_command c = {.payload_type = (uint8_t)number(s, 1),
                                 .payload = data(s),
                                 .priority_class = (uint8_t)number(s, 1),
                                 .has_source_id = shape & 1,
                                 .has_source_seq = shape >> 1 & 1,
                                 .expires_after_tick = number(s, 8),
                                 .arrival_seq = number(s, 8)};
    c.source_id = c.has_source_id ? number(s, 8) : 0;
    c.source_seq = c.has_source_seq ? number(s, 8) : 0;
    return c;
}

static void compare(const struct ras_murk_command *a, const struct ras_murk_command *b)
{
    if (a->payload_type != b->payload_type || !same_bytes(a->payload, b->payload) ||
        a->priority_class != b->priority_class || a->has_source_id != b->has_source_id ||
        a->source_id != b->source_id || a->has_source_seq != b->has_source_seq ||
        a->source_seq != b->source_seq || a->expires_after_tick != b->expires_after_tick ||
        a->arrival_seq != b->arrival_seq)
        fuzz_wrong("a command became another");
}

/* Typed fields make the bytes that they were read from, where nothing is left over. */
static void payload_again(const struct ras_murk_command *c)
{
    struct ras_murk_payload p;
    struct ras_murk_fault fault;
    uint8_t room[512];
    size_t size;
    if (!ras_murk_payload_get(c->payload_type, c->payload, &p, &fault) || p.trailing)
        return;
    if (!ras_murk_payload_put(c->payload_type, &p, room, sizeof room, &size, &fault) ||
        !same_bytes(c->payload, (struct ras_bytes){room, size}))
        fuzz_wrong("a payload became another");
}

static void frame(struct script *s, struct ras_murk_writer *w, struct ras_sink *sink)
{
    struct ras_murk_command commands[COMMANDS_MAX], again;
    struct ras_murk_frame f;
    struct ras_murk_fault fault;
    uint32_t count = (uint32_t)number(s, 1) % COMMANDS_MAX;
    uint64_t tick = number(s, 8), hash = number(s, 8), before = ras_sink_size(sink);
    for (uint32_t i = 0; i < count; i++)
        commands[i] = command(s);
    if (ras_murk_writer_frame(w, tick, commands, count, hash, NULL) < 0)
        fuzz_wrong("a frame is refused");
    struct ras_bytes all = ras_sink_bytes(sink);
    struct ras_bytes rest = {all.at + before, all.len - (size_t)before};
    if (!ras_murk_frame_get(rest, &f, &fault) || f.size != rest.len || f.tick_id != tick ||
        f.snapshot_hash != hash || f.command_count != count)
        fuzz_wrong("a frame became another");
    for (uint32_t i = 0; i < count; i++) {
        if (!ras_murk_command_get(f.commands, &again, &fault))
            fuzz_wrong("command %u is gone", i);
        compare(&commands[i], &again);
        payload_again(&commands[i]);
        f.commands = (struct ras_bytes){f.commands.at + again.size, f.commands.len - again.size};
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct script s = {bytes, bytes + size};
    struct ras_murk_header h = {.toolchain = data(&s),
                                .space_descriptor = data(&s),
                                .seed = number(&s, 8),
                                .field_count = (uint32_t)number(&s, 4)};
    struct ras_murk_writer *w;
    struct ras_sink *sink;
    if (ras_sink_memory(&sink, NULL) < 0)
        return 0;
    if (ras_murk_writer_open(&w, sink, &h, NULL) == RAS_OK) {
        while (s.at < s.end)
            frame(&s, w, sink);
        if (ras_murk_writer_close(w, NULL) < 0)
            fuzz_wrong("the writer does not close");
        struct ras_bytes all = ras_sink_bytes(sink);
        fuzz_trace("murk", all.at, all.len);
    } else if (ras_sink_size(sink)) {
        fuzz_wrong("a refused header wrote something");
    }
    ras_sink_drop(sink);
    return 0;
}
