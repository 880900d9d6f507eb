/* reduce.h - a trace that fails a test, made as small as it can be and still fail; part of
 * rastrum.h.
 *
 * Delta debugging: parts of the trace are left out, large ones first, as long as what is left
 * still fails. The test is the caller's; nothing here starts a process. Candidates are described in
 * one order, whatever runs at the same time: what comes next once a test is known is known
 * before, for both outcomes.
 *
 *     struct ras_reduce *reduce;
 *     struct ras_candidate candidate;
 *     int status = ras_reduce_open(&reduce, trace, NULL, NULL, err);
 *     while (status == RAS_OK &&
 *            (status = ras_reduce_next(reduce, 0, &candidate, err)) == RAS_OK)
 *         status = ras_reduce_report(reduce, fails(reduce, &candidate), err);
 *     if (status == RAS_END)
 *         printf("%" PRIu64 " records still fail\n", ras_reduce_state(reduce)->left);
 *     ras_reduce_close(reduce); */
#ifndef RASTRUM_REDUCE_H
#define RASTRUM_REDUCE_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ras_reduce;
struct ras_rewrite_options; /* change.h */
struct ras_rewritten;

/* Take stock of a trace's records. The trace stays the caller's and must outlive it. */
RAS_API int ras_reduce_open(struct ras_reduce **out, struct ras_trace *trace,
                            ras_progress *progress, void *user, struct ras_error *err) RAS_CHECKED;
RAS_API void ras_reduce_close(struct ras_reduce *reduce); /* NULL is fine */

/* What would be left of the trace. */
struct ras_candidate {
    uint64_t key;     /* the same for the same records */
    uint64_t records; /* that are left */
    size_t level;     /* private: which parts are left out */
    uint64_t first, last;
    uint64_t reserved[2];
};
/* The candidate to test if the `ahead` before it turn out not to fail; the first of all is the
 * whole trace. RAS_END: there is none, and when `ahead` is 0, the rest is minimal: no part that
 * can be left out on its own can be left out. Good until the next ras_reduce_report(). */
RAS_API int ras_reduce_next(struct ras_reduce *reduce, size_t ahead,
                            struct ras_candidate *candidate, struct ras_error *err) RAS_CHECKED;
/* Write a candidate, or, if NULL, the smallest trace that is known to fail, to where `how` says:
 * its path or its sink or folder, and its progress; its other members are ignored. RAS_END: the
 * format has no trace without records. */
RAS_API int ras_reduce_write(struct ras_reduce *reduce, const struct ras_candidate *candidate,
                             const struct ras_rewrite_options *how, struct ras_rewritten **out,
                             struct ras_error *err) RAS_CHECKED;
/* Whether the next candidate fails as the trace did. */
RAS_API int ras_reduce_report(struct ras_reduce *reduce, bool fails,
                              struct ras_error *err) RAS_CHECKED;

/* How far it is. */
struct ras_reduce_state {
    uint64_t records, left; /* at first, and now */
    const char *parts;      /* what is left out: "streams", "frames", "records" */
    uint64_t size;          /* how many of them at a time */
    uint64_t reported;      /* tests whose outcome was reported */
    uint64_t identity;      /* of the trace: its records and their bytes */
};
/* As it is now; it lives until the next call. */
RAS_API const struct ras_reduce_state *ras_reduce_state(struct ras_reduce *reduce);

/* What came of it, for its JSON document. */
struct ras_reduced {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    const char *out;    /* where the smallest trace is */
    const char *status; /* "minimal", "stopped" at a bound, or "interrupted" */
    uint64_t records_from, records_to, bytes_from, bytes_to;
    uint64_t tests, failed, timed_out, resumed; /* resumed: tests that were run before */
    const struct ras_rewritten *kept;
};
RAS_API int ras_reduced_json(struct ras_sink *sink, const char *path, const struct ras_trace *trace,
                             const struct ras_reduced *reduced, struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
