/* aerogpu_kill.c - frames of packets and blobs, some of them long; each holds its number. */
#include "kill.h"
#include <rastrum/aerogpu.h>

#include <fcntl.h>
#include <string.h>

enum { IN_FRAME = 7, LONG_EVERY = 64, LONG_SIZE = 1 << 18 };

static size_t size_of(uint64_t n)
{
    return n % LONG_EVERY ? 8 : LONG_SIZE;
}

static int write_record(struct ras_aero_writer *w, uint64_t n)
{
    static uint8_t number[LONG_SIZE];
    uint8_t packet[16] = {9, 0, 0, 0, 4}; /* DRAW of two dwords */
    struct ras_bytes data = {number, size_of(n)};
    int status = RAS_OK;
    memset(number, (uint8_t)n, data.len);
    for (unsigned i = 0; i < 8; i++)
        number[i] = packet[8 + i] = (uint8_t)(n >> 8 * i);
    if (n % IN_FRAME == 0)
        status = ras_aero_writer_begin_frame(w, (uint32_t)(n / IN_FRAME), NULL);
    if (status == RAS_OK)
        status = n % 2 ? ras_aero_writer_packet(w, (struct ras_bytes){packet, sizeof packet}, NULL)
                       : ras_aero_writer_blob(w, RAS_AERO_BUFFER_DATA, data, NULL, NULL);
    if (status == RAS_OK && n % IN_FRAME == IN_FRAME - 1)
        status = ras_aero_writer_present(w, (uint32_t)(n / IN_FRAME), NULL);
    return status;
}

static void write_trace(const char *path, void (*acknowledged)(void *user), void *user)
{
    const struct ras_aero_writer_options start = {.container_version = 2, .command_abi_version = 1};
    struct ras_aero_writer *w;
    struct ras_sink *sink;
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    if (fd < 0 || ras_sink_fd(&sink, fd, NULL) < 0 ||
        ras_aero_writer_open(&w, sink, &start, NULL) < 0)
        return;
    for (uint64_t n = 0; write_record(w, n) == RAS_OK && ras_sink_flush(sink, NULL) == RAS_OK; n++)
        acknowledged(user);
}

/* A number that is not followed by what was written with it is a wrong one. */
static uint64_t number_in(struct ras_bytes b)
{
    uint64_t n = 0;
    for (unsigned i = 0; i < 8 && i < b.len; i++)
        n |= (uint64_t)b.at[i] << 8 * i;
    for (size_t i = 8; i < b.len; i++)
        if (b.at[i] != (uint8_t)n)
            return RAS_NONE - 1;
    return b.len == size_of(n) ? n : RAS_NONE - 1;
}

static uint64_t number(const struct ras_cursor *c, const struct ras_record *r)
{
    const char *type = ras_schema_of(c)->name;
    struct ras_bytes payload = {r->raw + RAS_AERO_RECORD_HEADER_SIZE,
                                r->raw_len - RAS_AERO_RECORD_HEADER_SIZE};
    struct ras_aero_blob b;
    struct ras_aero_packet p;
    if (!strcmp(type, "blob") && ras_aero_blob_get(payload, &b, NULL) == RAS_OK)
        return number_in(b.data);
    if (!strcmp(type, "packet") && ras_aero_packet_get(payload, &p, NULL) == RAS_OK)
        return number_in(p.payload);
    return RAS_NONE;
}

const struct killed_writer aerogpu_writer = {
    .name = "aerogpu", .write = write_trace, .number = number};
