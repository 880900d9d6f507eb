/* vertex.c - elements of vertex buffers as numbers: formats, steps, what is missing. */
#include "gpu/vertex.h"

#include "base/error.h"

enum element_kind {
    ELEMENT_FLOAT,
    ELEMENT_HALF,
    ELEMENT_UNORM8,
    ELEMENT_SNORM8,
    ELEMENT_UNORM16,
    ELEMENT_SNORM16,
    ELEMENT_BGRA8,
    ELEMENT_UNORM10,
    ELEMENT_RAW, /* integers of 32 bits: their bits */
    ELEMENT_UINT16,
    ELEMENT_SINT16,
    ELEMENT_UINT8,
    ELEMENT_SINT8,
};

struct element_format {
    uint8_t dxgi, kind, components, bytes;
};

static const struct element_format formats[] = {
    {2, ELEMENT_FLOAT, 4, 16},   {3, ELEMENT_RAW, 4, 16},     {4, ELEMENT_RAW, 4, 16},
    {6, ELEMENT_FLOAT, 3, 12},   {7, ELEMENT_RAW, 3, 12},     {8, ELEMENT_RAW, 3, 12},
    {10, ELEMENT_HALF, 4, 8},    {11, ELEMENT_UNORM16, 4, 8}, {12, ELEMENT_UINT16, 4, 8},
    {13, ELEMENT_SNORM16, 4, 8}, {14, ELEMENT_SINT16, 4, 8},  {16, ELEMENT_FLOAT, 2, 8},
    {17, ELEMENT_RAW, 2, 8},     {18, ELEMENT_RAW, 2, 8},     {24, ELEMENT_UNORM10, 4, 4},
    {28, ELEMENT_UNORM8, 4, 4},  {30, ELEMENT_UINT8, 4, 4},   {31, ELEMENT_SNORM8, 4, 4},
    {32, ELEMENT_SINT8, 4, 4},   {34, ELEMENT_HALF, 2, 4},    {35, ELEMENT_UNORM16, 2, 4},
    {36, ELEMENT_UINT16, 2, 4},  {37, ELEMENT_SNORM16, 2, 4}, {38, ELEMENT_SINT16, 2, 4},
    {41, ELEMENT_FLOAT, 1, 4},   {42, ELEMENT_RAW, 1, 4},     {43, ELEMENT_RAW, 1, 4},
    {49, ELEMENT_UNORM8, 2, 2},  {50, ELEMENT_UINT8, 2, 2},   {51, ELEMENT_SNORM8, 2, 2},
    {52, ELEMENT_SINT8, 2, 2},   {54, ELEMENT_HALF, 1, 2},    {56, ELEMENT_UNORM16, 1, 2},
    {57, ELEMENT_UINT16, 1, 2},  {58, ELEMENT_SNORM16, 1, 2}, {59, ELEMENT_SINT16, 1, 2},
    {61, ELEMENT_UNORM8, 1, 1},  {62, ELEMENT_UINT8, 1, 1},   {63, ELEMENT_SNORM8, 1, 1},
    {64, ELEMENT_SINT8, 1, 1},   {87, ELEMENT_BGRA8, 4, 4},
};

static const struct element_format *format_find(uint32_t dxgi)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].dxgi == dxgi)
            return &formats[i];
    return NULL;
}

