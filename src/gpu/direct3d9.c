/* direct3d9.c - states of Direct3D 9, each by its number.
 *
 * The ABI hands them on as they are. Those that the machine has a state for set it, whichever
 * command set it last; those that cannot matter here, for what they belong to is not drawn or is
 * off, are passed over; with any other value of any other state pictures are not exact, until it
 * is set back. */
#include "base/error.h"
#include "gpu/machine.h"

/* The outcome of setting a state. */
enum answer { OTHER, TAKEN, REFUSED };

enum { NO_VALUE = 255, COMPARES = 8, ALPHA_ALWAYS = 8 };

static enum answer set_flag(bool *to, uint32_t value)
{
    *to = value != 0;
    return TAKEN;
}

/* Our number of a value, by a table that ends before `count`. */
static enum answer set_value(uint8_t *to, uint32_t value, const uint8_t *ours, uint32_t count)
{
    if (value >= count || ours[value] == NO_VALUE)
        return REFUSED;
    *to = ours[value];
    return TAKEN;
}

/* Both enums are in the same order, and theirs begins with 1. */
static enum answer set_from_one(uint8_t *to, uint32_t value, uint32_t count)
{
    if (value < 1 || value > count)
        return REFUSED;
    *to = (uint8_t)(value - 1);
    return TAKEN;
}

/* ---- render states ----------------------------------------------------------------------- */

static enum answer depth_state(struct gpu_depth *d, uint32_t state, uint32_t value)
{
    switch (state) {
    case 7: /* D3DRS_ZENABLE; 2 would be a buffer of w */
        d->enable_said = true;
        return value > 1 ? REFUSED : set_flag(&d->enable, value);
    case 14: /* D3DRS_ZWRITEENABLE */
        return set_flag(&d->write, value);
    case 23: /* D3DRS_ZFUNC */
        d->func_said = true;
        return set_from_one(&d->func, value, COMPARES);
    default:
        return OTHER;
    }
}

/* The stencil's functions are in no command of their own: these states alone have them. */
static enum answer stencil_state(struct gpu_depth *d, uint32_t state, uint32_t value)
{
    struct gpu_stencil_face *f = state < 185 ? &d->front : &d->back;
    uint8_t *ops[] = {&f->fail, &f->depth_fail, &f->pass, &f->func};
    uint32_t first = state < 185 ? 53 : 186;
    if (state >= first && state < first + 4)
        return set_from_one(ops[state - first], value, COMPARES); /* operations are eight, too */
    switch (state) {
    case 52: /* D3DRS_STENCILENABLE */
        return set_flag(&d->stencil_enable, value);
    case 57: /* D3DRS_STENCILREF */
        d->reference = (uint8_t)value;
        return TAKEN;
    case 58: /* D3DRS_STENCILMASK */
        d->read_mask = (uint8_t)value;
        return TAKEN;
    case 59: /* D3DRS_STENCILWRITEMASK */
        d->write_mask = (uint8_t)value;
        return TAKEN;
    case 185: /* D3DRS_TWOSIDEDSTENCILMODE */
        return set_flag(&d->two_sided, value);
    default:
        return OTHER;
    }
}

static enum answer set_factor(uint8_t *to, uint32_t value)
{
    /* Of D3DBLEND; the two that mean a pair of factors are not among them. */
    static const uint8_t ours[16] = {
        NO_VALUE,
        GPU_ZERO,
        GPU_ONE,
        GPU_SOURCE_COLOR,
        GPU_NOT_SOURCE_COLOR,
        GPU_SOURCE_ALPHA,
        GPU_NOT_SOURCE_ALPHA,
        GPU_TARGET_ALPHA,
        GPU_NOT_TARGET_ALPHA,
        GPU_TARGET_COLOR,
        GPU_NOT_TARGET_COLOR,
        GPU_SATURATE,
        NO_VALUE,
        NO_VALUE,
        GPU_CONSTANT,
        GPU_NOT_CONSTANT,
    };
    return set_value(to, value, ours, sizeof ours);
}

