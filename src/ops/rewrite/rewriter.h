/* rewriter.h - the walk over the sources of a rewriting. */
#ifndef OPS_REWRITE_REWRITER_H
#define OPS_REWRITE_REWRITER_H

#include "core/format.h"
#include "ops/rewrite/rewrite_driver.h"

/* What is made of the records of a schema. */
struct mind {
    bool known, wanted;
    uint64_t kept; /* since it was last told */
};

struct minds {
    struct mind *at; /* by schema */
    size_t room;
};

struct walker {
    struct rewrite rw;
    const struct rewrite_ops *ops;
    struct ras_cursor **cursors; /* by source; NULL: at its end */
    const struct ras_record **heads;
    struct minds *minds; /* by source */
    bool counting;       /* the pass that takes */
    uint64_t told;       /* the offset at which progress was told */
};

/* What a format's row says, or copying by bytes. */
extern const struct rewrite_ops rewrite_raw;
const struct rewrite_ops *rewrite_ops_of(const struct ras_format *);

typedef int pass_function(struct rewrite *, const struct taken *, struct ras_error *);

/* How a source ends; the worst is told. */
void walker_note_ending(struct walker *, size_t source, const struct ras_ending *);
/* rewriter_carried.c: the traces of other formats that lie in the sources. */
int walker_carry(struct walker *, struct ras_error *);

/* Where a new trace goes: the sink or folder of the caller, or one made here. */
struct destination {
    struct ras_sink *sink;
    struct ras_folder *folder; /* one of the two, once it is open */
    bool made;                 /* here, so closed here */
};

/* Take what the caller gave, or make a file or directory at `path`. */
int destination_open(struct destination *, bool to_folder, struct ras_sink *, struct ras_folder *,
                     const char *path, bool replace, struct ras_error *);
/* Publish what was made if `status` is RAS_OK, else leave nothing of it; the status. */
int destination_close(struct destination *, int status, struct ras_error *);
#endif
