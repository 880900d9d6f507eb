/* x86.h - where an x86-64 instruction ends, what it refers to and where it leads.
 *
 * Lengths and references only, no operands: enough to move the first instructions of a function,
 * and to find all jumps of a program. Legacy, VEX, EVEX and XOP encodings, in 64-bit mode. */
#ifndef PATCHING_X86_H
#define PATCHING_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum x86_flow {
    X86_NEXT,          /* goes on behind it */
    X86_JUMP,          /* to `target` */
    X86_JUMP_IF,       /* to `target`, or behind it */
    X86_LOOP,          /* loop, jrcxz, xbegin: as JUMP_IF, but there is no longer form */
    X86_CALL,          /* of `target` */
    X86_RETURN,        /* also from an interrupt */
    X86_JUMP_INDIRECT, /* to what a register or memory holds */
    X86_CALL_INDIRECT,
    X86_STOP, /* ud2, hlt, int3: nothing follows */
};

struct x86_instruction {
    uint8_t length;
    enum x86_flow flow;
    uint8_t map, opcode; /* of map 0: one byte; 1: 0f; 2: 0f 38; 3: 0f 3a; VEX and EVEX likewise */
    uint8_t modrm;       /* 0 where there is none */
    bool has_modrm;
    bool vector;           /* VEX, EVEX or XOP */
    uint8_t rip_at;        /* the 32-bit displacement from rip begins there; 0: none */
    uint8_t number_at;     /* an immediate or relative number begins there; 0: none */
    uint8_t number_size;   /* of it, in bytes */
    int64_t rip_offset;    /* with rip_at: from the end of the instruction */
    int64_t target_offset; /* of a direct flow: from the end of the instruction */
    uint64_t number;       /* as it stands, not extended */
};

/* False: no instruction is known that begins so, or it does not end within `size` bytes. */
bool x86_decode(const uint8_t *bytes, size_t size, struct x86_instruction *out);
#endif
