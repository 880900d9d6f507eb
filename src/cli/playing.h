/* playing.h - worlds and who records them, as the command line has them. */
#ifndef CLI_PLAYING_H
#define CLI_PLAYING_H

#include <rastrum/run.h>

/* All of a file, at most `most` bytes; free it also after failure. 0, or EXIT_TROUBLE. */
int read_file(const char *path, size_t most, const char *what, struct ras_bytes *out);
/* The recipe in a file; free it also after failure. 0, or EXIT_TROUBLE after saying why. */
int read_recipe(const char *path, struct ras_bytes *out);
/* The file that an error is about, by what its text begins with. A recipe that was not given is
 * that of the replay. NULL: it is about neither, or there is no such file. */
const char *input_of(const struct ras_error *err, const char *recipe, const char *replay,
                     const char *state);
/* A world that is built in, or that of a shared object. */
int find_world(const char *name, const char *object, const struct ras_world_type **type);

/* playing_calls.c: the recorder of this process. */
extern const struct ras_run_calls playing_calls;

/* running_answer.c: print what came of a run; the status to exit with. `replay` is the one
 * that it was played from, or NULL. */
struct common;
int tell_run(const struct common *common, const char *replay, const struct ras_run_options *how,
             const struct ras_run *run);
/* Say why there is none, and which of the two files that is about. */
int tell_no_run(const struct ras_error *err, const char *recipe, const char *replay);

/* recording_state.c: `rastrum record REPLAY.murk --out STATE.cdt`. */
struct state_asked {
    const char *world, *recipe;
    bool compat; /* as `crimson dbg record` */
};
bool is_replay(const char *path);
int record_state(const struct common *common, const struct state_asked *asked);
#endif
