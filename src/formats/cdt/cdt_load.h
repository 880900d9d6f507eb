/* cdt_load.h - chunks as typed structs: META, the footer, a block of ticks. */
#ifndef CDT_LOAD_H
#define CDT_LOAD_H

#include "base/memory.h"
#include "formats/cdt/cdt_model.h"
#include "formats/cdt/cdt_wire.h"

/* Memory for one decoded chunk: its payload and the lists of its structs. All zero is empty;
 * loading the next chunk invalidates the last one. */
struct cdt_memory {
    struct cdt_buffer buffer;
    struct arena arena;
};

void cdt_memory_free(struct cdt_memory *memory);

/* Decodes a loaded payload as `s`. On RAS_EFORMAT err says "what at path". */
int cdt_payload_decode(struct cdt_memory *memory, const struct cdt_struct *s,
                       struct ras_bytes payload, uint64_t offset, void *out,
                       struct cdt_problem *problem, struct ras_error *err) RAS_CHECKED;

/* The META chunk, which is always the first one. `typed`: the structs of its schema are known;
 * otherwise only the two versions, and what else could be read, are set. */
struct cdt_meta {
    const struct cdt_model *model; /* of its schema; of the latest one if that is not known */
    struct ras_cdt_trace_meta meta;
    struct cdt_loaded loaded;   /* its chunk; the payload is valid as long as memory */
    struct cdt_problem problem; /* of a META that is not complete */
    bool typed, complete;       /* complete: all of META matches the struct */
};
int cdt_meta_load(struct cdt_memory *memory, struct ras_bytes file, uint64_t limit,
                  struct cdt_meta *out, struct ras_error *err) RAS_CHECKED;

/* How much of the closing structures is valid: the first that is not. */
enum cdt_stage { CDT_NO_TRAILER, CDT_NO_CHUNK, CDT_NO_FOOTER, CDT_BAD_FOOTER, CDT_SEALED };

/* The footer that the trailer points at, checked by the reader's rules. */
struct cdt_footer {
    enum cdt_stage stage;
    struct ras_cdt_trace_footer footer;
    uint64_t offset;        /* of the FOTR chunk */
    uint64_t end;           /* the end of that chunk */
    const uint64_t *places; /* offsets of chunks in the index and the trailer, ascending */
    size_t place_count;
};
int cdt_footer_load(struct cdt_memory *memory, struct ras_bytes file, uint64_t limit,
                    struct cdt_footer *out, struct ras_error *err) RAS_CHECKED;

/* The block of ticks at `offset`. */
struct cdt_block {
    struct ras_cdt_tick_block block;
    struct cdt_loaded loaded;
    struct cdt_problem problem;
};
/* `s` is the block of a model or a projection of it. */
int cdt_block_load(struct cdt_memory *memory, struct ras_bytes file, uint64_t offset,
                   uint64_t limit, const struct cdt_struct *s, struct cdt_block *out,
                   struct ras_error *err) RAS_CHECKED;

/* The schemas of a container whose structs are known, as text. */
static inline const char *cdt_schemas_text(uint64_t container)
{
    return container == 2 ? "19, 20, 21" : "12";
}

/* The model whose structs the first readable block matches, for a trace without a usable META;
 * NULL: none. */
const struct cdt_model *cdt_model_guess(struct cdt_memory *memory, struct ras_bytes file,
                                        uint64_t limit);

/* The first offset that the footer names at or after `offset`; RAS_NONE: none. */
uint64_t cdt_footer_place(const struct cdt_footer *footer, uint64_t offset);
/* Where to continue after bytes at `offset` that are not a usable chunk: at the end that a chunk
 * header there states, if another chunk begins at it; otherwise at the next chunk with a valid
 * checksum. RAS_NONE: nowhere; CDT_NO_MEMORY: out of memory. Only the bytes that follow are used,
 * never the footer, so that a growing trace and a cut one continue at the same places. Overwrites
 * `scratch`. */
#define CDT_NO_MEMORY (RAS_NONE - 1)
uint64_t cdt_resume(struct cdt_memory *scratch, struct ras_bytes file, uint64_t offset,
                    uint64_t limit);
#endif
