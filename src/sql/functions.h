/* functions.h - what the functions of SQL compute, for every engine. */
#ifndef SQL_FUNCTIONS_H
#define SQL_FUNCTIONS_H

#include "base/out.h"
#include "sql/run_tables.h"

/* wall(time_ns [, trace]): ISO 8601 and its length; 0: no trace of that name has a wall clock. */
size_t function_wall(const struct catalog *, const char *trace, uint64_t time_ns,
                     char text[RAS_TIME_ROOM]);
/* tick_of(time_ns): the tick that had begun then; false before the first and after the last. */
bool function_tick_of(const struct run_tick *, size_t count, uint64_t time_ns, uint64_t *tick);
/* time_of(tick): when it began. */
bool function_time_of(const struct run_tick *, size_t count, uint64_t tick, uint64_t *time_ns);
/* demangle(name): it lives until the next call; NULL: memory is short. */
const char *function_demangle(struct module *, const char *name);
/* at(list, i): an item of a list in JSON, from 0: RAS_NULL where there is none, RAS_INT, RAS_F64 or
 * RAS_STR, in `text` or in the list; a u64 is an RAS_INT of its bit pattern, an item that is not a
 * scalar is its JSON. False: memory is short. */
bool function_at(struct ras_bytes list, int64_t i, struct out *text, struct ras_value *item);
#endif
