/* table_text.h - tables of figures as aligned columns, in units people read. */
#ifndef CLI_TABLE_TEXT_H
#define CLI_TABLE_TEXT_H

#include "cli/session.h"

enum { TABLE_CELL = 96 };

/* A number with its unit, at most TABLE_CELL bytes: 12.3us, 4.05 MB, 36,801. What unit is
 * told by the end of its name: _ns, _bytes, _percent; time_ns and what ends with _time_ns is
 * a place in time. */
void table_number(char *text, const char *name, size_t name_len, const struct ras_value *,
                  const struct ras_time_writing *);
/* Text too wide for a column is cut in its middle, both ends say more: at most `most` > 3 bytes. */
size_t table_shorten(char *text, const char *from, size_t len, size_t most);
/* A name, its coverage, and the rows under their columns. */
void put_figures(struct answer *, const struct ras_value *name, const struct ras_value *table,
                 const struct ras_time_writing *);
#endif
