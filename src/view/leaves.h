/* leaves.h - a nested value as a flat list: a row for each scalar in it, by its path, and which of
 * them differ from another list. */
#ifndef VIEW_LEAVES_H
#define VIEW_LEAVES_H

#include "base/memory.h"
#include "codec/json_write.h"

enum { LEAVES_MOST = 16384 };

struct leaf {
    const char *path; /* "players[0].pos.x" */
    const struct ras_value *value;
    unsigned flags; /* of its field: enum ras_field_flags */
};

/* Zero-initialised: empty. Values are borrowed. */
struct leaves {
    struct leaf *at;
    size_t count, room;
    struct arena texts;
    bool nomem;
    bool more; /* some were left out */
};

void leaves_free(struct leaves *);
/* Add what is in a value under a path; an empty list or map is a row, too. */
void leaves_add(struct leaves *, const char *path, const struct ras_value *value, unsigned flags);
/* Add the values of a cursor's record by the names of its fields. */
void leaves_add_record(struct leaves *, const struct ras_schema *, const struct ras_value *,
                       size_t count);

/* Rows {"name","value","before","changed"} into the open array, and how many changed. `before` is
 * NULL where there is nothing to compare with: no row has the last two then. A row that only
 * `before` has has no "value". False: memory is short. */
bool leaves_put(struct json *, const struct leaves *now, const struct leaves *before,
                uint64_t *changed);
/* One value: whole numbers beyond 2^53 as text, as JavaScript would round them. */
void leaf_put(struct json *, const char *key, const struct ras_value *, unsigned flags);
#endif
