/* dial9_kill.c - events, a string for every third, batches that begin again. */
#include "kill.h"
#include <rastrum/dial9.h>

#include <fcntl.h>
#include <stdio.h>

static int put(struct ras_dial9_writer *w, uint64_t i)
{
    static const struct ras_dial9_field fields[] = {
        {"n", RAS_DIAL9_VARINT}, {"s", RAS_DIAL9_POOLED_STRING}, {"t", RAS_DIAL9_STRING}};
    const struct ras_dial9_schema schema = {"Ev", fields, 3, true};
    char text[32];
    int len = snprintf(text, sizeof text, "string %u", (unsigned)(i / 3 % 100));
    const struct ras_bytes string = {(const uint8_t *)text, (size_t)len};
    uint16_t type_id;
    uint32_t pool_id;
    if (i % 1000 == 999 && ras_dial9_writer_batch(w, NULL) < 0)
        return -1;
    if (ras_dial9_writer_schema(w, &schema, &type_id, NULL) < 0 ||
        ras_dial9_writer_string(w, string, &pool_id, NULL) < 0)
        return -1;
    const struct ras_dial9_value values[] = {
        {.type = RAS_DIAL9_VARINT, .u = i},
        {.type = RAS_DIAL9_POOLED_STRING, .u = pool_id},
        {.type = RAS_DIAL9_STRING, .count = (uint32_t)len, .at = string.at}};
    return ras_dial9_writer_event(w, type_id, i * 9000000, values, 3, NULL);
}

/* Small batches of its own, so that appending is all there is between two promises. */
static void write_events(const char *path, void (*acknowledged)(void *user), void *user)
{
    struct ras_dial9_writer *w;
    struct ras_sink *sink;
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    if (fd < 0 || ras_sink_fd(&sink, fd, NULL) < 0 ||
        ras_dial9_writer_open(&w, NULL, NULL, NULL) < 0)
        return;
    for (uint64_t i = 0;; i++) {
        if (put(w, i) < 0)
            return;
        if (i % 4)
            continue;
        if (ras_dial9_writer_append(w, sink, NULL) < 0 || ras_sink_flush(sink, NULL) < 0)
            return;
        for (unsigned k = 0; k < (i ? 4 : 1); k++)
            acknowledged(user);
    }
}

static uint64_t number(const struct ras_cursor *c, const struct ras_record *r)
{
    (void)r;
    return ras_values(c, &(size_t){0})[0].u;
}

const struct killed_writer dial9_writer = {
    .name = "dial9", .write = write_events, .number = number};
