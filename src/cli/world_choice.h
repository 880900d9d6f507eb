/* world_choice.h - worlds, their recipes and recorders, as the command line names them. */
#ifndef CLI_WORLD_CHOICE_H
#define CLI_WORLD_CHOICE_H

#include <rastrum/run.h>

/* All of a file, at most `most` bytes; free it also after failure. 0, or EXIT_TROUBLE. */
int read_file(const char *path, size_t most, const char *what, struct ras_bytes *out);
/* The recipe in a file; free it also after failure. 0, or EXIT_TROUBLE after saying why. */
int read_recipe(const char *path, struct ras_bytes *out);
/* The file that an error is about, by the beginning of its text. A recipe that was not given is
 * that of the replay. NULL: the error is about none of the files. */
const char *input_of(const struct ras_error *err, const char *recipe, const char *replay,
                     const char *state);
/* Find a built-in world, or load that of a shared object. */
int find_world(const char *name, const char *object, const struct ras_world_type **type);

/* run_calls.c: the recorder of this process. */
extern const struct ras_run_calls run_calls;

/* Print the result of a run; returns the exit status. `replay` is the replay that it was played
 * from, or NULL. */
struct common;

/* `rastrum record REPLAY.murk --out STATE.cdt`. */
struct state_options {
    const char *world, *recipe;
    bool compat; /* as `crimson dbg record` */
};
int record_state(const struct common *common, const struct state_options *options);
#endif
