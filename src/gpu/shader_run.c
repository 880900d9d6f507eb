/* shader_run.c - run a program over many lanes: one loop an instruction and component. */
#include "gpu/machine.h"
#include "gpu/program.h"
#include "gpu/texture.h"

#define FOR_LANES(i, lanes) for (uint32_t i = 0; i < (lanes); i++)

typedef void component_run(float *restrict to, const float *a, const float *b, const float *c,
                           uint32_t lanes);

static void run_mov(float *restrict to, const float *a, const float *b, const float *c,
                    uint32_t lanes)
{
    (void)b;
    (void)c;
    memcpy(to, a, lanes * sizeof *to);
}

static void run_add(float *restrict to, const float *a, const float *b, const float *c,
                    uint32_t lanes)
{
    (void)c;
    FOR_LANES(i, lanes)
    to[i] = a[i] + b[i];
}

static void run_mul(float *restrict to, const float *a, const float *b, const float *c,
                    uint32_t lanes)
{
    (void)c;
    FOR_LANES(i, lanes)
    to[i] = a[i] * b[i];
}

static void run_mad(float *restrict to, const float *a, const float *b, const float *c,
                    uint32_t lanes)
{
    FOR_LANES(i, lanes)
    to[i] = a[i] * b[i] + c[i];
}

static component_run *const by_component[PROGRAM_OPS] = {
    [PROGRAM_MOV] = run_mov,
    [PROGRAM_ADD] = run_add,
    [PROGRAM_MUL] = run_mul,
    [PROGRAM_MAD] = run_mad,
};

static void run_components(const struct instruction *in, struct lanes *file, uint32_t lanes)
{
    component_run *run = by_component[in->op];
    struct lanes scratch[4];
    for (uint32_t c = 0; c < 4; c++) {
        if (!(in->mask >> c & 1))
            continue;
        float *to = file[in->to + c].at;
        const float *a = file[in->from[0][c]].at;
        const float *b = file[in->from[1][c]].at;
        const float *d = file[in->from[2][c]].at;
        /* A component written over itself is read first too: loops must not assume more. */
        bool self = to == a || to == b || to == d;
        if (in->overlaps || self)
            to = scratch[c].at;
        run(to, a, b, d, lanes);
        if (self && !in->overlaps)
            memcpy(file[in->to + c].at, to, lanes * sizeof *to);
    }
    for (uint32_t c = 0; in->overlaps && c < 4; c++)
        if (in->mask >> c & 1)
            memcpy(file[in->to + c].at, scratch[c].at, lanes * sizeof(float));
}

static void run_dot(const struct instruction *in, struct lanes *file, uint32_t lanes)
{
    struct lanes sum;
    const uint32_t *a = in->from[0], *b = in->from[1];
    const float *ax = file[a[0]].at, *ay = file[a[1]].at, *az = file[a[2]].at;
    const float *bx = file[b[0]].at, *by = file[b[1]].at, *bz = file[b[2]].at;
    FOR_LANES(i, lanes)
    sum.at[i] = ax[i] * bx[i] + ay[i] * by[i] + az[i] * bz[i];
    const float *aw = file[a[3]].at, *bw = file[b[3]].at;
    if (in->op == PROGRAM_DP4)
        FOR_LANES(i, lanes)
    sum.at[i] += aw[i] * bw[i];
    for (uint32_t c = 0; c < 4; c++)
        if (in->mask >> c & 1)
            memcpy(file[in->to + c].at, sum.at, lanes * sizeof(float));
}

static void run_texel(const struct instruction *in, struct lanes *file, uint32_t lanes,
                      const struct shader_env *env)
{
    struct lanes texel[4];
    const struct texture_unit *unit = &env->units[in->texture];
    const float *u = file[in->from[0][0]].at, *v = file[in->from[0][1]].at;
    if (in->op == PROGRAM_LD)
        texel_load(unit, u, v, file[in->from[0][3]].at, texel);
    else
        texel_sample(unit, &env->samplers[in->sampler], u, v, env, texel);
    for (uint32_t c = 0; c < 4; c++)
        if (in->mask >> c & 1)
            memcpy(file[in->to + c].at, texel[in->swizzle[c]].at, lanes * sizeof(float));
}

uint64_t program_cost(const struct program *p)
{
    uint64_t cost = 1;
    for (size_t i = 0; i < p->code_count; i++)
        cost += p->code[i].op == PROGRAM_SAMPLE || p->code[i].op == PROGRAM_LD ? 16 : 1;
    return cost;
}

void program_run(const struct program *p, struct lanes *file, uint32_t lanes,
                 const struct shader_env *env)
{
    for (size_t i = 0; i < p->code_count; i++) {
        const struct instruction *in = &p->code[i];
        switch (in->op) {
        case PROGRAM_DP3:
        case PROGRAM_DP4:
            run_dot(in, file, lanes);
            break;
        case PROGRAM_SAMPLE:
        case PROGRAM_LD:
            run_texel(in, file, lanes, env);
            break;
        case PROGRAM_RET:
            return;
        default:
            run_components(in, file, lanes);
        }
    }
}
