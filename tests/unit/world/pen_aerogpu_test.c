/* pen_aerogpu_test.c - pictures: what the arena looks like, and frames as packets. */
#include "arena_run.h"
#include "base/in.h"
#include "world/run_pens.h"

#include <rastrum/aerogpu.h>
#include <stdlib.h>

enum { TICKS = 40, VERTEX = 24 };

/* ---- a trace of some ticks --------------------------------------------------------- */

struct drawn {
    struct ras_folder *folder;
    struct ras_bytes bytes;
    struct ras_trace *trace;
};

static void hold(struct drawn *d)
{
    size_t count;
    const struct ras_part *parts = ras_folder_parts(d->folder, &count);
    assert_int_equal(count, 1);
    assert_string_equal(parts->name, "gpu.aerogputrace");
    d->bytes = parts->bytes;
    assert_int_equal(ras_open_memory(&d->trace, d->bytes.at, d->bytes.len, NULL, NULL), RAS_OK);
}

static void draw_arena(struct drawn *d, uint64_t seed, unsigned ticks)
{
    struct run r;
    void *pen;
    start(&r, arena_world.recipe, seed);
    assert_int_equal(ras_folder_memory(&d->folder, NULL), RAS_OK);
    const struct pen_run run = {.type = &arena_world, .world = r.world, .folder = d->folder};
    assert_null(aerogpu_pen.lacks(&arena_world, NULL));
    assert_int_equal(aerogpu_pen.open(&pen, &run, NULL), RAS_OK);
    for (unsigned i = 0; i < ticks; i++) {
        uint64_t hash = next(&r);
        const struct pen_tick t = {.tick_id = i + 1, .type = &arena_world, .world = r.world};
        assert_int_equal(aerogpu_pen.tick(pen, &t, NULL), RAS_OK);
        assert_int_equal(ras_world_hash(&arena_world, r.world), hash);
    }
    assert_int_equal(aerogpu_pen.close(pen, NULL), RAS_OK);
    arena_world.destroy(r.world);
    hold(d);
}

static void forget(struct drawn *d)
{
    ras_close(d->trace);
    ras_folder_drop(d->folder);
}

static void is_clean(struct drawn *d)
{
    struct ras_report *report;
    const struct ras_verify_options all = {.strict = true, .deep = true};
    assert_int_equal(ras_verify(&report, d->trace, &all, NULL), RAS_OK);
    for (size_t i = 0; i < report->finding_count; i++)
        print_error("%s\n", report->findings[i].text);
    assert_int_equal(report->finding_count, 0);
    ras_report_free(report);
}

/* ---- frames ------------------------------------------------------------------------ */

static void same_run_has_same_pictures(void **state)
{
    (void)state;
    struct drawn a, b, other;
    draw_arena(&a, 7, TICKS);
    draw_arena(&b, 7, TICKS);
    draw_arena(&other, 8, TICKS);
    assert_int_equal(a.bytes.len, b.bytes.len);
    assert_memory_equal(a.bytes.at, b.bytes.at, a.bytes.len);
    assert_true(a.bytes.len != other.bytes.len || memcmp(a.bytes.at, other.bytes.at, a.bytes.len));
    assert_true(a.bytes.len < TICKS * 48 * 1024);
    is_clean(&a);
    forget(&a);
    forget(&b);
    forget(&other);
}

/* What the packets of a trace do, checked as they come. */
struct watch {
    uint32_t frame, frames, made[11], done[11]; /* by opcode: in the first frame, and in all */
    uint32_t buffers[8], bound, presented;
    uint64_t uploaded[8];
    struct ras_aero_blobs *blobs;
};

static uint32_t word(const struct ras_aero_packet *p, const char *name)
{
    uint64_t value = 0;
    assert_true(ras_aero_field_uint(ras_aero_packet_op(p->opcode), p->payload, name, &value));
    return (uint32_t)value;
}

