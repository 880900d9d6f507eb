/* program.h - a shader ready to run: straight-line code over registers of many lanes.
 *
 * Every register has four components, every component one float for each lane; a lane is a
 * vertex or a pixel. Inputs, outputs, temporaries and uniforms (immediates and constants)
 * lie in one file of registers; an operand is the index of a component in it. */
#ifndef GPU_PROGRAM_H
#define GPU_PROGRAM_H

#include <rastrum/rastrum.h>

enum {
    LANES = 64, /* a tile of 8x8 pixels */
    PROGRAM_SEMANTICS = 32,
    PROGRAM_REGISTERS = 1024,
    PROGRAM_CODE = 65536,
};

struct lanes {
    _Alignas(64) float at[LANES];
};

/* Until a program is complete the place of a register in the file is not known: its operands
 * are (kind, register, component) in one number. */
enum register_kind { REGISTER_INPUT, REGISTER_OUTPUT, REGISTER_TEMP, REGISTER_UNIFORM };

enum program_op {
    PROGRAM_MOV,
    PROGRAM_ADD,
    PROGRAM_MAD,
    PROGRAM_MUL,
    PROGRAM_DP3,
    PROGRAM_DP4,
    PROGRAM_SAMPLE,
    PROGRAM_LD,
    PROGRAM_RET,
    PROGRAM_OPS,
};

struct instruction {
    uint8_t op;         /* enum program_op */
    uint8_t mask;       /* of the components that are written */
    uint8_t overlaps;   /* a source is written before it was read to the end */
    uint8_t swizzle[4]; /* of a texel */
    uint8_t texture, sampler;
    uint32_t to;         /* component x of the destination */
    uint32_t from[3][4]; /* components */
};

/* What a uniform register holds. */
struct uniform {
    uint32_t is_constant;   /* not a bool: uniforms are compared as bytes */
    uint32_t buffer, index; /* of a constant */
    uint32_t bits[4];       /* of an immediate */
};

/* A value that goes in or out, by its name. */
struct semantic {
    uint32_t hash; /* FNV-1a of the name in upper case */
    uint32_t index, reg;
    uint8_t mask;
    uint8_t system; /* enum program_system */
};

enum program_system {
    SYSTEM_NONE,
    SYSTEM_POSITION,
    SYSTEM_TARGET,
    SYSTEM_VERTEX_ID,
    SYSTEM_INSTANCE_ID,
    SYSTEM_OTHER, /* one that nothing here provides */
};

struct program {
    bool is_vertex;
    char refused[160]; /* why it cannot be executed; "": it can */
    struct semantic inputs[PROGRAM_SEMANTICS], outputs[PROGRAM_SEMANTICS];
    uint32_t input_count, output_count;
    uint32_t input_regs, output_regs, temp_regs; /* in this order in the file */
    struct uniform *uniforms;
    size_t uniform_count, uniform_room;
    struct instruction *code;
    size_t code_count, code_room;
    bool reads_textures;
    uint64_t textures[2]; /* the slots that are read, a bit for each */
    uint16_t samplers;    /* and those that they are read with */
};

static inline uint32_t program_first_uniform(const struct program *p)
{
    return p->input_regs + p->output_regs + p->temp_regs;
}

static inline uint32_t program_registers(const struct program *p)
{
    return program_first_uniform(p) + (uint32_t)p->uniform_count;
}

/* What running it costs for one lane; a texel counts as several instructions. */
uint64_t program_cost(const struct program *program);

uint32_t semantic_hash(const char *name);
/* The semantic of that kind, or with that name and index; NULL: none. */
const struct semantic *semantic_system(const struct semantic *all, uint32_t count,
                                       enum program_system system);
const struct semantic *semantic_find(const struct semantic *all, uint32_t count, uint32_t hash,
                                     uint32_t index);

/* A DXBC container whose SHDR chunk has the dialect of AeroGPU's fixtures. What is well-formed
 * but cannot be executed gives a program that says so. RAS_EFORMAT: no such container. */
int program_from_dxbc(struct program **out, struct ras_bytes dxbc, struct ras_error *err);
void program_free(struct program *program); /* NULL is fine */

/* The index of a uniform register, from the first uniform on; UINT32_MAX: too many, or short
 * memory. */
uint32_t program_uniform(struct program *program, const struct uniform *uniform);
struct instruction *program_code(struct program *program);

static inline uint32_t program_open(enum register_kind kind, uint32_t reg, uint32_t component)
{
    return (uint32_t)kind << 16 | reg << 2 | component;
}

static inline enum register_kind program_open_kind(uint32_t open)
{
    return (enum register_kind)(open >> 16);
}

static inline uint32_t program_open_register(uint32_t open)
{
    return (open & 0xffff) >> 2;
}

/* Whether a component is written that a later one of the same instruction still reads. */
bool instruction_overlaps(const struct instruction *instruction, uint32_t sources);
/* How many operands of an operation are read from registers. */
uint32_t program_sources(enum program_op op);
/* Count the registers, and make every operand an index into the file. */
void program_lay_out(struct program *program);

/* ---- decoding the tokens (dxbc.c) -------------------------------------------------------- */

/* Not executable, for this reason. */
void program_refuse(struct program *program, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- running (shader_run.c) -------------------------------------------------------------- */

struct texture_unit;

struct shader_env {
    const struct texture_unit *units; /* by texture slot */
    const struct gpu_sampling *samplers;
    bool tiled; /* lanes are a tile: texels change from lane to lane */
};

/* Run over the first `lanes` lanes, a multiple of 8. */
void program_run(const struct program *program, struct lanes *file, uint32_t lanes,
                 const struct shader_env *env);
#endif
