/* where.h - conditions on records, such as "type == 'command' and coord[0] > 3"; part of
 * rastrum.h. The language is described in docs/where.md.
 *
 *     struct ras_where *where;
 *     bool matches;
 *     int status = ras_where_parse(&where, "type == 'command' and coord[0] > 3", err);
 *     if (status == RAS_OK)
 *         status = ras_where_begin(where, trace, err);
 *     while (status == RAS_OK && (status = ras_next(cursor, &record, err)) == RAS_OK &&
 *            (status = ras_where_matches(where, cursor, record, &matches, err)) == RAS_OK)
 *         if (matches)
 *             printf("%" PRIu64 "\n", record->seq);
 *     ras_where_free(where); */
#ifndef RASTRUM_WHERE_H
#define RASTRUM_WHERE_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "12", "12.5ms", "3s", "+250us" (from the trace's first time), ISO 8601 where the trace
 * has a wall clock: as nanoseconds on the trace's axis of time. Without a
 * trace (NULL) only the first three are understood. */
RAS_API int ras_time_parse(struct ras_trace *trace, const char *text, uint64_t *time_ns,
                           struct ras_error *err) RAS_CHECKED;

struct ras_where;

/* An expression; what is wrong with one begins with its column. It is good for any number
 * of traces, one after the other. */
RAS_API int ras_where_parse(struct ras_where **out, const char *text,
                            struct ras_error *err) RAS_CHECKED;
RAS_API void ras_where_free(struct ras_where *where); /* NULL is fine */
/* The value fields it reads, by name: a scan whose picks have fields must have these. */
RAS_API const char *const *ras_where_fields(const struct ras_where *where, size_t *count);
/* The first comparison of values that are of different kinds in every record: "tick is a number,
 * \"3\" a string: the comparison is never true". By the types of the trace that are known by now;
 * false: there is none. */
RAS_API bool ras_where_mismatch(const struct ras_where *where, const struct ras_trace *trace,
                                char *text, size_t size);
/* Before the first record of a trace. */
RAS_API int ras_where_begin(struct ras_where *where, struct ras_trace *trace,
                            struct ras_error *err) RAS_CHECKED;
/* Whether the cursor's record satisfies it. Allocates with the first record of a
 * type, never after. */
RAS_API int ras_where_matches(struct ras_where *where, const struct ras_cursor *cursor,
                              const struct ras_record *record, bool *matches,
                              struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
