/* cdt_frida_run.h - the state of a capture being finalized: session, run, refusals. */
#ifndef CDT_FRIDA_RUN_H
#define CDT_FRIDA_RUN_H

#include "base/memory.h"
#include "codec/sha256.h"
#include "formats/cdt/cdt_frida.h"
#include <rastrum/rastrum.h>

/* ---- lines: cdt_frida_lines.c ------------------------------------------------------- */

enum { FRIDA_PIECE = 1 << 20 }; /* bytes read at a time */

struct frida_lines {
    int fd;                  /* -1: memory */
    struct ras_bytes memory; /* borrowed */
    uint64_t size;           /* of the decompressed lines */
    uint64_t stored;         /* of the capture as stored, wrapped or not */
    int64_t mtime_ns;
    uint64_t taken; /* bytes of it that were read into the buffer */
    uint8_t *buffer;
    size_t at, searched, end, room; /* start of the next line; no newline before; end of the data */
    size_t most;                    /* the longest line */
    uint64_t number;                /* of the last line, from 1 */
    bool ended;                     /* by a newline */
    struct sha256 sha;
    bool hashed; /* the hash was requested, and covers all bytes */
    char hex[2 * SHA256_SIZE + 1];
};

/* "-" is standard input. A pipe is spooled to a file because its hash is needed before its end; a
 * capture wrapped by gzip or zstd is decompressed to such a file. */
int frida_lines_open(struct frida_lines *lines, const char *path,
                     struct ras_error *err) RAS_CHECKED;
void frida_lines_memory(struct frida_lines *lines, struct ras_bytes capture);
void frida_lines_close(struct frida_lines *lines);

/* Gets the next line that is not blank, stripped, followed by a NUL and JSON_PADDING more bytes; it
 * is valid until the next call. RAS_OK, RAS_END or an error. */
int frida_lines_next(struct frida_lines *lines, struct ras_bytes *line,
                     struct ras_error *err) RAS_CHECKED;
/* Computes the SHA-256 of the whole capture as text in lines->hex. The rest of the capture is read
 * ahead for it, once. */
int frida_lines_hash(struct frida_lines *lines, struct ras_error *err) RAS_CHECKED;

/* ---- numbers -------------------------------------------------------------------------- */

/* Ints of a row have 64 bits and a sign; their sums need more. */
__extension__ typedef __int128 frida_number;

/* An int member with its wide bit. */
static inline frida_number frida_wide(const struct ras_cdt_node *node, unsigned member,
                                      int64_t value)
{
    return node->wide >> member & 1 ? (frida_number)(uint64_t)value : (frida_number)value;
}

static inline frida_number frida_number_of(struct ras_cdt_int n)
{
    return n.wide ? (frida_number)(uint64_t)n.value : (frida_number)n.value;
}

/* As decimal text, for messages and names. */
enum { FRIDA_DIGITS = 48 };
struct frida_digits {
    char text[FRIDA_DIGITS];
};
struct frida_digits frida_digits(frida_number value);

/* ---- evidence: cdt_frida_evidence.c -------------------------------------------------- */

struct frida_count {
    struct ras_bytes name;
    frida_number count;
    size_t place; /* the order of first occurrence */
};

/* How often each name occurred; names are copied. */
struct frida_tally {
    struct frida_count *at;
    size_t count, room;
    uint32_t *table; /* of 1 + index, by hash */
    size_t table_size;
    struct arena names;
};

/* Draws of the random number generator that no hook has seen. */
struct frida_evidence {
    frida_number calls, dropped, in_tick, boundary;
    uint64_t unresolved;
    frida_number leave; /* state at the end of the last tick */
    bool any;           /* there was a tick */
    bool setup_known;
    uint32_t setup; /* draws from the setup to the first tick */
    struct frida_tally callers, near;
};

/* Draws outside of ticks. */
int frida_evidence_bag(struct frida_evidence *e, const struct frida_bag *bag,
                       struct ras_error *err) RAS_CHECKED;
/* A tick whose canonical rows are `rows`. */
int frida_evidence_tick(struct frida_evidence *e, frida_number seed, const struct frida_tick *tick,
                        const struct ras_cdt_rng_stream_row *rows,
                        struct ras_error *err) RAS_CHECKED;
/* Writes the evidence file. */
void frida_evidence_put(const struct frida_evidence *e, const struct frida_run_start *start,
                        struct out *out);
void frida_evidence_free(struct frida_evidence *e);

/* ---- the finalizer ---------------------------------------------------------------------- */

