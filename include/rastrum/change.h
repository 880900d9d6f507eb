/* change.h - repair, slice, merge and convert; part of rastrum.h.
 *
 *     struct ras_repair *repair;
 *     const struct ras_repair_options options = {.path = "repaired.murk"};
 *     if (ras_repair(&repair, trace, &options, err) == RAS_OK) {
 *         printf("%zu patches, %" PRIu64 " bytes lost: %s\n", repair->plan.patch_count,
 *                repair->plan.lost_bytes, ras_repair_outcome_name(ras_repair_outcome(repair)));
 *         ras_repair_free(repair);
 *     } */
#ifndef RASTRUM_CHANGE_H
#define RASTRUM_CHANGE_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- repair ----------------------------------------------------------- */

/* One step of a repair: at this offset of the part as it is now (inflated, where it
 * is wrapped), take `remove` bytes out and put `insert` in. */
struct ras_patch {
    const char *part; /* its name; "" for a lone file */
    uint64_t at, remove;
    struct ras_bytes insert;
    bool fresh; /* the part does not exist yet */
    uint64_t reserved[2];
};

/* A repair as data. */
struct ras_plan {
    struct ras_patch *patches; /* of one part: ascending, never overlapping */
    size_t patch_count;
    char **notes; /* what was guessed, and what cannot be repaired */
    size_t note_count;
    uint64_t lost_bytes;   /* that were content and are given up */
    uint64_t lost_records; /* in them, or beyond a cut wrapping; RAS_NONE: not known */
    uint64_t reserved[2];
};

struct ras_repair_options {
    size_t struct_size;               /* sizeof, or 0: see docs/abi.md */
    const struct ras_choice *choices; /* the format's options for the verb repair */
    size_t choice_count;
    /* Where the repaired copy goes: a file (or a directory, for a trace that is one), or a
     * sink (or a folder), which stays the caller's; none: it is only planned and judged. */
    const char *path;
    struct ras_sink *sink;
    struct ras_folder *folder;
    bool replace; /* a file or directory of that name */
    /* Or the trace itself, which lies at this path; the plan that takes the repair back
     * is written to `backup` first. */
    const char *in_place, *backup;
    /* NULL: none. Canceling leaves no copy. Once a repair in place has begun, or the copy has
     * replaced another file, it is not called any more. */
    ras_progress *progress;
    void *user;
};

struct ras_repair {
    struct ras_plan plan;
    struct ras_ending before, after; /* .why lives as long as this */
    struct ras_count *recovered;     /* records of the repaired trace, by type */
    size_t recovered_count;
    /* Records that the trace before gave and the repaired one does not, by type; they are among
     * plan.lost_records. */
    struct ras_count *missing;
    size_t missing_count;
    struct ras_report *left; /* what a verification still says of it */
    char **left_parts;       /* names of its findings' parts, one for each */
};

/* RAS_EUNSUPPORTED when the format cannot be repaired, RAS_EFORMAT when there is
 * nothing that could be. Without patches: nothing was to be done. */
RAS_API int ras_repair(struct ras_repair **out, struct ras_trace *trace,
                       const struct ras_repair_options *options, struct ras_error *err) RAS_CHECKED;
RAS_API void ras_repair_free(struct ras_repair *repair);
/* What came of it: errors that are left weigh more than what is lost. */
enum ras_repair_outcome {
    RAS_REPAIR_WHOLE,  /* it verifies without errors, and nothing was given up */
    RAS_REPAIR_LOST,   /* it verifies, but something was given up */
    RAS_REPAIR_ERRORS, /* errors are left in it */
};
RAS_API enum ras_repair_outcome ras_repair_outcome(const struct ras_repair *repair);
RAS_API const char *ras_repair_outcome_name(enum ras_repair_outcome outcome);
/* Take a repair in place back: apply the plan in file `backup` to the trace at `path`. */
RAS_API int ras_repair_undo(const char *path, const char *backup,
                            struct ras_error *err) RAS_CHECKED;

/* ---- rewrite ---------------------------------------------------------- */

/* Traces of one format into a new one: a slice of one, several joined, or the same
 * records in another dialect or version. Records are copied, not decoded and made
 * again; what they need (schemas, pools, blobs, details) comes with them, renumbered. */
struct ras_span {
    uint64_t from, to; /* half-open */
};
struct ras_rewrite_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    enum ras_axis axis; /* RAS_AXIS_NONE: all of it */
    uint64_t from, to;  /* half-open; RAS_NONE as `to`: no bound */
    /* On the axis of seq: of the range only these numbers, ascending and apart. A record whose
     * format copies it with its parent must be there with it. */
    const struct ras_span *spans;
    size_t span_count;
    const char *const *types; /* keep only these */
    size_t type_count;
    const uint32_t *streams; /* and only these */
    size_t stream_count;
    const char *target; /* the dialect or version to write; NULL: as the first source has it */
    bool newest;        /* or the newest there is */
    bool interleave;    /* several: in one order by time; else one after the other */
    bool bare;          /* only what is requested, though it may need more to be understood */
    /* Where it goes: a file (or a directory, where the format writes one), or a sink (or a
     * folder), which stays the caller's. */
    const char *path;
    bool replace;
    struct ras_sink *sink;
    struct ras_folder *folder;
    ras_progress *progress; /* NULL: none */
    void *user;
};

