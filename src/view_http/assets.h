/* assets.h - the files of web/, compressed, in the program: a table that tools/assets writes. */
#ifndef VIEW_HTTP_ASSETS_H
#define VIEW_HTTP_ASSETS_H

#include <stddef.h>
#include <stdint.h>

struct asset {
    const char *name; /* "main.js" */
    const char *type;
    const uint8_t *bytes; /* gzip */
    size_t size;
};

extern const struct asset assets[]; /* ends with a row without name */

/* rastrum.html: the viewer as one file, with the readers in it. Without a size where this build has
 * none. */
extern const uint8_t *const html_page;
extern const size_t html_page_size;

/* The file of a path such as "/main.js"; "/" is index.html. NULL: there is none. */
const struct asset *asset_of(const char *path);
#endif
