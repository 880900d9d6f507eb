/* cdt_cells.h - structs of schema 12 from values. */
#ifndef CDT_CELLS_H
#define CDT_CELLS_H

#include "core/row.h"
#include "formats/cdt/cdt_model.h"

/* Fill the struct at `out` with the members named by these cells, name, value, name,
 * value: texts are copied into the arena, and lists come from it. What is not named has
 * its default, or is empty or zero; `sparse`: also what must be there. RAS_EFORMAT, with
 * the line and the member told, when one is unknown, missing or of another type. */
int cdt_struct_from(const struct cdt_struct *s, const struct json_row *row, bool sparse,
                    struct arena *arena, void *out, struct ras_error *err) RAS_CHECKED;
#endif
