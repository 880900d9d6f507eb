/* murk_fuzz.c - Murk replays of any bytes: as records, and natively. */
#include "fuzz.h"
#include <rastrum/murk.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The native reader must see the same frames and commands as the records. */
static void native(struct ras_bytes bytes)
{
    struct ras_murk_header header;
    struct ras_murk_frame frame;
    struct ras_murk_command command;
    struct ras_murk_payload payload;
    struct ras_murk_fault fault;
    if (!ras_murk_header_get(bytes, &header, &fault))
        return;
    struct ras_bytes rest = {bytes.at + header.size, bytes.len - header.size};
    while (rest.len && ras_murk_frame_get(rest, &frame, &fault)) {
        struct ras_bytes in = frame.commands;
        for (uint32_t i = 0; i < frame.command_count; i++) {
            if (!ras_murk_command_get(in, &command, &fault))
                fuzz_wrong("command %u of a whole frame is not whole", i);
            if (ras_murk_payload_get(command.payload_type, command.payload, &payload, &fault) &&
                payload.trailing > command.payload.len)
                fuzz_wrong("more bytes left over than there are");
            in = (struct ras_bytes){in.at + command.size, in.len - command.size};
        }
        if (in.len)
            fuzz_wrong("%zu bytes after the last command", in.len);
        rest = (struct ras_bytes){rest.at + frame.size, rest.len - frame.size};
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    native((struct ras_bytes){bytes, size});
    fuzz_trace("murk", bytes, size);
    return 0;
}