/* Texts are copies. */
struct frida_session {
    bool started, ended;
    int64_t version;
    struct ras_bytes session_id, platform, arch, script_version;
    struct ras_bytes frida_version, ptrs_hash,
        module_hash; /* form 2; .at of the last may be NULL */
};

/* Bytes of a run that are kept until it ends: an unlinked file, or memory for a folder in memory.
 */
struct frida_spool {
    int fd; /* -1: none */
    struct ras_sink *sink;
};
int frida_spool_open(struct frida_spool *spool, bool memory, struct ras_error *err) RAS_CHECKED;
int frida_spool_read(const struct frida_spool *spool, uint64_t at, void *to, size_t n,
                     struct ras_error *err) RAS_CHECKED;
void frida_spool_close(struct frida_spool *spool);

struct frida_run {
    bool open;
    struct frida_run_start start; /* without its texts and lists */
    uint64_t ticks;
    bool has_global;
    struct ras_cdt_int global_first, global_last;
    struct ras_cdt_game_status_data status;
    struct out tail; /* its unknown_tail */
    struct frida_evidence evidence;
    struct frida_spool chunks;
    struct ras_cdt_writer *writer; /* to them */
};

/* A run of form 2. */
struct frida_run2 {
    bool open;
    const struct cdt_model *model; /* the schema of its ticks, by the first one; NULL: none yet */
    struct frida_run_start2 start; /* without its texts and lists */
    struct ras_cdt_game_status_data status;
    uint8_t seed_words[16];             /* reserved_seed_words of it */
    char level[2 * FRIDA_DIGITS];       /* quest_level of META; empty: none */
    struct ras_cdt_trace_source source; /* without the digests */
    struct out pool;                    /* the creature_pool of its replay, encoded */
    uint64_t ticks;
    uint32_t leave; /* state of the generator after the last row */
    struct frida_evidence evidence;
    struct frida_spool chunks, steps, proofs; /* of the trace, the replay, the evidence file */
    struct ras_cdt_writer *writer;            /* to the chunks */
};

/* A file that is complete but not yet published. */
struct frida_staged {
    struct ras_sink *sink; /* NULL: it is published */
    char *name;
};

/* How many runs have a label so far. */
struct frida_label {
    char text[2 * FRIDA_DIGITS + 8];
    uint64_t count;
};

struct frida {
    const char *path; /* as given */
    const char *folder;
    struct ras_folder *to; /* instead of a folder on disk */
    const struct ras_cdt_finalize_options *options;
    struct frida_lines lines;
    struct arena row, kept; /* of a line; of the session */
    struct ras_bytes line;
    unsigned form;                 /* of rows: 1 or 2; 0: the version is not known yet */
    const struct cdt_model *model; /* form 2: by which the line was decoded */
    struct frida_session session;
    struct frida_run run;
    struct frida_run2 run2;
    struct frida_tally run_ids; /* form 2 */
    int64_t next_global;        /* form 2: the global tick that comes next; -1: any */
    struct frida_staged *staged;
    size_t staged_count, staged_room;
    uint64_t ticks;
    struct frida_label *labels;
    size_t label_count, label_room;
    struct ras_cdt_finalized *result;
    size_t run_room;
};

/* Refuses the capture at the current line: R.lines[n]. Returns RAS_EFORMAT. */
int frida_refuse(struct frida *f, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold));
/* The same for the file as a whole: R only. */
int frida_refuse_file(struct frida *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), cold));

/* The values of run_id, mode_id, quest_stage_major, quest_stage_minor in a row. */
enum { FRIDA_IDS = 4 };
struct frida_ids {
    frida_number at[FRIDA_IDS];
};

/* Whether the text is one of these words; the array ends with NULL. */
bool frida_is_one(struct ras_bytes text, const char *const *words);
/* Refuses a version that is not served, with the reason. */
int frida_refuse_version(struct frida *f, struct ras_cdt_int version);
/* The limits that must be negative, and focus mode. */
int frida_check_limits(struct frida *f, const struct frida_config *c, int64_t version) RAS_CHECKED;
int frida_check_session(struct frida *f, const struct frida_session_start *row) RAS_CHECKED;
int frida_check_run_start(struct frida *f, const struct frida_run_start *row) RAS_CHECKED;
int frida_check_run_end(struct frida *f, const struct frida_run_end *row) RAS_CHECKED;
int frida_check_session_end(struct frida *f, const struct frida_session_end *row) RAS_CHECKED;
/* cdt_frida_check.c */
int frida_check_tick(struct frida *f, const struct frida_tick *row) RAS_CHECKED;
/* Converts the channels to those of a trace; lists belong to the row or the arena. Fills
 * `canonical`; `row` must not be used afterwards. */
