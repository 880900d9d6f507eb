/* verbs_none.c - what the program of a machine with big-endian numbers does not have: what
 * records, executes or draws.
 *
 * A recorder stores events as they are in memory, worlds hash theirs, and shaders read it: formats
 * have the other order. Traces are read, repaired, cut and converted byte by byte. */
#include "cli/absent_verb.h"
#include "cli/replay_verb.h"
#include "cli/say.h"
#include "cli/world_choice.h"

#define READS_ONLY "this build reads only: "

static int needs_little_endian(void *options)
{
    (void)options;
    return trouble(READS_ONLY "this verb needs a little-endian machine");
}

int record_state(const struct common *common, const struct state_options *options)
{
    (void)common, (void)options;
    return trouble(READS_ONLY "recording needs a little-endian machine");
}

#define ABSENT(word, title)                                                                        \
    ABSENT_VERB(word, title, "not in this build, which reads only",                                \
                "This build reads only: the verb needs a little-endian machine.",                  \
                needs_little_endian)

const struct command cmd_record = ABSENT("record", "record a program's calls and events");
const struct command cmd_reduce = ABSENT("reduce", "find the smallest trace that fails a test");
const struct command cmd_replay = ABSENT("replay", "execute a trace again and compare");
const struct command cmd_run = ABSENT("run", "run a world and record it");
const struct command cmd_twice = ABSENT("twice", "find out why a program differs from itself");
