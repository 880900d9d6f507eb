/* dbg.h - the verbs of `rastrum dbg`, which does what `crimson dbg` does, byte for byte. */
#ifndef CLI_DBG_H
#define CLI_DBG_H

#include "cli/command.h"

extern const struct command dbg_diff, dbg_bisect, dbg_focus, dbg_tick, dbg_entity, dbg_query,
    dbg_health, dbg_record;
#endif
