/* compare.h - traces of one format against each other, and inspections of one; part of rastrum.h.
 *
 * What was found is data: values in cells, as records have them. ras_diff_json() and the like
 * write them as JSON.
 *
 *     struct ras_diff *diff;
 *     if (ras_diff(&diff, expected, actual, NULL, err) == RAS_OK) {
 *         puts(diff->divergence_count ? diff->divergences[0].kind : "the same");
 *         ras_diff_free(diff);
 *     } */
#ifndef RASTRUM_COMPARE_H
#define RASTRUM_COMPARE_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- diff ------------------------------------------------------------- */

struct ras_tolerance {
    const char *path; /* as in struct ras_compare_options */
    double eps;       /* numbers are equal up to this difference */
    uint64_t reserved[2];
};

/* Records of one side, and those of the other that they are compared with. */
struct ras_compare_span {
    uint32_t stream[2];
    uint64_t from[2], to[2]; /* numbers of records, half-open */
    uint64_t reserved[2];
};

struct ras_gpu;     /* gpu.h */
struct ras_picture; /* render.h */

/* How to compare. Zero-initialised: all of both traces, exactly, to the first divergence.
 * What a format has no use for is refused by RAS_EUNSUPPORTED. A path is one of a report
 * (`players[0].pos.x`); it includes everything below it, and `*` matches any one
 * name, index or key. */
struct ras_compare_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    /* As the format's own tool has it: nothing compared is not a failure, and JSON has its NaN. */
    bool compat;
    bool has_first, has_last;
    int64_t first, last;              /* positions on the format's axis, both included */
    bool keep_going;                  /* every divergence, not only the first */
    bool paranoid;                    /* decode everything, however equal its checksums are */
    const struct ras_choice *choices; /* the format's options for the verb diff */
    size_t choice_count;
    bool no_tables;            /* leave out tables that a choice adds to what differs */
    const struct ras_gpu *gpu; /* draws the pictures that are compared: ras_gpu(); NULL: none are */
    uint32_t width, height;    /* of both canvases; 0: as ras_canvas_of() has it */
    /* Both pictures of a frame that differs; a negative status ends the comparison. Or NULL. */
    int (*pictures)(void *user, uint64_t frame_index, const struct ras_picture *expected,
                    const struct ras_picture *actual);
    void *pictures_user;
    /* Of the streams that they name only these records, span by span; of others all, or with
     * `only_spans` none. A format whose streams overlap may take only one span. */
    const struct ras_compare_span *spans;
    size_t span_count;
    bool only_spans;
    bool outside; /* runs: calls between the end of a tick's simulation and the next tick, too */
    const char *const *channels; /* only these */
    size_t channel_count;
    const char *const *ignored; /* paths; an unknown one is RAS_ENAME */
    size_t ignored_count;
    bool any_paths; /* paths that are unknown here are none of this format's */
    const struct ras_tolerance *tolerances;
    size_t tolerance_count;
    ras_progress *progress; /* NULL: none */
    void *user;
    /* Conditions on the statistics of both, "TABLE.COLUMN OP [+-]N[%]": see docs/commands/diff.md.
     * If there are any, only they are checked, and records are not compared. */
    const char *const *conditions;
    size_t condition_count;
};

/* ---- what a detail is made of -------------------------------------------- */

/* The detail of a divergence is a map; each format states the members of each kind of divergence
 * (docs/diff-detail.md lists them all). Printers go by this and do not guess. */
enum ras_detail_kinds { /* of a value, as bits; texts also represent bytes */
                        RAS_DETAIL_NULL = 1,
                        RAS_DETAIL_BOOL = 2,
                        RAS_DETAIL_NUMBER = 4,
                        RAS_DETAIL_TEXT = 8,
                        RAS_DETAIL_LIST = 16,
                        RAS_DETAIL_MAP = 32,
                        RAS_DETAIL_ANY = 63,
};

enum ras_detail_role {
    RAS_DETAIL_VALUE,    /* printed as it is */
    RAS_DETAIL_COUNT,    /* of what other members list, or their text: printers may leave it out */
    RAS_DETAIL_ROWS,     /* a list of rows {"path", "kind", "expected", "actual"} */
    RAS_DETAIL_CHANNELS, /* a list of {"kind", "channel", "detail"}; `of`: a member by channel */
    RAS_DETAIL_CALLS,    /* a list of names: the open calls, the outermost first */
    RAS_DETAIL_SIDE,     /* what one side has there: "expected", "actual" */
    RAS_DETAIL_PAIR,     /* "expected_X", "actual_X": a value of each side */
};

