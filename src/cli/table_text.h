/* table_text.h - tables of figures as aligned columns, in units people read. */
#ifndef CLI_TABLE_TEXT_H
#define CLI_TABLE_TEXT_H

#include "cli/session.h"

enum { TABLE_CELL = 96 };

/* A number with its unit, at most TABLE_CELL bytes: 12.3us, 4.05 MB, 36,801. The suffix of its name
 * gives the unit: _ns, _bytes, _percent; time_ns and names that end with _time_ns are points in
 * time. */
void table_number(char *text, const char *name, size_t name_len, const struct ras_value *,
                  const struct ras_time_writing *);
/* Shorten text that is too wide in its middle: at most `most` > 3 bytes. */
size_t table_shorten(char *text, const char *from, size_t len, size_t most);
/* A name, its coverage, and the rows under their columns. */
void put_figures(struct answer *, const struct ras_value *name, const struct ras_value *table,
                 const struct ras_time_writing *);
#endif
