/* sql_rows.h - rows of a query as a table, CSV, JSON Lines or Markdown. */
#ifndef CLI_SQL_ROWS_H
#define CLI_SQL_ROWS_H

#include "cli/session.h"

#include <rastrum/sql.h>

extern const char *const sql_format_words[]; /* ends with NULL */

struct sql_rows {
    struct answer *answer;
    const struct sql_format *format;
    const struct ras_sql_column *columns;
    size_t column_count;
    char **keys; /* of JSON: names, each of them once */
    struct ras_json *json;
    struct ras_json *texts; /* writes one cell into `text` */
    char *text;
    size_t text_len, text_room;
    /* Rows that are kept to find the widths of a table. */
    char **cells;
    size_t *widths;
    size_t kept, cell_room;
    bool *is_text, streaming, nomem;
};

/* NULL as `format`: a table on a terminal, else CSV. The columns are borrowed until the end. false
 * after saying why. */
bool sql_rows_begin(struct sql_rows *, struct answer *, const char *format,
                    const struct ras_sql_column *, size_t count);
void sql_rows_put(struct sql_rows *, const struct ras_value *cells);
/* 0, or EXIT_TROUBLE after saying why. */
int sql_rows_end(struct sql_rows *);
#endif