struct ras_rewritten {
    struct ras_count *kept; /* by type, as delivered by default */
    size_t kept_count;
    /* Not requested, but kept, since what is kept needs them to be understood; by type. They are
     * not among `kept`. */
    struct ras_count *companions;
    size_t companion_count;
    /* Requested, but the target has no place for them, or they are not records of their own
     * (gaps of JSON Lines); by type. They are not among `kept`. */
    struct ras_count *dropped;
    size_t dropped_count;
    uint64_t lost_records;  /* of `dropped`, those that nothing else in the target has */
    uint64_t made_up_bytes; /* zeros in place of data which was not given */
    char **notes;           /* what the target cannot hold, and was left out */
    size_t note_count;
    struct ras_ending ending; /* the worst of the sources'; .why lives as long as this */
    size_t ending_source;
    const char *target; /* what was written */
    /* Traces of other formats that lay in the sources and went along, by the names that they have
     * now. What lies in a range of time is cut out of them, too. */
    struct ras_carried *carried;
    size_t carried_count;
    size_t carried_left; /* left out: types, streams or numbers were requested, not theirs */
};

/* RAS_END, and nothing is written, when no record is in what was requested and the format
 * has no trace without records. */
RAS_API int ras_rewrite(struct ras_rewritten **out, struct ras_trace *const *traces, size_t count,
                        const struct ras_rewrite_options *options,
                        struct ras_error *err) RAS_CHECKED;
RAS_API void ras_rewritten_free(struct ras_rewritten *rewritten);
/* Whether a rewritten trace of this kind is a directory. */
RAS_API bool ras_rewrite_is_folder(const struct ras_trace *trace);
/* The dialects and versions that can be written, the newest first; NULL: none. */
RAS_API const char *const *ras_rewrite_targets(const struct ras_format_about *about);
/* A superseded version, which ras_open() refuses by RAS_EVERSION, as the version that
 * followed it, into a sink. Of a file that is cut what is whole: *lost bytes, from
 * *lost_from on, are left out. */
RAS_API int ras_upgrade(const char *path, struct ras_sink *sink, uint64_t *lost_from,
                        uint64_t *lost, struct ras_error *err) RAS_CHECKED;

/* The same trace, its bytes unchanged, with files that are compressed or not: seekable zstd, which
 * ras_open() and zstd read. Manifests and other JSON of a directory stay as they are. */
struct ras_repack_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    bool decompress;    /* instead of compressing */
    const char *path;   /* of the new file or directory */
    bool replace;       /* a trace that is there */
    ras_progress *progress;
    void *user;
};
struct ras_repacked {
    uint64_t files;
    uint64_t bytes;        /* of all files, not compressed */
    uint64_t stored_bytes; /* as written */
    uint64_t lost_files;   /* whose old compression was cut or damaged: what follows is missing */
    uint64_t reserved[4];
};
RAS_API int ras_repack(struct ras_repacked *out, struct ras_trace *trace,
                       const struct ras_repack_options *options, struct ras_error *err) RAS_CHECKED;

/* A trace built from records as JSON Lines, the inverse of exporting them so. A first
 * line of the type "header" may give what the records do not say. */
struct ras_build_options {
    size_t struct_size;  /* sizeof, or 0: see docs/abi.md */
    const char *format;  /* NULL: known from the types of the records */
    const char *dialect; /* or version; NULL: the newest */
    const char *path;    /* as for ras_rewrite() */
    bool replace;
    struct ras_sink *sink;
    struct ras_folder *folder;
    ras_progress *progress; /* bytes of the lines; NULL: none */
    void *user;
};
RAS_API int ras_build(struct ras_rewritten **out, struct ras_bytes jsonl,
                      const struct ras_build_options *options, struct ras_error *err) RAS_CHECKED;

/* What JSON Lines of a trace need so that ras_build() gives the trace again, byte for byte:
 * a first line, the header; records of these types beside the usual ones (NULL-terminated; with
 * `blobs` also those with the bytes of blobs); and a last line that says how the bytes differ from
 * what is built of the lines before it, all of which `lines` holds. Edited lines are built as they
 * are, without that. */
RAS_API int ras_lines_header(struct ras_trace *trace, struct ras_sink *sink,
                             struct ras_error *err) RAS_CHECKED;
RAS_API const char *const *ras_lines_types(const struct ras_trace *trace, bool blobs);
RAS_API int ras_lines_exact(struct ras_trace *trace, struct ras_bytes lines, struct ras_sink *sink,
                            struct ras_error *err) RAS_CHECKED;

/* What came of it, as JSON. */
RAS_API int ras_repair_json(struct ras_sink *sink, const char *path, const struct ras_trace *trace,
                            const struct ras_repair *repair, struct ras_error *err) RAS_CHECKED;
/* `totals`: one for each trace, so that what was not requested counts as dropped, too; NULL:
 * only what the target has no place for. `traces`: NULL for what was built. */
RAS_API int ras_rewritten_json(struct ras_sink *sink, const char *const *paths,
                               struct ras_trace *const *traces, size_t count,
                               struct ras_info *const *totals, const struct ras_rewritten *r,
                               struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
