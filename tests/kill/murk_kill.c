/* murk_kill.c - frames of one command each. */
#include "kill.h"
#include <rastrum/murk.h>

#include <fcntl.h>

static void write_frames(const char *path, void (*acknowledged)(void *user), void *user)
{
    const struct ras_murk_header header = {.cell_count = 1};
    const struct ras_murk_command command = {.payload_type = RAS_MURK_DESPAWN,
                                             .payload = {(const uint8_t *)"12345678", 8}};
    struct ras_murk_writer *w;
    struct ras_sink *sink;
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    if (fd < 0 || ras_sink_fd(&sink, fd, NULL) < 0 ||
        ras_murk_writer_open(&w, sink, &header, NULL) < 0)
        return;
    for (uint64_t i = 0;; i++) {
        if (ras_murk_writer_frame(w, i + 1, &command, 1, ~i, NULL) < 0 ||
            ras_sink_flush(sink, NULL) < 0)
            return;
        acknowledged(user);
    }
}

static uint64_t number(const struct ras_cursor *c, const struct ras_record *r)
{
    (void)c;
    return r->parent == RAS_NONE ? r->tick - 1 : RAS_NONE;
}

const struct killed_writer murk_writer = {.name = "murk", .write = write_frames, .number = number};