static void watch_packet(struct watch *w, const struct ras_aero_packet *p, uint64_t at)
{
    struct ras_aero_blob blob;
    assert_true(p->opcode >= 1 && p->opcode <= 10);
    w->done[p->opcode]++;
    w->made[p->opcode] += w->frame == 0;
    if (p->opcode == 1)
        w->buffers[word(p, "buffer_id")] = word(p, "size_bytes");
    if (p->opcode == 2) {
        assert_true(ras_aero_blobs_find(w->blobs, word(p, "blob_id_lo"), at, &blob, NULL));
        assert_int_equal(blob.kind, RAS_AERO_BUFFER_DATA);
        assert_int_equal(blob.data.len, word(p, "data_len_bytes"));
        assert_true(blob.data.len <= w->buffers[word(p, "buffer_id")]);
        w->uploaded[word(p, "buffer_id")] = blob.data.len;
    }
    if (p->opcode == 6) {
        w->bound = word(p, "buffer_id");
        assert_int_equal(word(p, "stride_bytes"), VERTEX);
        assert_int_equal(word(p, "color_offset_bytes"), 8);
    }
    if (p->opcode == 9) {
        assert_true(word(p, "vertex_count") > 0);
        assert_int_equal(word(p, "vertex_count") % 3, 0);
        assert_true(((uint64_t)word(p, "first_vertex") + word(p, "vertex_count")) * VERTEX <=
                    w->uploaded[w->bound]);
    }
    w->presented += p->opcode == 10;
}

static void watch_all(struct watch *w, struct ras_bytes file)
{
    struct ras_aero_header head;
    struct ras_aero_footer foot;
    struct ras_aero_record r;
    assert_int_equal(ras_aero_header_get(file, &head, NULL), RAS_OK);
    assert_int_equal(head.container_version, 1);
    assert_int_equal(head.command_abi_version, 1);
    assert_int_equal(ras_aero_footer_get(file, &foot, NULL), RAS_OK);
    assert_int_equal(ras_aero_blobs_open(&w->blobs, file, NULL), RAS_OK);
    file.len = foot.toc_offset;
    for (uint64_t at = 32 + head.meta_len, from = at;
         ras_aero_record_get(file, &at, &r, NULL) == RAS_OK; from = at) {
        struct ras_aero_packet p;
        if (r.record_type == RAS_AERO_BEGIN_FRAME) {
            assert_int_equal(ras_aero_frame_index_get(r.payload, &w->frame, NULL), RAS_OK);
            assert_int_equal(w->frame, w->frames++);
        }
        if (r.record_type != RAS_AERO_PACKET)
            continue;
        assert_int_equal(ras_aero_packet_get(r.payload, &p, NULL), RAS_OK);
        watch_packet(w, &p, from);
    }
    ras_aero_blobs_close(w->blobs);
}

static void resources_are_made_once(void **state)
{
    (void)state;
    struct drawn d;
    struct watch w = {0};
    draw_arena(&d, 3, TICKS);
    watch_all(&w, d.bytes);
    assert_int_equal(w.frames, TICKS);
    assert_int_equal(w.presented, TICKS);
    static const unsigned once[] = {1, 3, 4};
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(w.done[once[i]], w.made[once[i]]);
    assert_int_equal(w.done[1], 2); /* the floor, and what moves */
    assert_int_equal(w.done[2], 1 + TICKS);
    assert_int_equal(w.done[3], 2);
    assert_int_equal(w.done[4], 1);
    assert_int_equal(w.done[8], TICKS);
    assert_true(w.done[9] > 5 * TICKS);
    forget(&d);
}

static void shaders_are_text_of_both_kinds(void **state)
{
    (void)state;
    struct drawn d;
    struct ras_aero_blobs *blobs;
    struct ras_aero_blob blob;
    unsigned glsl = 0, wgsl = 0;
    draw_arena(&d, 3, 2);
    assert_int_equal(ras_aero_blobs_open(&blobs, d.bytes, NULL), RAS_OK);
    for (size_t i = 0; ras_aero_blobs_at(blobs, i, &blob, NULL); i++) {
        bool es = blob.data.len > 16 && !memcmp(blob.data.at, "#version 300 es\n", 16);
        glsl += blob.kind == RAS_AERO_SHADER_GLSL_ES300;
        wgsl += blob.kind == RAS_AERO_SHADER_WGSL;
        assert_int_equal(es, blob.kind == RAS_AERO_SHADER_GLSL_ES300);
    }
    assert_int_equal(glsl, 2);
    assert_int_equal(wgsl, 2);
    ras_aero_blobs_close(blobs);
    forget(&d);
}

