/* write_aerogpu.c - a GPU trace of one frame: clear the screen to red, show it.
 *
 * The commands go into an ACMD stream, the stream into a submission of the frame. The
 * file bears its name only when the trace is whole. */
#include <rastrum/aerogpu.h>
#include <stdio.h>
#include <string.h>

enum { ABI = 1 << 16 | 4, CLEAR = 0x600, CLEAR_COLOR = 1, PRESENT = 0x700 };

static uint8_t *put_u32(uint8_t *to, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        *to++ = (uint8_t)(value >> 8 * i);
    return to;
}

static uint8_t *put_f32(uint8_t *to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_u32(to, bits);
}

/* A command of that many dwords after its header, which the caller fills in. */
static uint8_t *put_command(uint8_t *to, uint32_t opcode, uint32_t dwords)
{
    struct ras_aero_command c = {.opcode = opcode,
                                 .size_bytes = RAS_AERO_COMMAND_HEADER_SIZE + 4 * dwords};
    ras_aero_command_put(&c, to);
    return to + RAS_AERO_COMMAND_HEADER_SIZE;
}

static struct ras_bytes make_stream(uint8_t room[128])
{
    static const float red[] = {1, 0, 0, 1};
    uint8_t *p = room + RAS_AERO_STREAM_HEADER_SIZE;
    p = put_u32(put_command(p, CLEAR, 7), CLEAR_COLOR);
    for (unsigned i = 0; i < 4; i++)
        p = put_f32(p, red[i]);
    p = put_u32(put_f32(p, 1), 0); /* depth and stencil */
    p = put_u32(put_u32(put_command(p, PRESENT, 2), 0), 1);
    struct ras_aero_stream s = {.abi_version = ABI, .size_bytes = (uint32_t)(p - room)};
    ras_aero_stream_put(&s, room);
    return (struct ras_bytes){room, s.size_bytes};
}

static int write_frames(struct ras_aero_writer *w, struct ras_error *err)
{
    uint8_t room[128];
    struct ras_aero_capture frame = {.submit_flags = 1, .cmd_stream = make_stream(room)};
    int status = ras_aero_writer_begin_frame(w, 0, err);
    if (status == RAS_OK)
        status = ras_aero_writer_capture(w, &frame, err);
    if (status == RAS_OK)
        status = ras_aero_writer_present(w, 0, err);
    return status == RAS_OK ? ras_aero_writer_finish(w, err) : status;
}

int main(int argc, char **argv)
{
    struct ras_aero_writer_options start = {.container_version = 2,
                                            .command_abi_version = ABI,
                                            .emulator_version = {(const uint8_t *)"example", 7}};
    struct ras_aero_writer *w = NULL;
    struct ras_sink *sink = NULL;
    struct ras_error err;
    int status = ras_sink_file(&sink, argc > 1 ? argv[1] : "red.aerogputrace", RAS_REPLACE, &err);
    if (status == RAS_OK)
        status = ras_aero_writer_open(&w, sink, &start, &err);
    if (status == RAS_OK)
        status = write_frames(w, &err);
    if (status == RAS_OK)
        status = ras_aero_writer_close(w, &err);
    else
        (void)!ras_aero_writer_close(w, NULL); /* the first failure is reported */
    if (status == RAS_OK)
        status = ras_sink_close(sink, &err);
    else
        ras_sink_drop(sink);
    if (status < 0)
        fprintf(stderr, "write_aerogpu: %s\n", err.text);
    return status < 0;
}