static float from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* IEEE 754 binary16. */
static float half(uint32_t h)
{
    uint32_t sign = (h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023;
    if (exponent == 31)
        return from_bits(sign | 0x7f800000u | fraction << 13);
    if (exponent)
        return from_bits(sign | (exponent + 112) << 23 | fraction << 13);
    float small = (float)fraction / 16777216.0f;
    return sign ? -small : small;
}

static float snorm(int32_t value, int32_t most)
{
    return value < -most ? -1 : (float)value / (float)most;
}

static float component(const struct element_format *f, const uint8_t *at, uint32_t c)
{
    static const uint8_t bgra[4] = {2, 1, 0, 3};
    uint32_t word;
    switch ((enum element_kind)f->kind) {
    case ELEMENT_FLOAT:
    case ELEMENT_RAW:
        return from_bits(load_u32(at + 4 * (size_t)c));
    case ELEMENT_HALF:
        return half(load_u16(at + 2 * (size_t)c));
    case ELEMENT_UNORM8:
        return (float)at[c] / 255.0f;
    case ELEMENT_BGRA8:
        return (float)at[bgra[c]] / 255.0f;
    case ELEMENT_SNORM8:
        return snorm((int8_t)at[c], 127);
    case ELEMENT_UNORM16:
        return (float)load_u16(at + 2 * (size_t)c) / 65535.0f;
    case ELEMENT_SNORM16:
        return snorm((int16_t)load_u16(at + 2 * (size_t)c), 32767);
    case ELEMENT_UNORM10:
        word = load_u32(at) >> (10 * c);
        return c < 3 ? (float)(word & 1023) / 1023.0f : (float)(word & 3) / 3.0f;
    case ELEMENT_UINT16:
        return from_bits(load_u16(at + 2 * (size_t)c));
    case ELEMENT_SINT16:
        return from_bits((uint32_t)(int32_t)(int16_t)load_u16(at + 2 * (size_t)c));
    case ELEMENT_UINT8:
        return from_bits(at[c]);
    case ELEMENT_SINT8:
        return from_bits((uint32_t)(int32_t)(int8_t)at[c]);
    }
    return 0;
}

static bool is_integer(const struct element_format *f)
{
    return f->kind >= ELEMENT_RAW;
}

bool vertex_attribute(struct gpu_attribute *a, uint32_t dxgi)
{
    const struct element_format *f = format_find(dxgi);
    if (!f)
        return false;
    a->format = f;
    a->components = f->components;
    a->integer = is_integer(f);
    a->negative = f->kind == ELEMENT_SINT8 || f->kind == ELEMENT_SINT16 || dxgi == 4 || dxgi == 8 ||
                  dxgi == 18 || dxgi == 43; /* R32G32B32A32_SINT to R32_SINT */
    return true;
}

float gpu_attribute_at(const struct gpu_attribute *a, const uint8_t *at, uint32_t c)
{
    return component(a->format, at + a->offset, c);
}

uint32_t gpu_attribute_bytes(const struct gpu_attribute *a)
{
    return a->format->bytes;
}

/* ---- linking ----------------------------------------------------------------------------- */

static int bind(struct gpu *g, const struct gpu_call *call, uint32_t slot,
                struct vertex_input *input, uint64_t *taint)
{
    const struct gpu_binding *binding = &g->state.vertices[slot];
    struct gpu_buffer *b;
    if (!binding->buffer)
        return call_fail(call, RAS_EFORMAT, "no vertex buffer in slot %" PRIu32, slot);
    int status = object_get(g, call, GPU_BUFFER, binding->buffer, "vertex buffer", &b);
    if (status)
        return status;
    uint64_t offset = binding->offset < b->size ? binding->offset : b->size;
    input->bytes = (struct ras_bytes){b->bytes + offset, (size_t)(b->size - offset)};
    input->stride = binding->size;
    input->slot = slot;
    *taint |= b->object.taint;
    return RAS_OK;
}

/* Elements that are appended follow the one before in their slot. */
uint32_t vertex_offset(const struct gpu_layout *layout, uint32_t i)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k <= i; k++) {
        const struct gpu_element *e = &layout->elements[k];
        const struct element_format *f = format_find(e->format);
        if (e->slot != layout->elements[i].slot)
            continue;
        uint32_t size = f ? f->bytes : 0, align = size < 4 && size ? size : 4;
        uint32_t from = e->offset == UINT32_MAX ? (at + align - 1) / align * align : e->offset;
        if (k == i)
            return from;
        at = from + size;
    }
    return at;
}

static int link_element(struct gpu *g, const struct gpu_call *call, const struct gpu_layout *layout,
                        uint32_t i, struct vertex_input *input, uint64_t *taint)
{
    const struct gpu_element *e = &layout->elements[i];
    input->format = format_find(e->format);
    if (!input->format)
        return call_fail(call, RAS_EUNSUPPORTED, "vertex elements of DXGI format %" PRIu32,
                         e->format);
    input->offset = vertex_offset(layout, i);
    input->per_instance = e->per_instance;
    input->step_rate = e->step_rate;
    if (e->slot >= GPU_VERTEX_BUFFERS)
        return call_fail(call, RAS_EFORMAT, "vertex buffer slot %" PRIu32 ", there are %d", e->slot,
                         (int)GPU_VERTEX_BUFFERS);
    return bind(g, call, e->slot, input, taint);
}