static enum answer set_constant(float to[4], uint32_t argb)
{
    static const uint8_t shift[4] = {16, 8, 0, 24};
    for (int c = 0; c < 4; c++)
        to[c] = (float)(argb >> shift[c] & 255) / 255.0f;
    return TAKEN;
}

static enum answer blend_state(struct gpu_blend *b, uint32_t state, uint32_t value)
{
    enum { OPERATIONS = 5 };
    switch (state) {
    case 19: /* D3DRS_SRCBLEND */
        return set_factor(&b->src, value);
    case 20: /* D3DRS_DESTBLEND */
        return set_factor(&b->dst, value);
    case 27: /* D3DRS_ALPHABLENDENABLE */
        return set_flag(&b->enable, value);
    case 171: /* D3DRS_BLENDOP */
        return set_from_one(&b->op, value, OPERATIONS);
    case 193: /* D3DRS_BLENDFACTOR */
        return set_constant(b->constant, value);
    case 206: /* D3DRS_SEPARATEALPHABLENDENABLE */
        b->alpha_follows = !value;
        return TAKEN;
    case 207: /* D3DRS_SRCBLENDALPHA */
        return set_factor(&b->src_alpha, value);
    case 208: /* D3DRS_DESTBLENDALPHA */
        return set_factor(&b->dst_alpha, value);
    case 209: /* D3DRS_BLENDOPALPHA */
        return set_from_one(&b->op_alpha, value, OPERATIONS);
    case 168: /* D3DRS_COLORWRITEENABLE, of target 0; of 1 to 3 */
    case 190:
    case 191:
    case 192:
        b->write_masks[state == 168 ? 0 : state - 189] = value & 15;
        return TAKEN;
    default:
        return OTHER;
    }
}

static enum answer raster_state(struct gpu_raster *r, uint32_t state, uint32_t value)
{
    switch (state) {
    case 8: /* D3DRS_FILLMODE: points, lines, solid */
        r->wireframe = value == 2;
        return value == 2 || value == 3 ? TAKEN : REFUSED;
    case 22: /* D3DRS_CULLMODE: none, what is clockwise, what is not */
        r->front_ccw = false;
        return set_from_one(&r->cull, value, 3);
    case 174: /* D3DRS_SCISSORTESTENABLE */
        return set_flag(&r->scissor, value);
    case 195: /* D3DRS_DEPTHBIAS, which is a float: none */
        r->depth_bias = value ? r->depth_bias : 0;
        return value ? REFUSED : TAKEN;
    default:
        return OTHER;
    }
}

/* Alpha is compared with a byte; whether it is rounded to one before, nothing says. */
static enum answer alpha_state(struct gpu_state *s, uint32_t state, uint32_t value)
{
    if (state == 15) /* D3DRS_ALPHATESTENABLE */
        s->alpha_test = value != 0;
    else if (state == 25) /* D3DRS_ALPHAFUNC */
        s->alpha_func = value;
    else
        return OTHER;
    return s->alpha_test && s->alpha_func != ALPHA_ALWAYS ? REFUSED : TAKEN;
}

/* States that change nothing if they have this value, or whatever they have: parameters of fog and
 * light, which are off, of points and lines, which are not drawn, of many samples, and the value
 * that alpha is compared with. */