struct ras_detail_member {
    const char *key;
    enum ras_detail_role role;
    unsigned kinds; /* enum ras_detail_kinds */
    bool optional;
    const struct ras_detail_member *of; /* of the map, or of each map in the list; ends with a
                                         * key NULL. NULL: the fields of a record, any */
    const char *about;
};

struct ras_detail_kind {
    const char *kind; /* of divergence */
    const char *about;
    const struct ras_detail_member *members; /* NULL: there is no detail */
};

/* A number that says where, such as "tick_index" 6; `word` is what text calls it. */
struct ras_place {
    const char *key, *word;
    struct ras_value value; /* RAS_INT, RAS_UINT or RAS_NULL */
};

#define RAS_PLACES 3

struct ras_divergence {
    const char *kind;
    struct ras_place at[RAS_PLACES]; /* the format's own axis first */
    size_t at_count;
    const struct ras_value *detail; /* NULL: there is none, or it was one of too many to keep */
    const struct ras_detail_kind *schema; /* of the detail */
    uint64_t seq[2];    /* record of each side; RAS_NONE: it has none there, or it is unknown */
    uint32_t stream[2]; /* that it is in */
    uint64_t reserved[2];
};

struct ras_diff {
    uint64_t checked;                   /* positions that were compared, the divergent ones too */
    struct ras_divergence *divergences; /* none: no difference was found */
    size_t divergence_count;
    const struct ras_value *tables; /* {name: {"columns", "rows"}}; NULL: none */
    char **notes;                   /* what the reader should know of how it was done */
    size_t note_count;
    struct ras_ending endings[2]; /* of the two; .why lives as long as the trace */
    const char *key, *word;       /* of the axis */
    bool bare_nan;                /* compat: NaN is a bare word in its JSON */
    /* Where the format compares each channel over the whole range: positions that were compared,
     * and {channel: {"kind", key, "detail"}}, the first difference of each (NULL: it does not). The
     * same of what is no difference but worth knowing, up to the first difference. NULL: none. */
    uint64_t compared;
    const struct ras_value *channels, *diagnostics;
    bool own_schema_2; /* compat: the report is of the format's second schema */
    /* Of each condition {"condition", "violations", "rows", "violation_count", "violated"}; and how
     * many are violated. NULL: there are none. */
    const struct ras_value *conditions;
    uint64_t violated;
};

/* Compare two traces of one format. RAS_EUSAGE when their formats differ, RAS_EVERSION
 * when their schemas do; RAS_EREFUSED when the format's own tool would refuse, with its
 * words; RAS_ENOTHING when no position of either was compared, with the ranges of both. Of a
 * trace that is cut, what is there is compared: see `endings`. */
RAS_API int ras_diff(struct ras_diff **out, struct ras_trace *expected, struct ras_trace *actual,
                     const struct ras_compare_options *options, struct ras_error *err) RAS_CHECKED;
RAS_API void ras_diff_free(struct ras_diff *diff);

/* What paths name: fields of a report, or of what a query is about. */
enum ras_paths { RAS_PATHS_DIFF, RAS_PATHS_TICKS, RAS_PATHS_ENTITIES };
/* Every path of a format, with [*] for any index or key and `...` for whatever is below, as far
 * as the trace shows its types. RAS_EUNSUPPORTED: the format does not know them. */
RAS_API int ras_paths(struct ras_trace *trace, enum ras_paths of,
                      void (*each)(void *user, const char *path), void *user,
                      struct ras_error *err) RAS_CHECKED;

/* ---- bisect ----------------------------------------------------------- */

/* Where the last of several traces departs from each of those before it. They are
 * compared at the same time, each pair by threads of its own. */
struct ras_bisect_options {
    size_t struct_size;                        /* sizeof, or 0: see docs/abi.md */
    const struct ras_compare_options *compare; /* but for its progress; NULL: the default */
    uint64_t before, after;                    /* the window around the first bad position */
    const struct ras_options *open;            /* NULL: as found */
    unsigned jobs;                             /* 0: as many as there are processors */
    ras_progress *progress; /* bytes of all pairs together, from the caller's thread; NULL: none */
    void *user;
};