/* ---- worlds that draw otherwise ------------------------------------------------------ */

static uint32_t requested, layers, last_end;

static void draw_asked(const void *world, bool scenery, struct ras_drawing *d)
{
    (void)world;
    d->count = scenery ? 0 : requested;
    d->layer_count = layers;
    for (uint32_t i = 0; i < layers && i < RAS_DRAW_LAYERS; i++)
        d->layer_end[i] = scenery ? 0 : last_end;
    for (uint32_t i = 0; i < d->count && i < d->room; i++)
        d->vertices[i] = (struct ras_vertex){(float)i, 0, 1, 0, 0, 1};
}

static const struct ras_world_type other = {.abi = RAS_WORLD_ABI, .draw = draw_asked};

static int draw_one(void *pen, uint32_t vertices, uint32_t layer_count, uint32_t end,
                    struct ras_error *err)
{
    const struct pen_tick t = {.type = &other};
    requested = vertices;
    layers = layer_count;
    last_end = end;
    return aerogpu_pen.tick(pen, &t, err);
}

static void larger_pictures_get_larger_buffers(void **state)
{
    (void)state;
    struct drawn d;
    struct watch w = {0};
    void *pen;
    assert_int_equal(ras_folder_memory(&d.folder, NULL), RAS_OK);
    assert_int_equal(aerogpu_pen.open(&pen, &(struct pen_run){.folder = d.folder}, NULL), RAS_OK);
    assert_int_equal(draw_one(pen, 0, 0, 0, NULL), RAS_OK);
    for (uint32_t n = 3; n < 30000; n *= 4)
        assert_int_equal(draw_one(pen, n, 1, n, NULL), RAS_OK);
    assert_int_equal(draw_one(pen, 9, 0, 0, NULL), RAS_OK); /* no layers: all of it is one */
    assert_int_equal(aerogpu_pen.close(pen, NULL), RAS_OK);
    hold(&d);
    is_clean(&d);
    watch_all(&w, d.bytes);
    assert_true(w.done[1] > 1);
    assert_int_equal(w.done[9], w.frames - 1);
    forget(&d);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t vertices, layers, end;
        const char *text;
    } bad[] = {
        {4, 0, 0, "the world draws 4 vertices: no whole triangles"},
        {3, 17, 3, "the world draws 17 layers, more than 16"},
        {3, 1, 6, "the world draws layer 0 up to vertex 6 of 3"},
        {6, 1, 4, "the world draws layer 0 up to vertex 4 of 6"},
        {RAS_DRAW_VERTICES + 1, 0, 0, "the world draws 1048577 vertices, more than 1048576"},
    };
    struct ras_folder *folder;
    void *pen;
    assert_string_equal(aerogpu_pen.lacks(&(struct ras_world_type){0}, NULL),
                        "it does not draw itself");
    assert_int_equal(ras_folder_memory(&folder, NULL), RAS_OK);
    assert_int_equal(aerogpu_pen.open(&pen, &(struct pen_run){.folder = folder}, NULL), RAS_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ras_error err = {0};
        assert_true(draw_one(pen, bad[i].vertices, bad[i].layers, bad[i].end, &err) < 0);
        assert_string_equal(err.text, bad[i].text);
    }
    assert_int_equal(draw_one(pen, 6, 2, 6, NULL), RAS_OK); /* the second layer is empty */
    aerogpu_pen.drop(pen);
    aerogpu_pen.drop(NULL);
    ras_folder_drop(folder);
}

/* ---- looks --------------------------------------------------------------------------- */

static struct ras_vertex room[65536];

static struct ras_drawing picture(struct run *r, bool scenery)
{
    struct ras_drawing d = {.vertices = room, .room = sizeof room / sizeof *room};
    arena_world.draw(r->world, scenery, &d);
    assert_true(d.count <= d.room);
    assert_int_equal(d.layer_end[d.layer_count - 1], d.count);
    return d;
}

