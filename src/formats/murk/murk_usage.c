/* murk_usage.c - where a replay's bytes go. */
#include "formats/murk/murk_driver.h"
#include "ops/du/usage.h"

struct books {
    struct usage *usage;
    uint64_t tick;
};

static void book(struct books *b, const char *name, const char *field, uint64_t records,
                 uint64_t bytes)
{
    usage_add(b->usage, &(struct booking){.kind = "type",
                                          .name = name,
                                          .field = field,
                                          .records = records,
                                          .raw = bytes,
                                          .frame = b->tick});
}

static void book_fields(struct books *b, const struct ras_murk_command *k)
{
    book(b, "command", "payload_type", 0, 1);
    book(b, "command", "payload", 0, 4 + k->payload.len);
    book(b, "command", "priority_class", 0, 1);
    book(b, "command", "source_id", 0, k->has_source_id ? 9 : 1);
    book(b, "command", "source_seq", 0, k->has_source_seq ? 9 : 1);
    book(b, "command", "expires_after_tick", 0, 8);
    book(b, "command", "arrival_seq", 0, 8);
}

static void book_commands(struct books *b, const struct ras_murk_frame *frame)
{
    if (!usage_by_field(b->usage)) {
        book(b, "command", NULL, frame->command_count, frame->commands.len);
        return;
    }
    struct in in = in_bytes(frame->commands);
    struct ras_murk_command k;
    struct ras_murk_fault fault;
    while (in_left(&in) && murk_command(&in, &k, &fault))
        book_fields(b, &k);
}

int murk_usage(struct ras_trace *t, struct usage *u, struct ras_error *err)
{
    (void)err;
    struct ras_bytes all = source_bytes(t->source, 0);
    struct books b = {.usage = u};
    usage_add(u, &(struct booking){
                     .kind = "header", .name = "header", .raw = t->body, .frame = RAS_NONE});
    struct ras_murk_frame frame;
    struct ras_murk_fault fault;
    uint64_t at = t->body;
    while (
        at < all.len && !usage_stopped(u) &&
        ras_murk_frame_get((struct ras_bytes){all.at + at, all.len - (size_t)at}, &frame, &fault)) {
        b.tick = frame.tick_id;
        book(&b, "frame", NULL, 1, frame.size - frame.commands.len);
        book_commands(&b, &frame);
        at += frame.size;
    }
    return RAS_OK;
}
