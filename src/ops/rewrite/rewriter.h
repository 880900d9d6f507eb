/* rewriter.h - the walk over the sources of a rewriting. */
#ifndef OPS_REWRITE_REWRITER_H
#define OPS_REWRITE_REWRITER_H

#include "core/format.h"
#include "ops/rewrite/rewrite_driver.h"

/* What happens to the records of a schema. */
struct choice {
    bool known, wanted;
    uint64_t kept; /* since it was last reported */
};

struct source_choices {
    struct choice *at; /* by schema */
    size_t room;
};

struct walker {
    struct rewrite rw;
    const struct rewrite_ops *ops;
    struct ras_cursor **cursors; /* by source; NULL: at its end */
    const struct ras_record **heads;
    struct source_choices *choices; /* by source */
    bool counting;                  /* the pass of take() */
    uint64_t reported;              /* the offset of the last progress report */
};

/* The format's `rewrite`, or copying by bytes. */
extern const struct rewrite_ops rewrite_raw;
const struct rewrite_ops *rewrite_ops_of(const struct ras_format *);

typedef int pass_function(struct rewrite *, const struct taken *, struct ras_error *);

/* Note how a source ends; the worst is reported. */
void walker_note_ending(struct walker *, size_t source, const struct ras_ending *);
/* Rewrite the traces of other formats inside the sources. */
int walker_carry(struct walker *, struct ras_error *);

/* Where a new trace goes: the sink or folder of the caller, or one made here. */
struct destination {
    struct ras_sink *sink;
    struct ras_folder *folder; /* one of the two, when open */
    bool made;                 /* created here, so closed here */
};

/* Use the caller's sink or folder, or create a file or directory at `path`. */
int destination_open(struct destination *, bool to_folder, struct ras_sink *, struct ras_folder *,
                     const char *path, bool replace, struct ras_error *);
/* Publish what was created if `status` is RAS_OK, else remove it; returns the status. */
int destination_close(struct destination *, int status, struct ras_error *);
#endif
