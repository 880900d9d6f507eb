/* code_map.h - the code of a file: its functions, and what leads where. */
#ifndef PATCHING_CODE_MAP_H
#define PATCHING_CODE_MAP_H

#include "base/elf.h"

/* What refers to an address, as flags. */
enum code_mark {
    MARK_OWN = 1,       /* a jump of the same function */
    MARK_JUMP = 2,      /* a jump from elsewhere */
    MARK_JUMP_IF = 4,   /* the same, conditional */
    MARK_CALL = 8,      /* a call */
    MARK_ADDRESS = 16,  /* its address is taken */
    MARK_TABLE = 32,    /* a table of distances, as switches have */
    MARK_RESOLVER = 64, /* a relocation calls it */
};

struct code_section {
    uint64_t from, to;
    const uint8_t *bytes;
    uint8_t *marks; /* of code: one for each byte; NULL: data */
};

struct code_function {
    uint64_t from, to;
    const char *name;   /* in the file; NULL: it has no symbol */
    bool has_frame;     /* with unwind information of its own */
    bool has_no_caller; /* by its unwind information */
    bool is_part;       /* of another function: cold code, or a label within it */
    bool is_resolver;
    bool is_undecoded;     /* some of its bytes are not known instructions */
    bool is_fallen_into;   /* the code before it goes on with it */
    bool jumps_indirectly; /* by a register or memory */
};

/* Data that code refers to. */
struct code_datum {
    uint64_t address;
    bool may_be_table; /* the function that does has an indirect jump */
};

struct code_map {
    struct elf elf;
    struct code_section *sections; /* by address */
    size_t section_count, section_room;
    struct code_function *functions; /* by address, one for each */
    size_t function_count, function_room;
    uint64_t from, to; /* what is loaded */
    bool is_fixed;     /* its addresses are those in memory */
    uint64_t instruction_count;
    struct code_datum *data; /* what code refers to, by address once all is decoded */
    size_t datum_count, datum_room;
};

/* Read all code of a file, which may be damaged. RAS_EFORMAT or RAS_EUNSUPPORTED: why not. */
int code_map_open(struct code_map *, struct ras_bytes file, struct ras_error *err);
void code_map_close(struct code_map *);
/* The section of an address; NULL: none. */
const struct code_section *code_section_of(const struct code_map *, uint64_t address);
/* The marks of an address of code; 0: none, or it is not code. */
uint8_t code_marks_at(const struct code_map *, uint64_t address);
#endif
