/* planner.h - which functions of a program are patched, and why others are not. */
#ifndef PATCHING_PLANNER_H
#define PATCHING_PLANNER_H

#include <rastrum/rastrum.h>

#define PLAN_FILE "patch.plan" /* what the image is called, in a directory of the plan's name */
#define PLAN_UNPLANNED                                                                             \
    "unplanned.list" /* beside these: modules that hooks have found no plan for */

enum plan_reason {
    PLAN_PATCHED,
    PLAN_START,     /* the entry point, or nothing called it */
    PLAN_PART,      /* not a function: cold code of another, or a label in it */
    PLAN_UNNAMED,   /* without a symbol, and reached by jumps only: a cold part? */
    PLAN_RESOLVER,  /* of an indirect function */
    PLAN_INSIDE,    /* a jump leads into the bytes that are displaced */
    PLAN_LOOP,      /* a jump of its own leads to its start */
    PLAN_TABLE,     /* a jump table leads into the bytes that are displaced */
    PLAN_SHORT,     /* it is shorter than a jump */
    PLAN_IMMOVABLE, /* an instruction works only where it is */
    PLAN_UNDECODED, /* bytes that are not known instructions */
    PLAN_FALL,      /* code before it goes on with it */
    PLAN_REASONS,
};

struct plan_function {
    uint64_t address;
    const char *name; /* in the file; NULL: none */
    enum plan_reason reason;
};

struct plan {
    struct plan_function *functions; /* by address */
    size_t count;
    size_t by_reason[PLAN_REASONS];
    uint64_t instruction_count;
    char name[80];  /* of the file for the hooks: by build id, or else by path */
    uint8_t *image; /* the file for the hooks: base/patch_plan.h */
    size_t image_size;
    struct ras_bytes mapped; /* of plan_open_file() */
};

/* A plan of the bytes of an ELF file, which may be damaged and are borrowed until it is closed;
 * `path` is where the dynamic linker will find it. RAS_EFORMAT and
 * RAS_EUNSUPPORTED: none of it can be patched, and why. */
int plan_open(struct plan **out, struct ras_bytes file, const char *path, struct ras_error *err);
/* The same of the file itself. */
int plan_open_file(struct plan **out, const char *path, struct ras_error *err);
void plan_close(struct plan *); /* NULL is fine */
/* A reason in words, and as one word for JSON. */
const char *plan_reason_text(enum plan_reason);
const char *plan_reason_word(enum plan_reason);
#endif
