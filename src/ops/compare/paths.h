/* paths.h - which paths of fields a format knows, and suggestions for unknown ones.
 *
 * A known path is written as in reports, with [*] for every index or key; `...` at its end means
 * anything below. */
#ifndef OPS_COMPARE_PATHS_H
#define OPS_COMPARE_PATHS_H

#include <rastrum/rastrum.h>

struct known_paths {
    char **items, **shown; /* with the `...` at its end, and without */
    size_t count, room, shown_room;
    bool nomem;
};

void paths_add(struct known_paths *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void paths_free(struct known_paths *);
/* Whether a path, perhaps with *, names a known path or one above it. */
bool paths_know(const struct known_paths *, const char *path);
/* "; did you mean 'a' or 'b'?", or "". */
const char *paths_near(const struct known_paths *, const char *path, char *text, size_t size);
#endif
