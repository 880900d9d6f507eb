/* cdt_rules.c - every rule of a CDT trace, with its weight.
 *
 * An error is what the reference reader refuses, and bytes that cannot be followed
 * although its index leads around them. What it lets pass although the specification
 * asks for it is a warning, and an error under --strict. What is only how producers
 * do it stays a warning, what is legal but odd a note. */
#include "formats/cdt/cdt_check.h"

#define BROKEN(id, about)                                                                          \
    {                                                                                              \
        "cdt." id, RAS_ERROR, RAS_ERROR, false, about                                              \
    }
#define STRICT(id, about)                                                                          \
    {                                                                                              \
        "cdt." id, RAS_WARNING, RAS_ERROR, false, about                                            \
    }
#define CUSTOM(id, about)                                                                          \
    {                                                                                              \
        "cdt." id, RAS_WARNING, RAS_WARNING, false, about                                          \
    }
#define REMARK(id, about)                                                                          \
    {                                                                                              \
        "cdt." id, RAS_NOTE, RAS_NOTE, false, about                                                \
    }
#define DEEPER(id, about)                                                                          \
    {                                                                                              \
        "cdt." id, RAS_WARNING, RAS_WARNING, true, about                                           \
    }

const struct ras_rule cdt_rules[] = {
    [CDT_TRAILER] = BROKEN("trailer.missing", "the file ends with the trailer"),
    [CDT_TRAILER_REST] =
        BROKEN("trailer.rest", "nothing follows the footer and trailer, no second trace either"),
    [CDT_FOOTER_CHUNK] =
        BROKEN("footer.chunk", "footer_offset points at a FOTR chunk that can be read"),
    [CDT_FOOTER_DECODE] = BROKEN("footer.decode", "the footer is a TraceFooter"),
    [CDT_FOOTER_BOUNDS] =
        BROKEN("footer.bounds", "the footer has blocks, ticks, and bounds in order"),
    [CDT_FOOTER_COUNT] = STRICT("footer.count", "tick_count is the number of ticks present"),
    [CDT_FOOTER_RANGE] =
        STRICT("footer.range", "first_tick and last_tick are those of the first and last tick"),
    [CDT_INDEX_CHUNK] = BROKEN("index.chunk", "an index entry points at a TICK chunk"),
    [CDT_INDEX_MATCH] =
        STRICT("index.match", "an index entry repeats its chunk's ticks, lengths and checksum"),
    [CDT_INDEX_ORDER] = CUSTOM("index.order", "index entries ascend, one for each chunk"),
    [CDT_INDEX_MISSING] = STRICT("index.missing", "every TICK chunk is in the index"),
    [CDT_CHUNK_CUT] = BROKEN("chunk.cut", "the file holds every chunk whole"),
    [CDT_CHUNK_KIND] = BROKEN("chunk.kind", "a chunk is META, TICK or FOTR"),
    [CDT_CHUNK_PLACE] = BROKEN("chunk.place", "META comes first, FOTR last, each once"),
    [CDT_CHUNK_PAYLOAD] =
        BROKEN("chunk.payload", "a payload decompresses, is msgpack and has its stated length"),
    [CDT_CHUNK_CHECKSUM] =
        BROKEN("chunk.checksum", "checksum64 is the BLAKE2b-64 of the uncompressed payload"),
    [CDT_CHUNK_UNINDEXED] =
        BROKEN("chunk.unindexed", "chunks follow each other without bytes between"),
    [CDT_CHUNK_RESERVED] = CUSTOM("chunk.reserved", "flag bits other than ZSTD and MSGPACK are 0"),
    [CDT_CHUNK_ZSTD] =
        STRICT("chunk.zstd", "python and frida set the ZSTD flag, zig stores payloads as they are"),
    [CDT_CHUNK_TRAILING] = CUSTOM("chunk.trailing", "nothing follows the zstd frame in a chunk"),
    [CDT_CHUNK_TICKS] = STRICT(
        "chunk.ticks", "start_tick and end_tick are -1 in META and FOTR, the block's in TICK"),
    [CDT_META_CHUNK] = BROKEN("meta.chunk", "the first chunk is META"),
    [CDT_META_DECODE] = BROKEN("meta.decode", "META is a TraceMeta, without unknown keys"),
    [CDT_META_FORMAT] =
        CUSTOM("meta.format", "META's trace_format_version is that of the container"),
    [CDT_META_SCHEMA] = BROKEN("meta.schema", "trace_schema_version is 12"),
    [CDT_META_RANGE] = CUSTOM("meta.range", "META's tick_range gives the ticks present"),
    [CDT_META_DIALECT] = CUSTOM("meta.dialect", "producer.impl is the dialect's"),
    [CDT_BLOCK_DECODE] =
        BROKEN("block.decode", "a TICK payload is a TickBlock, in every struct that it holds"),
    [CDT_BLOCK_KEYS] = REMARK("block.keys", "structs that ignore unknown keys have none"),
    [CDT_BLOCK_EMPTY] = STRICT("block.empty", "a block has ticks"),
    [CDT_BLOCK_RANGE] =
        STRICT("block.range", "a block's ticks are those of its first and last row"),
    [CDT_TICK_NONE] = BROKEN("tick.none", "a trace has ticks"),
    [CDT_TICK_ORDER] = STRICT("tick.order", "tick_index does not descend"),
    [CDT_TICK_DUPLICATE] = REMARK("tick.duplicate", "no tick_index comes twice"),
    [CDT_TICK_GAP] = REMARK("tick.gap", "no tick_index is left out"),
    [CDT_TICK_NUMBERS] =
        CUSTOM("tick.numbers", "tick_index and dt_ms_i32 fit 32 bits, elapsed_ms is not negative"),
    [CDT_CHECKPOINT_TICK] =
        CUSTOM("checkpoint.tick", "a checkpoint has the tick_index and elapsed_ms of its tick"),
    [CDT_CHECKPOINT_TIMERS] = CUSTOM("checkpoint.timers", "no key of bonus_timers comes twice"),
    [CDT_SIM_PLAYERS] = CUSTOM("sim.players", "checkpoint and sim_state have the same players"),
    [CDT_ENTITY_UID] = CUSTOM("entity.uid", "no uid comes twice in one pool of a tick"),
    [CDT_ENTITY_POOL] = CUSTOM("entity.pool", "pool_kind names the pool that the row is in"),
    [CDT_RNG_INDEX] = CUSTOM("rng.index", "tick_call_index counts from 1 in each tick"),
    [CDT_RNG_NUMBERS] =
        CUSTOM("rng.numbers", "states and caller fit 32 bits without sign, value_15 fits 15"),
    [CDT_RNG_LCG] = DEEPER("rng.lcg", "each draw follows from the state before it"),
    [CDT_TIMING_ENTER] =
        STRICT("timing.enter", "every tick has timing_samples, with a gpur_enter row among them"),
    [CDT_TIMING_MINIMUM] =
        STRICT("timing.minimum", "a gpur_enter row has all that the shared minimum asks for"),
    [CDT_TIMING_TICK] = CUSTOM("timing.tick", "a timing row has the tick_index of its tick"),
    {0},
};
