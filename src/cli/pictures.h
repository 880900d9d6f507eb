/* pictures.h - frames of a trace as PNG files in a directory. */
#ifndef CLI_PICTURES_H
#define CLI_PICTURES_H

#include "cli/session.h"
#include <rastrum/gpu.h>

/* DIR/frame_N.png, or DIR/frame_N.WHAT.png where `what` is ".WHAT"; to be freed. */
char *frame_path(const char *dir, uint64_t index, const char *what);
/* Write one there; 0, or EXIT_TROUBLE after saying why. */
int write_png(const char *dir, uint64_t index, const char *what, const struct ras_picture *);
/* What was expected, what came and, of pictures of one size, where they differ. */
int write_pictures(const char *dir, uint64_t index, const struct ras_picture *expected,
                   const struct ras_picture *actual);
/* Where the size of a canvas comes from, unless it was given: one remark. False: it needs none. */
bool say_canvas(const char *path, const struct ras_rendered *, bool quiet);
/* "640x480"; NULL leaves both as they are. 0, or EXIT_TROUBLE. */
int read_size(const char *text, uint32_t *width, uint32_t *height);
#endif