static enum answer still_state(uint32_t state, uint32_t value)
{
    static const struct {
        uint8_t first, last;
        bool any;
        uint8_t value;
    } still[] = {
        {9, 9, false, 2},     /* D3DRS_SHADEMODE: Gouraud */
        {16, 16, true, 0},    /* D3DRS_LASTPIXEL */
        {24, 24, true, 0},    /* D3DRS_ALPHAREF */
        {26, 26, false, 0},   /* D3DRS_DITHERENABLE */
        {28, 29, false, 0},   /* D3DRS_FOGENABLE, D3DRS_SPECULARENABLE */
        {34, 38, true, 0},    /* D3DRS_FOGCOLOR to D3DRS_FOGDENSITY */
        {48, 48, true, 0},    /* D3DRS_RANGEFOGENABLE */
        {128, 135, false, 0}, /* D3DRS_WRAP0 to 7 */
        {136, 136, false, 1}, /* D3DRS_CLIPPING */
        {137, 137, false, 0}, /* D3DRS_LIGHTING */
        {139, 140, true, 0},  /* D3DRS_AMBIENT, D3DRS_FOGVERTEXMODE */
        {141, 143, true, 0},  /* D3DRS_COLORVERTEX to D3DRS_NORMALIZENORMALS */
        {145, 148, true, 0},  /* D3DRS_DIFFUSEMATERIALSOURCE to D3DRS_EMISSIVEMATERIALSOURCE */
        {151, 152, false, 0}, /* D3DRS_VERTEXBLEND, D3DRS_CLIPPLANEENABLE */
        {154, 162, true, 0},  /* D3DRS_POINTSIZE to D3DRS_MULTISAMPLEMASK */
        {166, 166, true, 0},  /* D3DRS_POINTSIZE_MAX */
        {175, 175, false, 0}, /* D3DRS_SLOPESCALEDEPTHBIAS */
        {176, 176, true, 0},  /* D3DRS_ANTIALIASEDLINEENABLE */
        {194, 194, false, 0}, /* D3DRS_SRGBWRITEENABLE */
        {198, 205, false, 0}, /* D3DRS_WRAP8 to 15 */
    };
    for (size_t i = 0; i < sizeof still / sizeof *still; i++)
        if (state >= still[i].first && state <= still[i].last)
            return still[i].any || value == still[i].value ? TAKEN : REFUSED;
    return OTHER;
}

static bool render_state(struct gpu_state *s, uint32_t state, uint32_t value)
{
    enum answer a = depth_state(&s->depth, state, value);
    a = a == OTHER ? stencil_state(&s->depth, state, value) : a;
    a = a == OTHER ? blend_state(&s->blend, state, value) : a;
    a = a == OTHER ? raster_state(&s->raster, state, value) : a;
    a = a == OTHER ? alpha_state(s, state, value) : a;
    a = a == OTHER ? still_state(state, value) : a;
    return a == TAKEN;
}

/* A state that is refused, or no longer is. There is no state 0: it means any state beyond the
 * table. */
static void set_refused(struct gpu_state *s, uint32_t state, bool refused)
{
    state = state < 256 ? state : 0;
    state = state == 25 ? 15 : state; /* the two of the alpha test are one */
    uint64_t bit = UINT64_C(1) << state % 64;
    uint64_t *word = &s->refused[state / 64];
    *word = refused ? *word | bit : *word & ~bit;
}

int run_render_state(struct gpu *g, const struct gpu_call *call)
{
    uint32_t state = call_u32(call, 0), value = call_u32(call, 4);
    struct gpu_state *s = &g->state;
    bool taken = render_state(s, state, value);
    s->direct3d9 = true;
    set_refused(s, state, !taken);
    bool any = s->refused[0] || s->refused[1] || s->refused[2] || s->refused[3];
    s->taint = (s->taint & ~call_bit(call)) | (any ? call_bit(call) : 0);
    return taken ? RAS_OK
                 : call_remark(g, call, "state %" PRIu32 " = %" PRIu32 " has no effect here", state,
                               value);
}

/* ---- sampler states ---------------------------------------------------------------------- */

enum {
    D3DSAMP_ADDRESSU = 1,
    D3DSAMP_ADDRESSV = 2,
    D3DSAMP_ADDRESSW = 3,
    D3DSAMP_BORDERCOLOR = 4,
    D3DSAMP_MAGFILTER = 5,
    D3DSAMP_MINFILTER = 6,
    D3DSAMP_MIPFILTER = 7,
    D3DSAMP_MIPMAPLODBIAS = 8,
    D3DSAMP_MAXMIPLEVEL = 9,
    D3DSAMP_MAXANISOTROPY = 10,
    D3DSAMP_SRGBTEXTURE = 11,
    D3DSAMP_ELEMENTINDEX = 12,
    D3DSAMP_DMAPOFFSET = 13,
    BESIDE_SAMPLER = 14,
    D3DSAMP_BEYOND = 15, /* numbers that are not states */
    D3DTEXF_NONE = 0,
    D3DTEXF_POINT = 1,
    D3DTEXF_LINEAR = 2,
};