static bool whole(float colour)
{
    float k = colour * 255;
    return k >= 0 && k <= 255.001f && k - (float)(int)(k + 0.5f) < 1e-3f &&
           k - (float)(int)(k + 0.5f) > -1e-3f;
}

static void every_colour_is_whole_and_every_facet_flat(void **state)
{
    (void)state;
    struct run r;
    start(&r, arena_world.recipe, 7);
    for (unsigned tick = 0; tick < 300; tick++) {
        (void)next(&r);
        struct ras_drawing d = picture(&r, tick == 0);
        for (uint32_t i = 0; i < d.count; i++) {
            const struct ras_vertex *v = &room[i], *first = &room[i / 3 * 3];
            assert_true(whole(v->r) && whole(v->g) && whole(v->b) && v->a == 1.0f);
            assert_memory_equal(&v->r, &first->r, 4 * sizeof v->r);
            assert_true(v->x > -1.2f && v->x < 1.2f && v->y > -1.2f && v->y < 1.2f);
        }
    }
    arena_world.destroy(r.world);
}

/* Twice the area of a corner pair and the middle of a pixel, in 8192ths, is odd: never 0. */
static void no_edge_meets_the_middle_of_a_pixel(void **state)
{
    (void)state;
    struct run r;
    start(&r, arena_world.recipe, 9);
    for (unsigned tick = 0; tick < 100; tick++) {
        (void)next(&r);
        struct ras_drawing d = picture(&r, tick == 0);
        for (uint32_t i = 0; i < d.count; i++) {
            const struct ras_vertex *a = &room[i], *b = &room[i / 3 * 3 + (i + 1) % 3];
            int64_t ax = (int64_t)(a->x * 8192), ay = (int64_t)(a->y * 8192);
            int64_t bx = (int64_t)(b->x * 8192), by = (int64_t)(b->y * 8192);
            assert_true((float)ax == a->x * 8192 && (float)ay == a->y * 8192);
            assert_int_equal((ax * by - ay * bx) & 1, 1);
        }
    }
    arena_world.destroy(r.world);
}

/* Players are on top: the last layer begins with the first one. */
static void first_row_is_on_top(void **state)
{
    (void)state;
    struct run r;
    start(&r, "murkworld 1 arena-1\nsize 32 16\nplayers 1\nrules population 0\n", 1);
    struct arena *a = arena(&r);
    a->players[0].pos = (struct arena_vec){256, 128}; /* a quarter from the left and the top */
    struct ras_drawing d = picture(&r, false);
    float x = 0, y = 0, n = 0;
    for (uint32_t i = d.layer_end[d.layer_count - 2]; i < d.count; i++) {
        x += room[i].x;
        y += room[i].y;
        n++;
    }
    assert_true(n > 0);
    assert_true(x / n > -0.48f && x / n < -0.43f);
    assert_true(y / n > 0.2f && y / n < 0.3f);
    arena_world.destroy(r.world);
}

static void room_does_not_change_the_count(void **state)
{
    (void)state;
    struct run r;
    start(&r, arena_world.recipe, 5);
    for (unsigned i = 0; i < 60; i++)
        (void)next(&r);
    struct ras_drawing all = picture(&r, false);
    struct ras_drawing none = {.vertices = NULL}, some = {.vertices = room, .room = 100};
    arena_world.draw(r.world, false, &none);
    arena_world.draw(r.world, false, &some);
    assert_int_equal(none.count, all.count);
    assert_int_equal(some.count, all.count);
    assert_memory_equal(none.layer_end, all.layer_end, all.layer_count * sizeof *all.layer_end);
    assert_true(all.count > 300);
    arena_world.destroy(r.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_run_has_same_pictures),
        cmocka_unit_test(resources_are_made_once),
        cmocka_unit_test(shaders_are_text_of_both_kinds),
        cmocka_unit_test(larger_pictures_get_larger_buffers),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(every_colour_is_whole_and_every_facet_flat),
        cmocka_unit_test(no_edge_meets_the_middle_of_a_pixel),
        cmocka_unit_test(first_row_is_on_top),
        cmocka_unit_test(room_does_not_change_the_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
