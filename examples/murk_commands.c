/* murk_commands.c - the native layer: a replay in memory, command by command.
 *
 * Nothing here opens a trace or allocates: the functions of murk.h work on bytes
 * that the caller already has. */
#include <inttypes.h>
#include <rastrum/murk.h>
#include <stdio.h>

enum { ROOM = 1 << 20 };

static int complain(const struct ras_murk_fault *fault, uint64_t at)
{
    char text[160];
    fprintf(stderr, "murk_commands: offset %" PRIu64 ": %s\n", at + fault->offset,
            ras_murk_text(fault, text, sizeof text));
    return 1;
}

static void put_command(const struct ras_murk_command *command)
{
    struct ras_murk_payload payload;
    struct ras_murk_fault fault;
    const char *name = ras_murk_payload_name(command->payload_type);
    printf("    %-18s priority %u", name ? name : "(unknown)", command->priority_class);
    if (command->has_source_id)
        printf(", source %" PRIu64, command->source_id);
    if (!ras_murk_payload_get(command->payload_type, command->payload, &payload, &fault))
        printf(", not typed");
    else if (command->payload_type == RAS_MURK_MOVE)
        printf(", entity %" PRIu64 " in %zu dimensions", payload.entity_id, payload.coord.len / 4);
    putchar('\n');
}

static int put_frame(const struct ras_murk_frame *frame)
{
    struct ras_bytes rest = frame->commands;
    struct ras_murk_command command;
    struct ras_murk_fault fault;
    printf("tick %" PRIu64 ", hash 0x%016" PRIx64 "\n", frame->tick_id, frame->snapshot_hash);
    while (rest.len) {
        if (!ras_murk_command_get(rest, &command, &fault))
            return complain(&fault, 0); /* cannot be: frame_get judged them whole */
        put_command(&command);
        rest.at += command.size;
        rest.len -= (size_t)command.size;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static uint8_t memory[ROOM];
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fputs("murk_commands: name a replay\n", stderr);
        return 1;
    }
    struct ras_bytes rest = {memory, fread(memory, 1, sizeof memory, file)};
    fclose(file);

    struct ras_murk_header header;
    struct ras_murk_frame frame;
    struct ras_murk_fault fault;
    if (!ras_murk_header_get(rest, &header, &fault))
        return complain(&fault, 0);
    printf("seed %" PRIu64 ", %u fields, %" PRIu64 " cells\n", header.seed, header.field_count,
           header.cell_count);
    rest.at += header.size;
    rest.len -= (size_t)header.size;
    while (rest.len) {
        if (!ras_murk_frame_get(rest, &frame, &fault))
            return complain(&fault, (uint64_t)(rest.at - memory));
        if (put_frame(&frame))
            return 1;
        rest.at += frame.size;
        rest.len -= (size_t)frame.size;
    }
    return 0;
}
