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
};

struct frida_run {
    bool open;
    struct frida_run_start start; /* without its texts and lists */
    uint64_t ticks;
    bool has_global;
    struct ras_cdt_int global_first, global_last;
    struct ras_cdt_game_status_data status;
    struct out tail; /* its unknown_tail */
    struct frida_evidence evidence;
    int fd; /* the unlinked file of its chunks; -1: none */
    struct ras_sink *chunks;
    struct ras_cdt_writer *writer;
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
    struct frida_session session;
    struct frida_run run;
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

/* cdt_frida_trace.c: the files of a run. */
int frida_run_begin(struct frida *f, const struct frida_run_start *row,
                    struct ras_error *err) RAS_CHECKED;
int frida_run_tick(struct frida *f, struct frida_tick *row, struct ras_error *err) RAS_CHECKED;
int frida_run_finish(struct frida *f, struct ras_error *err) RAS_CHECKED;
void frida_run_drop(struct frida_run *run);

#endif
