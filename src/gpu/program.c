/* program.c - programs as they are built: code, uniforms, names, and at last the registers. */
#include "gpu/program.h"

#include "base/memory.h"

#include <stdarg.h>
#include <string.h>

void program_refuse(struct program *p, const char *fmt, ...)
{
    if (*p->refused)
        return; /* the first reason is the one to report */
    va_list args;
    va_start(args, fmt);
    vsnprintf(p->refused, sizeof p->refused, fmt, args);
    va_end(args);
}

void program_free(struct program *p)
{
    if (!p)
        return;
    free(p->uniforms);
    free(p->code);
    free(p);
}

const struct semantic *semantic_system(const struct semantic *all, uint32_t count,
                                       enum program_system system)
{
    for (uint32_t i = 0; i < count; i++)
        if (all[i].system == system)
            return &all[i];
    return NULL;
}

const struct semantic *semantic_find(const struct semantic *all, uint32_t count, uint32_t hash,
                                     uint32_t index)
{
    for (uint32_t i = 0; i < count; i++)
        if (all[i].hash == hash && all[i].index == index)
            return &all[i];
    return NULL;
}

uint32_t program_uniform(struct program *p, const struct uniform *uniform)
{
    for (size_t i = 0; i < p->uniform_count; i++)
        if (!memcmp(&p->uniforms[i], uniform, sizeof *uniform))
            return (uint32_t)i;
    if (p->uniform_count >= PROGRAM_REGISTERS ||
        !array_grow(&p->uniforms, &p->uniform_room, p->uniform_count + 1, sizeof *uniform))
        return UINT32_MAX;
    p->uniforms[p->uniform_count] = *uniform;
    return (uint32_t)p->uniform_count++;
}

struct instruction *program_code(struct program *p)
{
    if (p->code_count >= PROGRAM_CODE ||
        !array_grow(&p->code, &p->code_room, p->code_count + 1, sizeof *p->code))
        return NULL;
    p->code[p->code_count] = (struct instruction){0};
    return &p->code[p->code_count++];
}

uint32_t semantic_hash(const char *name)
{
    uint32_t hash = 0x811c9dc5u;
    while (*name)
        hash = (hash ^ (uint8_t)*name++) * 0x01000193u;
    return hash;
}

uint32_t program_sources(enum program_op op)
{
    static const uint8_t sources[PROGRAM_OPS] = {
        [PROGRAM_MOV] = 1, [PROGRAM_ADD] = 2, [PROGRAM_MAD] = 3,    [PROGRAM_MUL] = 2,
        [PROGRAM_DP3] = 2, [PROGRAM_DP4] = 2, [PROGRAM_SAMPLE] = 1, [PROGRAM_LD] = 1,
    };
    return sources[op];
}

bool instruction_overlaps(const struct instruction *i, uint32_t sources)
{
    for (uint32_t s = 0; s < sources; s++)
        for (uint32_t c = 0; c < 4; c++)
            for (uint32_t w = 0; w < c; w++)
                if ((i->mask >> w & 1) && (i->mask >> c & 1) && i->from[s][c] == i->to + w)
                    return true;
    return false;
}

static void count_register(uint32_t *count, uint32_t reg)
{
    if (reg >= *count)
        *count = reg + 1;
}

static void count_operand(struct program *p, uint32_t open)
{
    uint32_t *const counts[] = {[REGISTER_INPUT] = &p->input_regs,
                                [REGISTER_OUTPUT] = &p->output_regs,
                                [REGISTER_TEMP] = &p->temp_regs};
    if (program_open_kind(open) != REGISTER_UNIFORM)
        count_register(counts[program_open_kind(open)], program_open_register(open));
}

static void count_registers(struct program *p)
{
    for (uint32_t i = 0; i < p->input_count; i++)
        count_register(&p->input_regs, p->inputs[i].reg);
    for (uint32_t i = 0; i < p->output_count; i++)
        count_register(&p->output_regs, p->outputs[i].reg);
    for (size_t i = 0; i < p->code_count; i++) {
        const struct instruction *c = &p->code[i];
        if (c->op == PROGRAM_RET)
            continue;
        count_operand(p, c->to);
        for (uint32_t s = 0; s < program_sources(c->op); s++)
            for (uint32_t k = 0; k < 4; k++)
                count_operand(p, c->from[s][k]);
    }
}

static uint32_t closed_index(const struct program *p, uint32_t open)
{
    const uint32_t first[] = {
        [REGISTER_INPUT] = 0,
        [REGISTER_OUTPUT] = p->input_regs,
        [REGISTER_TEMP] = p->input_regs + p->output_regs,
        [REGISTER_UNIFORM] = program_first_uniform(p),
    };
    return 4 * first[program_open_kind(open)] + (open & 0xffff);
}

void program_lay_out(struct program *p)
{
    count_registers(p);
    for (size_t i = 0; i < p->code_count; i++) {
        struct instruction *c = &p->code[i];
        if (c->op == PROGRAM_RET)
            continue;
        c->to = closed_index(p, c->to);
        for (uint32_t s = 0; s < program_sources(c->op); s++)
            for (uint32_t k = 0; k < 4; k++)
                c->from[s][k] = closed_index(p, c->from[s][k]);
    }
}
