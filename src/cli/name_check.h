/* name_check.h - names on the command line: which of them a trace has. */
#ifndef CLI_NAME_CHECK_H
#define CLI_NAME_CHECK_H

#include "cli/command.h"
#include <rastrum/export.h>

/* The requested types. A text with commas is one name if a type has that name, else several; while
 * the types of the trace are not all known, it is both. */
struct type_names {
    struct list names;
    char *text; /* the memory of the names */
};
/* False if out of memory. */
bool names_of_types(struct type_names *, const struct ras_trace *, const struct list *types);
void names_free(struct type_names *);

/* The names that a verb was given; each may be NULL. */
struct given_names {
    const struct list *types, *fields;
    const struct ras_where *where;
};
/* Read on in the trace until its types and fields of these names are known, or to its end: only a
 * stream that defines its types between the records is read at all. Uses the options of formats;
 * `all`: always read to the end. EXIT_YES, or EXIT_TROUBLE. */
int learn_names(const char *path, struct ras_trace *, const struct given_names *,
                const struct common *, bool all);
/* Report names that the trace does not have, and similar ones. EXIT_YES, or EXIT_TROUBLE if there
 * are any. A condition that no record can match gives a note. */
int check_names(const char *path, const struct ras_trace *, const struct given_names *, bool quiet);
/* The streams of each trace of a run that have one of the names, or of one trace, by its format:
 * "atf:3". As many as pens, each to be freed with the array by run_streams_free(). NULL after
 * reporting a name that no trace has. */
struct ras_export_streams *find_run_streams(const char *path, struct ras_rundir *,
                                            const struct list *names);
void run_streams_free(struct ras_export_streams *, const struct ras_rundir *); /* NULL is fine */
/* The streams that were named, by number or name, as `ids`, one for each. Of a trace that still
 * grows (`live`) only those known so far have names. EXIT_YES, or EXIT_TROUBLE after reporting one
 * that the trace does not have. */
int find_streams(const char *path, struct ras_trace *, const struct list *names, bool live,
                 uint32_t *ids);
#endif
