/* blobs.h - what commands make of bytes: vertices as a table, textures as PNG files. */
#ifndef CLI_BLOBS_H
#define CLI_BLOBS_H

#include "cli/session.h"
#include <rastrum/aerogpu.h>

/* `format`: NULL, "text" or "csv". Both: an exit status. */
int put_vertices(const struct common *, const char *path, struct ras_trace *,
                 const struct ras_aero_which *, const char *format, struct answer *);
int put_texture(const struct common *, const char *path, struct ras_trace *,
                const struct ras_aero_which *, struct answer *);
#endif