static int link_input(struct gpu *g, const struct gpu_call *call, const struct gpu_layout *layout,
                      const struct semantic *s, struct vertex_input *input, uint64_t *taint)
{
    input->to = 4 * s->reg;
    input->system = s->system;
    if (s->system == SYSTEM_VERTEX_ID || s->system == SYSTEM_INSTANCE_ID)
        return RAS_OK;
    for (uint32_t i = 0; layout && i < layout->count; i++)
        if (layout->elements[i].semantic_hash == s->hash &&
            layout->elements[i].semantic_index == s->index)
            return link_element(g, call, layout, i, input, taint);
    return call_fail(call, RAS_EFORMAT,
                     "%s for input %" PRIu32 " of the vertex shader (semantic 0x%08" PRIx32
                     ", index %" PRIu32 ")",
                     layout ? "no element" : "no input layout", s->reg, s->hash, s->index);
}

int vertex_link(struct gpu *g, const struct gpu_call *call, const struct program *p,
                struct vertex_inputs *inputs)
{
    struct gpu_layout *layout = NULL;
    *inputs = (struct vertex_inputs){0};
    int status = RAS_OK;
    if (g->state.layout)
        status = object_get(g, call, GPU_LAYOUT, g->state.layout, "input layout", &layout);
    for (uint32_t i = 0; !status && i < p->input_count; i++)
        status = link_input(g, call, layout, &p->inputs[i], &inputs->at[inputs->count++],
                            &inputs->taint);
    return status;
}

int vertex_link_fixed(struct gpu *g, const struct gpu_call *call, struct vertex_inputs *inputs)
{
    *inputs = (struct vertex_inputs){.count = 2};
    inputs->at[0].format = format_find(16);
    inputs->at[1].format = format_find(2);
    inputs->at[1].offset = 8;
    inputs->at[1].to = 4;
    int status = bind(g, call, 0, &inputs->at[0], &inputs->taint);
    return status ? status : bind(g, call, 0, &inputs->at[1], &inputs->taint);
}

void vertex_link_packets(const struct program *p, struct ras_bytes buffer, uint32_t stride,
                         const uint32_t offsets[2], struct vertex_inputs *inputs)
{
    *inputs = (struct vertex_inputs){.count = p->input_count};
    for (uint32_t i = 0; i < p->input_count; i++) {
        uint32_t location = p->inputs[i].reg;
        struct vertex_input *in = &inputs->at[i];
        in->to = 4 * location;
        if (location > 1)
            continue; /* zero, and one at the end: what OpenGL has until something is set */
        in->format = format_find(location ? 2 : 16);
        in->bytes = buffer;
        in->stride = stride ? stride : in->format->bytes;
        in->offset = offsets[location];
    }
}

/* ---- fetching ---------------------------------------------------------------------------- */

/* Missing components are 0, 0, 0, 1. */
static void spread_attribute(const struct vertex_input *in, const uint8_t *at, struct lanes *file,
                             uint32_t lane)
{
    for (uint32_t c = 0; c < 4; c++) {
        float value = c == 3 ? 1.0f : 0.0f;
        if (c == 3 && is_integer(in->format))
            value = from_bits(1);
        if (c < in->format->components)
            value = component(in->format, at, c);
        file[in->to + c].at[lane] = value;
    }
}

static void spread_id(const struct vertex_input *in, uint32_t id, struct lanes *file, uint32_t lane)
{
    for (uint32_t c = 0; c < 4; c++)
        file[in->to + c].at[lane] = from_bits(c ? 0 : id);
}

int vertex_fetch(const struct gpu_call *call, const struct vertex_inputs *inputs,
                 struct lanes *file, uint32_t lane, int64_t vertex, uint32_t instance,
                 uint32_t first_instance)
{
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct vertex_input *in = &inputs->at[i];
        if (in->system == SYSTEM_VERTEX_ID || in->system == SYSTEM_INSTANCE_ID) {
            spread_id(in, in->system == SYSTEM_VERTEX_ID ? (uint32_t)vertex : instance, file, lane);
            continue;
        }
        if (!in->format) {
            for (uint32_t c = 0; c < 4; c++)
                file[in->to + c].at[lane] = c == 3;
            continue;
        }
        int64_t item = vertex;
        if (in->per_instance)
            item = (int64_t)first_instance + (in->step_rate ? instance / in->step_rate : 0);
        /* Both factors are below 2^33 and 2^32; the sum is checked before it is used. */
        double far = (double)item * in->stride + in->offset + in->format->bytes;
        if (item < 0 || far > (double)in->bytes.len)
            return call_fail(
                call, RAS_EFORMAT, "%s %" PRId64 " lies beyond the %zu bytes of slot %" PRIu32,
                in->per_instance ? "instance" : "vertex", item, in->bytes.len, in->slot);
        spread_attribute(in, in->bytes.at + (uint64_t)item * in->stride + in->offset, file, lane);
    }
    return RAS_OK;
}
