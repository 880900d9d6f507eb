/* pictures.h - frames of a trace as PNG files in a directory. */
#ifndef CLI_PICTURES_H
#define CLI_PICTURES_H

#include "cli/session.h"
#include <rastrum/gpu.h>

/* DIR/frame_N.png, or DIR/frame_N.WHAT.png where `what` is ".WHAT"; to be freed. */
char *frame_path(const char *dir, uint64_t index, const char *what);
/* Write one there; 0, or EXIT_TROUBLE after saying why. */
int write_png(const char *dir, uint64_t index, const char *what, const struct ras_picture *);
/* Write the expected and the actual picture and, if they have the same size, their difference. */
int write_pictures(const char *dir, uint64_t index, const struct ras_picture *expected,
                   const struct ras_picture *actual);
/* Note the origin of the canvas size, unless it was given. False: no note is needed. */
bool say_canvas(const char *path, const struct ras_rendered *, bool quiet);
/* "640x480"; NULL leaves both as they are. 0, or EXIT_TROUBLE. */
int read_size(const char *text, uint32_t *width, uint32_t *height);
#endif
