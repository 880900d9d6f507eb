/* sqlite_file.h - a database of SQLite whose pages go to a sink. */
#ifndef SQL_SQLITE_FILE_H
#define SQL_SQLITE_FILE_H

#include "sql/sqlite_api.h"
#include <rastrum/rastrum.h>

/* One file system for SQLite, with one file: the sink. It has no journal; what fails leaves a sink
 * that is to be dropped. */
struct sink_vfs {
    sqlite3_vfs vfs;
    sqlite3_vfs *system; /* for the clock and the random numbers */
    char name[40];
    struct ras_sink *sink;
    struct ras_error err; /* the first failure of the sink */
};

/* An empty database; the struct stays where it is until the connection is closed. */
int sink_vfs_open(struct sink_vfs *, struct ras_sink *, sqlite3 **db, struct ras_error *);
void sink_vfs_close(struct sink_vfs *);
/* The failure of a call of SQLite: that of the sink, where it is the reason. */
int sink_vfs_fail(const struct sink_vfs *, sqlite3 *db, const char *what, struct ras_error *);
#endif
