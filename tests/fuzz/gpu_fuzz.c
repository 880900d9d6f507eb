/* gpu_fuzz.c - whatever commands, executed in software under limits: twice, with the same
 * pictures both times; or whatever text, compiled as a shader and drawn with.
 *
 * Sizes of commands are repaired first, so that what is changed is their content. */
#include "base/out.h"
#include "codec/fnv1a.h"
#include "fuzz.h"
#include "gpu/backends.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { HEADER = 24, COMMAND = 8, MOST = 1 << 16 };

static void repair(uint8_t *stream, size_t size)
{
    store_u32(stream, 0x444d4341);
    store_u32(stream + 4, 0x10004);
    store_u32(stream + 8, (uint32_t)size);
    for (size_t at = HEADER; at < size;) {
        uint32_t left = (uint32_t)(size - at);
        uint32_t length = load_u32(stream + at + 4) & ~3u;
        length = length < COMMAND ? COMMAND : length > left ? left : length;
        if (left - length < COMMAND)
            length = left;
        store_u32(stream + at + 4, length);
        at += length;
    }
}

struct seen {
    struct ras_bytes memory;
    uint64_t hash, pictures;
};

static int see(void *user, const struct gpu_present *p, struct ras_error *err)
{
    struct seen *s = user;
    (void)err;
    s->pictures++;
    s->hash =
        fnv1a_bytes(s->hash, p->picture.rgba, 4 * (size_t)p->picture.width * p->picture.height);
    for (size_t i = 0; i < p->inexact_count; i++)
        s->hash = fnv1a_bytes(s->hash, p->inexact[i], strlen(p->inexact[i]));
    return RAS_OK;
}

static int drawn(void *user, uint64_t count, struct ras_error *err)
{
    struct seen *s = user;
    (void)err;
    s->hash ^= count;
    return RAS_OK;
}

static int remark(void *user, uint64_t offset, const char *opcode, const char *why,
                  struct ras_error *err)
{
    (void)user;
    (void)err;
    if (!*opcode || !*why || offset < HEADER)
        fuzz_wrong("a remark without words or place");
    return RAS_OK;
}

static bool memory(void *user, uint32_t alloc_id, struct ras_bytes *found)
{
    const struct seen *s = user;
    *found = s->memory;
    return alloc_id < 8;
}

static bool blob(void *user, uint64_t id, uint32_t *kind, struct ras_bytes *data)
{
    const struct seen *s = user;
    *kind = (uint32_t)id & 7;
    *data = s->memory;
    return id < 8;
}

static struct seen run(struct ras_bytes stream, int *status)
{
    struct seen s = {.memory = stream, .hash = FNV1A_START};
    const struct gpu_setup setup = {
        .limits = {.memory_bytes = 16 << 20, .work = 1 << 18, .side = 512, .objects = 256},
        .width = 40,
        .height = 30,
        .events = {.user = &s, .present = see, .drawn = drawn, .remark = remark},
    };
    const struct gpu_source source = {&s, 0, memory, blob};
    struct ras_error err = {0};
    struct gpu *gpu;
    if (gpu_software.open(&gpu, &setup, &err))
        fuzz_wrong("not opened: %s", err.text);
    *status = gpu_software.submit(gpu, stream, &source, &err);
    if (*status < 0 && (!*err.text || err.offset > stream.len))
        fuzz_wrong("failure %d at %llu: '%s'", *status, (unsigned long long)err.offset, err.text);
    struct gpu_present now;
    if (gpu_software.picture(gpu, &now, &err) == RAS_OK)
        see(&s, &now, &err);
    gpu_software.close(gpu);
    return s;
}

/* ---- packets with a shader of any text ------------------------------------------------------- */

static const char vertex_text[] = "#version 300 es\nlayout(location=0) in vec2 p;\n"
                                  "layout(location=1) in vec4 c;\nout vec4 v;\n"
                                  "void main() { v = c; gl_Position = vec4(p, 0.0, 1.0); }\n";
static const char fragment_text[] = "#version 300 es\nprecision highp float;\nin vec4 v;\n"
                                    "out vec4 o;\nvoid main() { o = v; }\n";

struct texts {
    struct ras_bytes vertex, fragment;
};

static bool text_blob(void *user, uint64_t id, uint32_t *kind, struct ras_bytes *data)
{
    static const float corners[18] = {-0.9f, 0.8f, 1, 0,     0,     1, 0.7f, 0.3f, 0,
                                      1,     0,    1, -0.4f, -0.8f, 0, 0,    1,    1};
    const struct texts *t = user;
    *kind = id == 3 ? 1 : 5;
    *data = id == 1   ? t->vertex
            : id == 2 ? t->fragment
                      : (struct ras_bytes){(const uint8_t *)corners, sizeof corners};
    return true;
}

static void run_text(struct ras_bytes text, bool vertex)
{
    static const uint32_t packets[][10] = {
        {1, 5, 1, 72, 0},
        {2, 7, 1, 0, 72, 3, 0},
        {3, 10, 1, 0, 1, 0, 0, 0, 0, 0},
        {3, 10, 2, 1, 2, 0, 0, 0, 0, 0},
        {4, 5, 1, 1, 2},
        {5, 3, 1},
        {6, 6, 1, 24, 0, 8},
        {9, 4, 3, 0},
        {10, 2},
    };
    struct texts t = {{(const uint8_t *)vertex_text, sizeof vertex_text - 1},
                      {(const uint8_t *)fragment_text, sizeof fragment_text - 1}};
    struct seen s = {.hash = FNV1A_START};
    const struct gpu_setup setup = {.limits = {.memory_bytes = 1 << 20, .work = 1 << 22},
                                    .events = {.user = &s, .present = see, .drawn = drawn}};
    const struct gpu_source source = {&t, 0, NULL, text_blob};
    struct ras_error err = {0};
    struct gpu *gpu;
    *(vertex ? &t.vertex : &t.fragment) = text;
    if (gpu_software.open(&gpu, &setup, &err))
        fuzz_wrong("not opened: %s", err.text);
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
        uint8_t bytes[40];
        for (uint32_t k = 0; k < packets[i][1]; k++)
            store_u32(bytes + 4 * k, packets[i][k]);
        int status =
            gpu_software.packet(gpu, (struct ras_bytes){bytes, 4 * packets[i][1]}, &source, &err);
        if (status < 0 && !*err.text)
            fuzz_wrong("failure %d without words", status);
        if (status)
            break;
    }
    gpu_software.close(gpu);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint8_t stream[MOST];
    if (size && bytes[0] == '#') {
        run_text((struct ras_bytes){bytes, size}, true);
        run_text((struct ras_bytes){bytes, size}, false);
        return 0;
    }
    size = size / 4 * 4;
    if (size < HEADER || size > MOST)
        return 0;
    memcpy(stream, bytes, size);
    if (size - HEADER >= COMMAND)
        repair(stream, size);
    int first_status, second_status;
    struct seen first = run((struct ras_bytes){stream, size}, &first_status);
    struct seen second = run((struct ras_bytes){stream, size}, &second_status);
    if (first_status != second_status || first.hash != second.hash ||
        first.pictures != second.pictures)
        fuzz_wrong("two executions differ");
    return 0;
}
