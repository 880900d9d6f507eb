/* atf_manifest.h - manifest.json: threads, symbols, modules, timing anchors. */
#ifndef ATF_MANIFEST_H
#define ATF_MANIFEST_H

#include "base/id_table.h"
#include "codec/json_read.h"
#include <rastrum/atf.h>

/* An unknown member of the manifest, as it is written there. */
struct atf_member {
    size_t at, key_len, len; /* from its key's first quote to the end of its value */
};

/* Where a function is in the program's sources. */
struct atf_source {
    uint64_t function_id;
    const char *file;
    uint32_t line;
    bool is_known; /* while it is parsed: it has a function_id */
};

/* A range of addresses: "stack", "heap", "map", or the file that was mapped there. */
struct atf_map {
    uint64_t from, to;
    char what[48]; /* its last bytes */
};
enum { ATF_MAPS_MOST = 4096 };

struct atf_manifest {
    struct ras_atf_manifest out; /* points into the arrays below */
    struct ras_atf_fault fault;  /* of out.crash */
    struct ras_atf_listed *threads;
    uint64_t events; /* number of events of ras_event() that the recorder stored, all threads
                        together; RAS_NONE: not given */
    struct ras_atf_module *modules;
    struct ras_atf_symbol *symbols;
    struct ras_atf_anchor *anchors;
    struct ras_atf_drop *drops;
    uint32_t *repaired;
    struct atf_source *sources; /* by function_id */
    size_t source_count, source_room;
    struct atf_member *others;
    size_t other_count, other_room;
    size_t thread_room, module_room, symbol_room, anchor_room, drop_room, repaired_room;
    char *texts; /* every string, each ending in NUL */
    size_t text_len, text_room;
    struct id_table by_function, by_module, by_thread, by_repaired;
    struct atf_map *maps; /* of the memory of the process, where it was recorded with details */
    size_t map_count, map_room;
    struct ras_bytes recorder; /* the member "recorder", while it is parsed */
    uint64_t strays;           /* events of threads that had no lane, by its "stray_REASON" */
    size_t crash_at;   /* where in the text the members of recorder.crash begin; 0: there is none */
    char mismatch[96]; /* the first known key whose value has another type; "" if none */
    uint64_t mismatch_at;
};

/* Add an item to a list of a manifest: to `list`, with one##_room and out.one##_count. */
#define ATF_APPEND(m, list, one, item, no_memory)                                                  \
    do {                                                                                           \
        if (!array_grow(&(m)->list, &(m)->one##_room, (m)->out.one##_count + 1,                    \
                        sizeof *(m)->list))                                                        \
            (no_memory) = true;                                                                    \
        else                                                                                       \
            (m)->list[(m)->out.one##_count++] = (item);                                            \
    } while (0)

/* Read a manifest; strings may take up to `limit` bytes. After a failure it is empty. */
int atf_manifest_parse(struct atf_manifest *, struct ras_bytes json, uint64_t limit,
                       struct ras_error *);
/* Reads the readable part of one that is cut or damaged. False: no memory; free it either way. */
bool atf_manifest_salvage(struct atf_manifest *, struct ras_bytes json, uint64_t limit);
void atf_manifest_free(struct atf_manifest *);

/* Reads the member "recorder"; once threads can be found, their names. */
void atf_manifest_recorder(struct atf_manifest *, struct ras_bytes recorder,
                           const uint8_t *manifest);
void atf_manifest_thread_names(struct atf_manifest *);
/* Reads the member "windows". */
void atf_manifest_windows(struct atf_manifest *, struct ras_bytes windows);

/* Reads the member "sources". False: no memory. */
bool atf_manifest_sources(struct atf_manifest *, struct ras_bytes sources);
/* NULL: the manifest does not say. */
const struct atf_source *atf_manifest_source(const struct atf_manifest *, uint64_t function_id);
/* A string, kept as long as the manifest; NULL: it is not one. */
const char *atf_manifest_keep_text(struct atf_manifest *, const struct json_token *);
/* A number, or a string that is one, in decimal or as 0x...; false: neither. */
bool atf_manifest_number(const struct json_token *, uint64_t *);

/* Make the tables for the lookups below; of two entries with one id the first counts. False: no
 * memory. */
bool atf_manifest_index(struct atf_manifest *);
const struct ras_atf_symbol *atf_manifest_symbol(const struct atf_manifest *, uint64_t function_id);
/* Whether repair has closed the files of a thread. */
bool atf_manifest_repaired(const struct atf_manifest *, uint32_t thread_id);
const struct ras_atf_module *atf_manifest_module(const struct atf_manifest *, uint32_t module_id);
/* The entry of a thread; NULL: it is not listed. */
const struct ras_atf_listed *atf_manifest_thread(const struct atf_manifest *, uint32_t thread_id);
/* The trace's time at `seconds` of the media: interpolated between two anchors, outside of them
 * at the speed of time. False when there are none, or the time would be negative. */
bool atf_manifest_media(const struct atf_manifest *, double seconds, uint64_t *time_ns);
#endif
