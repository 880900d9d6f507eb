/* write_murk.c - a simulation records its inputs, tick by tick, as a replay.
 *
 *   write_murk OUTPUT */
#include <rastrum/murk.h>
#include <stdio.h>

enum { TICKS = 3 };

#define TEXT(text)                                                                                 \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }

/* What a player did in this tick: entity 7 moves one cell to the right. */
static struct ras_murk_command make_move(uint64_t tick, uint8_t *room, size_t size)
{
    const uint8_t coord[8] = {(uint8_t)tick, 0, 0, 0, 2, 0, 0, 0}; /* x, y as i32 */
    struct ras_murk_payload move = {.entity_id = 7, .coord = {coord, sizeof coord}};
    struct ras_murk_fault fault;
    size_t len = 0;
    ras_murk_payload_put(RAS_MURK_MOVE, &move, room, size, &len, &fault);
    return (struct ras_murk_command){.payload_type = RAS_MURK_MOVE,
                                     .payload = {room, len},
                                     .has_source_id = true,
                                     .source_id = 1,
                                     .expires_after_tick = tick + 10,
                                     .arrival_seq = tick};
}

/* Stands for the hash of the world's state after the tick. */
static uint64_t hash_world(uint64_t tick)
{
    return 0xcbf29ce484222325u ^ tick * 0x100000001b3u;
}

static int record(struct ras_sink *sink, struct ras_error *err)
{
    const struct ras_murk_header header = {.toolchain = TEXT("c17"),
                                           .murk_version = TEXT("0.1.9"),
                                           .seed = 42,
                                           .config_hash = 1,
                                           .field_count = 1,
                                           .cell_count = 64};
    struct ras_murk_writer *w;
    int status = ras_murk_writer_open(&w, sink, &header, err);
    for (uint64_t tick = 1; status == RAS_OK && tick <= TICKS; tick++) {
        uint8_t room[64];
        struct ras_murk_command move = make_move(tick, room, sizeof room);
        status = ras_murk_writer_frame(w, tick, &move, 1, hash_world(tick), err);
    }
    int closed = ras_murk_writer_close(w, status == RAS_OK ? err : NULL);
    return status < 0 ? status : closed;
}

int main(int argc, char **argv)
{
    struct ras_sink *sink;
    struct ras_error err;
    if (argc != 2) {
        fputs("usage: write_murk OUTPUT\n", stderr);
        return 2;
    }
    int status = ras_sink_file(&sink, argv[1], 0, &err);
    if (status == RAS_OK) {
        status = record(sink, &err);
        if (status == RAS_OK)
            status = ras_sink_close(sink, &err);
        else
            ras_sink_drop(sink);
    }
    if (status < 0)
        fprintf(stderr, "write_murk: %s: %s\n", argv[1], err.text);
    return status < 0;
}
