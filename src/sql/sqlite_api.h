/* sqlite_api.h - SQLite's header: that of a library, or that of an extension which its host loads.
 *
 * An extension calls SQLite through the table of functions that its host passes: the files of the
 * module are compiled twice. */
#ifndef SQL_SQLITE_API_H
#define SQL_SQLITE_API_H

#ifdef RASTRUM_EXTENSION
#include <sqlite3ext.h>
extern const sqlite3_api_routines *sqlite3_api;
#else
#include <sqlite3.h>
#endif
#endif