struct ras_bisect_pair {
    const char *path; /* the caller's */
    int status;       /* RAS_OK, or why there is no diff: err */
    int failed;       /* of what: 0 this trace, 1 the last one, 2 the two together */
    struct ras_error err;
    struct ras_diff *diff;
    char why[2][200]; /* texts of diff->endings: the traces are closed by now */
    char part[2][128];
    uint64_t reserved[2];
};

struct ras_bisect {
    struct ras_bisect_pair *pairs;
    size_t pair_count;
    size_t nearest; /* the pair whose divergence comes last; pair_count: one that has none */
};

/* `paths`: good ones and, last, the bad one. */
RAS_API int ras_bisect(struct ras_bisect **out, const char *const *paths, size_t count,
                       const struct ras_bisect_options *options, struct ras_error *err) RAS_CHECKED;
RAS_API void ras_bisect_free(struct ras_bisect *bisect);
/* The window around a divergence: false where its place is not a number. */
RAS_API bool ras_bisect_window(const struct ras_divergence *divergence, uint64_t before,
                               uint64_t after, int64_t *first, int64_t *last);

/* ---- inspections ------------------------------------------------------ */

/* What an inspection has no use for is ignored. */
struct ras_inspect_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    const char *name;   /* of an inspection that the format has: "tick", "query" */
    int64_t number;     /* of what is shown */
    const char *group;  /* where that number is counted, by its name; NULL: anywhere */
    const char *text;   /* a query, or a range as the user wrote it */
    uint64_t limit;     /* rows to keep; 0: 256 */
    bool no_rows;       /* keep none, count them */
    bool has_first, has_last;
    int64_t first, last; /* the window, both included */
    /* As the format's own tool has it: what is not found is RAS_EREFUSED in its words, a field
     * that no row has is None, and JSON has its NaN. */
    bool compat;
    ras_progress *progress; /* NULL: none */
    void *user;
};

/* One document, and how the traces ended. */
struct ras_inspection {
    const struct ras_value *value;
    struct ras_ending endings[2]; /* .why lives as long as the trace */
    bool bare_nan;
    const struct ras_detail_kind *details; /* of the format, ending with a kind NULL */
};

/* `other` is for inspections of two traces, to see what changed; else NULL. RAS_EUNSUPPORTED when
 * the format has no inspection of that name, RAS_ENOTHING when there is nothing to show, RAS_EUSAGE
 * for an unknown name in a query, RAS_EREFUSED when the format's own tool would refuse. */
RAS_API int ras_inspect(struct ras_inspection **out, struct ras_trace *trace,
                        struct ras_trace *other, const struct ras_inspect_options *options,
                        struct ras_error *err) RAS_CHECKED;
RAS_API void ras_inspection_free(struct ras_inspection *inspection);

/* ---- as text ---------------------------------------------------------- */

/* How JSON is laid out: as a line with sorted keys, or indented with keys as they come;
 * neither ends with a newline. */
enum ras_json_layout { RAS_LAYOUT_LINE, RAS_LAYOUT_INDENTED };

/* `options` are those of the comparison; NULL: the default. */
RAS_API int ras_diff_json(struct ras_sink *sink, const struct ras_diff *diff,
                          const struct ras_compare_options *options, enum ras_json_layout layout,
                          struct ras_error *err) RAS_CHECKED;
/* Of one pair as the format's own tool has it; of several with their paths. */
RAS_API int ras_bisect_json(struct ras_sink *sink, const struct ras_bisect *bisect,
                            const struct ras_bisect_options *options, enum ras_json_layout layout,
                            struct ras_error *err) RAS_CHECKED;
RAS_API int ras_value_json(struct ras_sink *sink, const struct ras_value *value, bool bare_nan,
                           enum ras_json_layout layout, struct ras_error *err) RAS_CHECKED;
/* The member of a map that has this key; NULL: none. */
RAS_API const struct ras_value *ras_value_member(const struct ras_value *map, const char *key);
/* A value as text lines show it: None, True, 1.0, text as it is. */
RAS_API int ras_value_text(struct ras_sink *sink, const struct ras_value *value,
                           struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
