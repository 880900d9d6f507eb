/* patch_plan.h - the file by which `rastrum record --unmodified` says which functions of a module
 * are patched, and how: hooks only read it and write.
 *
 * In the order of the file: the head, the entries by address, the fixups, and from a page's start
 * on the code, at whose start is room for a jump to the hooks. Numbers are those of the machine:
 * the file is private, and used while the recording that wrote it runs. */
#ifndef BASE_PATCH_PLAN_H
#define BASE_PATCH_PLAN_H

#include <stddef.h>
#include <stdint.h>

#define PATCH_PLAN_MAGIC "RASPLAN1"
/* In the session: plans/BUILD_ID/patch.plan. */
#define PATCH_PLAN_FILE "patch.plan"
/* plans/unplanned.list: lines with the paths of modules that were loaded later, without a plan. */
#define PATCH_PLAN_UNPLANNED "unplanned.list"
enum {
    PATCH_PLAN_PAGE = 4096,
    PATCH_PLAN_STUB = 16,      /* room at the start of the code */
    PATCH_PLAN_JUMP = 5,       /* what is written into a function */
    PATCH_PLAN_DISPLACED = 24, /* bytes that may have to be displaced for it */
};

struct patch_plan_head {
    char magic[8];
    uint64_t size;     /* of the file */
    uint64_t from, to; /* what is loaded of the module, by the addresses of its file */
    uint64_t entries_at, entry_count;
    uint64_t fixups_at, fixup_count;
    uint64_t code_at, code_size;
};

struct patch_plan_entry {
    uint64_t function; /* its address in the module's file */
    uint32_t jump;     /* the jump is written so far after its start */
    uint32_t code;     /* where its displaced code begins, in the code */
    uint32_t size;     /* how many bytes are displaced */
    uint8_t original[PATCH_PLAN_DISPLACED];
    uint8_t zero[4];
};
_Static_assert(sizeof(struct patch_plan_entry) == 48, "no padding");

enum patch_plan_kind {
    PATCH_PLAN_RELATIVE, /* 32 bits, as if the code was at address 0 of the file */
    PATCH_PLAN_RETURN,   /* an address of the file in `push $low; movl $high, 4(%rsp)` */
};

struct patch_plan_fixup {
    uint32_t at;   /* in the code */
    uint32_t kind; /* enum patch_plan_kind */
};

/* Of PATCH_PLAN_RETURN: where the halves are. */
enum { PATCH_PLAN_LOW = 1, PATCH_PLAN_HIGH = 9, PATCH_PLAN_PUSH = 13 };

/* The name of the plan of a file that has no build id: a hash of its path. */
static inline void patch_plan_name(const char *path, char *to, size_t room)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *path; path++)
        hash = (hash ^ (uint8_t)*path) * UINT64_C(0x100000001b3);
    size_t n = 0;
    for (const char *prefix = "path-"; *prefix && n + 1 < room; prefix++)
        to[n++] = *prefix;
    for (unsigned i = 0; i < 16 && n + 1 < room; i++)
        to[n++] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    to[n] = 0;
}
#endif
