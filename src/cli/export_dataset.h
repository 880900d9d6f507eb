/* export_dataset.h - export --to dataset: many traces into one directory. */
#ifndef CLI_EXPORT_DATASET_H
#define CLI_EXPORT_DATASET_H

#include "cli/session.h"

struct dataset_options {
    const char *files_from; /* a file of paths, a line each; "-": standard input; NULL: none */
    struct number jobs, batch_traces;
    bool prune;
};

/* The operands and the paths of `files_from` into the directory that -o names: an exit status. */
int export_dataset(const struct common *, const struct dataset_options *);
#endif
