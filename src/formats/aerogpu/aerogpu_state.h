/* aerogpu_state.h - the commands from before a slice that its frames depend on. */
#ifndef AEROGPU_STATE_H
#define AEROGPU_STATE_H

#include "formats/aerogpu/aerogpu_rewrite.h"

struct aero_step {
    uint32_t record; /* index in records */
    uint32_t at, size;
    uint32_t opcode;
    uint32_t object,
        previous;     /* that it makes or destroys; the object its id meant before; 0: none */
    uint32_t targets; /* that are set when it runs */
    bool packet, inside, kept;
};

struct aero_step_record {
    uint64_t offset;         /* in the source */
    struct ras_bytes stream; /* or the packet, in the source */
    bool submission, inside;
};

/* Zero-initialised. */
struct aero_state {
    struct aero_step *steps;
    size_t count, room;
    struct aero_step_record *records;
    size_t record_count, record_room;
    uint64_t end;   /* in the source: of the commands that were read */
    uint64_t kept;  /* commands from before the slice */
    uint64_t draws; /* of these */
    bool gap;       /* bytes before the slice are unreadable */
};

/* Find them. `options` define the slice. */
int aero_state_find(struct aero_state *, struct ras_trace *,
                    const struct ras_rewrite_options *options, struct ras_error *);
void aero_state_free(struct aero_state *);

/* ---- objects and targets: aerogpu_state.c and aerogpu_state_read.c ----------------------- */

enum { INSIDE_MOST = 1 << 16 }; /* commands of the slice that are read */
enum { THIN_LEAST = 256 };      /* commands that are remembered before any is left out again */
enum { TARGETS = 9, CANVAS = 1, NO_OBJECT = 0 };
enum { CLEAR_COLOR = 1, CLEAR_DEPTH = 2, CLEAR_STENCIL = 4, D32_FLOAT = 33 };

enum packet_op {
    P_CREATE_BUFFER = 1,
    P_UPLOAD,
    P_CREATE_SHADER,
    P_CREATE_PIPELINE,
    P_SET_PIPELINE,
    P_SET_VERTEX_BUFFER,
    P_SET_VIEWPORT,
    P_CLEAR,
    P_DRAW,
    P_PRESENT,
};

enum command_op {
    NOP = 0x000,
    DEBUG_MARKER = 0x001,
    CREATE_BUFFER = 0x100,
    CREATE_TEXTURE = 0x101,
    DESTROY_RESOURCE = 0x102,
    DIRTY_RANGE = 0x103,
    UPLOAD = 0x104,
    COPY_BUFFER = 0x105,
    COPY_TEXTURE = 0x106,
    CREATE_VIEW = 0x107,
    DESTROY_VIEW = 0x108,
    CREATE_SHADER = 0x200,
    DESTROY_SHADER = 0x201,
    BIND_SHADERS = 0x202,
    CREATE_LAYOUT = 0x204,
    DESTROY_LAYOUT = 0x205,
    RENDER_TARGETS = 0x400,
    CREATE_SAMPLER = 0x520,
    DESTROY_SAMPLER = 0x521,
    CLEAR = 0x600,
    DRAW = 0x601,
    DRAW_INDEXED = 0x602,
    PRESENT = 0x700,
    PRESENT_EX = 0x701,
    EXPORT = 0x710,
    IMPORT = 0x711,
    FLUSH = 0x720,
};

/* The object that an id means: a buffer, texture, view, shader ... Object 0 is none, object 1 the
 * canvas, which is drawn on where no target is set. */
struct object {
    uint64_t key;
    uint32_t base;   /* the object that has its content: of a view, its texture */
    uint32_t format; /* of a texture */
    bool single;     /* a texture of one level and layer: CLEAR leaves nothing of it */
    bool needed;     /* a kept command names it */
    bool read;       /* bound by a kept command: any draw may read it */
    bool content;    /* a kept command needs its content at this point */
    bool unused;     /* its place is free */
    uint64_t killed; /* the epoch in which all of it is overwritten */
    uint64_t cover_epoch, cover_from, cover_to; /* bytes that a kept upload overwrites */
};

/* Color targets, then the depth target. */
struct targets {
    uint32_t colors, objects[TARGETS];
    bool used; /* by a step that is kept, or set now */
};

struct finder {
    struct aero_state *state;
    struct ras_trace *trace;
    struct ras_error *err;
    struct aero_map ids;    /* key of an id to its object */
    struct aero_map tokens; /* of shared surfaces, to objects */
    struct aero_map set;    /* key of a state to 1 + the epoch in which it is set again */
    struct object *objects;
    size_t object_count, object_room;
    size_t object_free; /* the lowest place that may be free */
    struct targets *targets;
    size_t target_count, target_room, target_free;
    uint32_t target_now;
    size_t thin_at; /* how many steps there may be until those without effect are left out */
    uint64_t epoch; /* one more at every kept draw: states are judged separately before it */
    bool changed;   /* an object was found to be read: walk again */
    bool open;      /* commands follow that were not read: any object may be needed */
    bool nomem;
    struct aero_step *step; /* the current one */
};

static inline uint64_t key_of(bool packet, uint8_t kind, uint32_t id)
{
    return (uint64_t)(packet * 16u + kind + 1u) << 32 | id;
}

static inline struct ras_bytes command_of(const struct finder *f, const struct aero_step *s)
{
    return aero_slice(f->state->records[s->record].stream, s->at, s->size);
}

static inline uint32_t word(struct ras_bytes command, uint64_t at)
{
    uint64_t from = RAS_AERO_COMMAND_HEADER_SIZE + at;
    return from + sizeof(uint32_t) <= command.len ? load_u32(command.at + from) : 0;
}

static inline uint64_t wide(struct ras_bytes command, uint64_t at)
{
    return word(command, at) | (uint64_t)word(command, at + 4) << 32;
}

static inline uint32_t find_object(const struct finder *f, bool packet, uint8_t kind, uint32_t id)
{
    return (uint32_t)aero_map_get(&f->ids, key_of(packet, kind, id));
}

/* aerogpu_state_read.c: every command up to the end of the slice, with the objects that ids mean.
 */
int aero_state_read(struct finder *, const struct ras_rewrite_options *options);

/* aerogpu_state.c: which steps are kept. `open`: any command may follow them. */
void aero_state_judge(struct finder *, bool open);
#endif