int frida_canonical(struct frida *f, struct frida_tick *row, struct ras_cdt_tick_record *canonical,
                    struct ras_error *err) RAS_CHECKED;

/* An int member of run_start. */
static inline struct ras_cdt_int frida_start_int(const struct frida_run_start *start,
                                                 unsigned member, int64_t value)
{
    return (struct ras_cdt_int){value, start->node.wide >> member & 1};
}

/* cdt_frida_trace.c: names. Counts one more run of its label; NULL: out of memory. */
struct frida_label *frida_label(struct frida *f, frida_number mode, frida_number major,
                                frida_number minor);
/* FOLDER/STEM.LABEL.runK plus the suffix; NULL: out of memory. */
char *frida_name(const struct frida *f, const struct frida_label *label, const char *suffix);
int frida_make_folder(const char *path, struct ras_error *err) RAS_CHECKED;
/* created_utc of META. */
enum { FRIDA_UTC = 64 };
struct ras_bytes frida_utc(const struct ras_cdt_finalize_options *o, char text[FRIDA_UTC]);
/* Copies the chunks of a spool. */
int frida_copy_chunks(const struct frida_spool *chunks, struct ras_cdt_writer *to,
                      struct ras_error *err) RAS_CHECKED;

/* cdt_frida_trace.c: the files of a run. */
int frida_run_begin(struct frida *f, const struct frida_run_start *row,
                    struct ras_error *err) RAS_CHECKED;
int frida_run_tick(struct frida *f, struct frida_tick *row, struct ras_error *err) RAS_CHECKED;
int frida_run_finish(struct frida *f, struct ras_error *err) RAS_CHECKED;
void frida_run_drop(struct frida_run *run);

/* ---- form 2 -------------------------------------------------------------------------------- */

/* cdt_frida_check2.c */
int frida_check_session2(struct frida *f, const struct frida_session_start *row) RAS_CHECKED;
int frida_check_run_start2(struct frida *f, const struct frida_run_start2 *row,
                           struct ras_error *err) RAS_CHECKED;
/* What the rules of a trace do not cover; the draws of the tick become part of the evidence. */
int frida_check_tick2(struct frida *f, const struct frida_tick2 *row,
                      struct ras_error *err) RAS_CHECKED;
int frida_check_run_end2(struct frida *f, const struct frida_run_end2 *row,
                         struct ras_error *err) RAS_CHECKED;

/* cdt_frida_trace2.c: the files of a run. A finished one is staged. */
int frida_run2_begin(struct frida *f, const struct frida_run_start2 *row,
                     struct ras_error *err) RAS_CHECKED;
int frida_run2_tick(struct frida *f, const struct frida_tick2 *row,
                    struct ras_error *err) RAS_CHECKED;
int frida_run2_finish(struct frida *f, struct ras_error *err) RAS_CHECKED;
void frida_run2_drop(struct frida_run2 *run);
/* Gives all staged files their names. */
int frida_publish(struct frida *f, struct ras_error *err) RAS_CHECKED;
void frida_unstage(struct frida *f);

/* cdt_frida_replay.c: the parts of the capture replay (.ccr), in MessagePack. */
void frida_replay_pool(struct out *out, const struct frida_residue *slots, size_t count);
bool frida_replay_tick(struct out *out, const struct cdt_model *model,
                       const struct ras_cdt_replay_step_snapshot *step,
                       struct cdt_problem *problem) RAS_CHECKED;
bool frida_replay_head(struct out *out, const struct frida *f,
                       struct cdt_problem *problem) RAS_CHECKED;

/* cdt_frida_sidecar.c: the records of the evidence file, each with its length before it. */
int frida_proof_tick(struct frida *f, const struct frida_tick2 *row, struct out *out,
                     struct ras_error *err) RAS_CHECKED;
void frida_proof_head(struct out *out, const struct frida *f, const char *trace_sha,
                      const char *replay_sha);
void frida_proof_end(struct out *out, const struct frida *f);
/* cdt_frida_evidence.c: the report on random draws, of form 2. */
void frida_evidence_put2(const struct frida_evidence *e, const struct frida_run_start2 *start,
                         struct out *out);

/* Adds to a tally; returns how often the name has occurred in *total, unless NULL. */
int frida_tally_add(struct frida_tally *t, struct ras_bytes name, frida_number count,
                    frida_number *total, struct ras_error *err) RAS_CHECKED;
void frida_tally_free(struct frida_tally *t);
/* A state of the generator so many draws later. */
uint32_t frida_lcg(uint32_t state, uint64_t steps);

#endif
