/* sqlite_hints.h - which name was meant by one that SQLite does not know. */
#ifndef SQL_SQLITE_HINTS_H
#define SQL_SQLITE_HINTS_H

#include "sql/catalog.h"
#include "sql/sqlite_api.h"

/* What to add to a message of SQLite about an unknown table, column or function; "" if nothing.
 * `query` may be NULL. Statements are compiled: the message of the connection changes. */
void sqlite_hint(sqlite3 *db, const struct catalog *, const char *query, const char *message,
                 char *text, size_t size);
/* Where the query has the table that such a message is about; RAS_NONE: not known. */
uint64_t sqlite_place(const char *query, const char *message);
#endif
