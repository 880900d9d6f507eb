/* scene_driver.h - what a driver says of a tick for people who look at it: the things on a map,
 * commands in words, random numbers. */
#ifndef OPS_SCENE_SCENE_DRIVER_H
#define OPS_SCENE_SCENE_DRIVER_H

#include "base/out.h"
#include "core/format.h"

/* How things of a kind are drawn. */
enum scene_shape {
    SCENE_DISC,    /* its area is by size, its color by type */
    SCENE_RING,    /* with its number in it */
    SCENE_DOT,     /* small, of one size */
    SCENE_DIAMOND, /* hollow */
    SCENE_SQUARE,  /* hollow */
    SCENE_ARROW,   /* from where the same id was before */
    SCENE_SHAPES,
};

struct scene_kind {
    const char *name; /* "creature" */
    const char *type; /* of its records */
    enum scene_shape shape;
    const char *size; /* what a size is: "hp"; NULL: there is none */
};

/* A thing, or a command that names a place. */
struct scene_item {
    uint64_t id;     /* the same thing has the same one in every tick, among those of its kind */
    uint32_t number; /* what people call it: "creature 36" */
    int64_t type;
    unsigned kind;        /* which row of scene_ops.kinds */
    bool active;          /* not: it is recorded, but takes no part */
    double x, y;          /* finite, else it is not shown */
    double heading, size; /* radians, clockwise from the x axis where y goes down; NaN: none */
};

/* A type whose records are random numbers that were drawn. */
struct scene_draws {
    const char *type;           /* NULL: none */
    const char *value, *caller; /* its fields */
    uint64_t values;            /* there are from 0 on */
};

/* A type whose records are commands. */
struct scene_commands {
    const char *type; /* NULL: none */
    const char *name; /* its field that names the command */
    /* What it does, in words, for the cursor's record, all fields of which are decoded. */
    void (*text)(const struct ras_cursor *, struct out *);
    bool (*is_draw)(const struct ras_cursor *); /* one that ras_drawn counts; NULL: none is */
};

struct scene_ops {
    const struct scene_kind *kinds; /* ends with a row without name; NULL: nothing on a map */
    bool is_state;                  /* its things are what there is, not what is commanded */
    /* The thing that a record of a kind is, all fields of which are decoded; false: none. */
    bool (*item)(const struct ras_cursor *, struct scene_item *);
    struct scene_draws draws;
    struct scene_commands commands;
};

/* The value as a number; false: it is not one. */
static inline bool scene_number(const struct ras_value *v, double *number)
{
    *number = !v                    ? 0
              : v->kind == RAS_F64  ? v->f64
              : v->kind == RAS_F32  ? (double)v->f32
              : v->kind == RAS_INT  ? (double)v->i
              : v->kind == RAS_UINT ? (double)v->u
                                    : 0;
    return v &&
           (v->kind == RAS_F64 || v->kind == RAS_F32 || v->kind == RAS_INT || v->kind == RAS_UINT);
}

/* The same of a whole number, whose bits it is. */
static inline int64_t scene_whole(const struct ras_value *v)
{
    return v && (v->kind == RAS_INT || v->kind == RAS_UINT || v->kind == RAS_BOOL) ? v->i : 0;
}
#endif