static bool set_address(uint8_t *address, uint32_t value)
{
    static const uint8_t modes[] = {NO_VALUE, GPU_REPEAT, GPU_MIRROR, GPU_CLAMP};
    return set_value(address, value, modes, sizeof modes) == TAKEN;
}

static bool set_bias(float *bias, uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    if (!(value >= -16 && value <= 16))
        return false;
    *bias = value;
    return true;
}

static bool set_sampling(struct gpu_sampling *s, uint32_t state, uint32_t value)
{
    bool is_filter = value == D3DTEXF_POINT || value == D3DTEXF_LINEAR;
    switch (state) {
    case D3DSAMP_ADDRESSU:
        return set_address(&s->address_u, value);
    case D3DSAMP_ADDRESSV:
        return set_address(&s->address_v, value);
    case D3DSAMP_ADDRESSW:      /* of a third axis, which no texture here has */
    case D3DSAMP_BORDERCOLOR:   /* of an address mode that is refused */
    case D3DSAMP_MAXANISOTROPY: /* of a filter that is refused */
        return true;
    case D3DSAMP_MAGFILTER:
        s->mag_linear = value == D3DTEXF_LINEAR;
        return is_filter;
    case D3DSAMP_MINFILTER:
        s->min_linear = value == D3DTEXF_LINEAR;
        return is_filter;
    case D3DSAMP_MIPFILTER:
        s->mips = value != D3DTEXF_NONE;
        s->mip_linear = value == D3DTEXF_LINEAR;
        return is_filter || value == D3DTEXF_NONE;
    case D3DSAMP_MIPMAPLODBIAS:
        return set_bias(&s->lod_bias, value);
    case D3DSAMP_MAXMIPLEVEL:
        s->level_min = value < GPU_MIPS ? value : GPU_MIPS - 1;
        return true;
    case D3DSAMP_SRGBTEXTURE:
    case D3DSAMP_ELEMENTINDEX:
    case D3DSAMP_DMAPOFFSET:
        return !value;
    default:
        return false;
    }
}

static bool any_refused(const struct gpu_state *s)
{
    for (int k = 0; k < GPU_STAGES; k++)
        for (int i = 0; i < GPU_SAMPLERS; i++)
            if (s->stages[k].refused[i])
                return true;
    return false;
}

int run_sampler_state(struct gpu *g, const struct gpu_call *call)
{
    /* Repeating, and nearest texels of level 0, by default. */
    static const struct gpu_sampling usual = {.address_u = GPU_REPEAT, .address_v = GPU_REPEAT};
    struct gpu_stage_state *stage = NULL;
    uint32_t slot = call_u32(call, 4), state = call_u32(call, 8), value = call_u32(call, 12);
    int status = binding_slot(g, call, "sampler slots", slot, GPU_SAMPLERS, &stage);
    if (status)
        return status;
    bool beside = stage->samplers[slot], taken = false;
    g->state.direct3d9 = true;
    if (!(stage->has_fixed >> slot & 1) && !beside)
        stage->fixed[slot] = usual;
    if (!beside) {
        stage->has_fixed |= (uint16_t)(1u << slot);
        taken = set_sampling(&stage->fixed[slot], state, value);
    }
    uint32_t mark = beside ? BESIDE_SAMPLER : state < BESIDE_SAMPLER ? state : D3DSAMP_BEYOND;
    uint16_t bit = (uint16_t)(1u << mark), *refused = &stage->refused[slot];
    *refused = (uint16_t)(taken ? *refused & ~bit : *refused | bit);
    g->state.taint &= ~call_bit(call);
    g->state.taint |= any_refused(&g->state) ? call_bit(call) : 0;
    if (taken)
        return RAS_OK;
    return beside ? call_remark(g, call, "slot %" PRIu32 " has sampler %" PRIu32 ", which stays",
                                slot, stage->samplers[slot])
                  : call_remark(g, call, "state %" PRIu32 " = %" PRIu32 " has no effect here",
                                state, value);
}
