/* software_test.c - commands that cannot be executed: reported with name and offset, never a crash.
 */
#include "../../gpu/make_stream.h"
#include "gpu/backends.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct seen {
    unsigned pictures, remarks, draws;
    uint32_t width, height;
    uint8_t first[4];
    char inexact[200], why[200];
    uint64_t remark_at;
    uint64_t stop_after; /* draws; 0: never */
};

static struct out stream;
static struct seen seen;
static struct ras_error err;
static const uint8_t memory_bytes[64] = {1, 2, 3};

static int see(void *user, const struct gpu_present *p, struct ras_error *e)
{
    (void)user;
    (void)e;
    seen.pictures++;
    seen.width = p->picture.width;
    seen.height = p->picture.height;
    memcpy(seen.first, p->picture.rgba, 4);
    size_t at = 0;
    seen.inexact[0] = 0;
    for (size_t i = 0; i < p->inexact_count; i++)
        at += (size_t)snprintf(seen.inexact + at, sizeof seen.inexact - at, "%s%s", i ? "," : "",
                               p->inexact[i]);
    return RAS_OK;
}

static int remark(void *user, uint64_t offset, const char *opcode, const char *why,
                  struct ras_error *e)
{
    (void)user;
    (void)e;
    seen.remarks++;
    seen.remark_at = offset;
    snprintf(seen.why, sizeof seen.why, "%s: %s", opcode, why);
    return RAS_OK;
}

static int drawn(void *user, uint64_t count, struct ras_error *e)
{
    (void)user;
    (void)e;
    seen.draws++;
    return count == seen.stop_after ? RAS_END : RAS_OK;
}

static bool memory(void *user, uint32_t alloc_id, struct ras_bytes *bytes)
{
    (void)user;
    *bytes = (struct ras_bytes){memory_bytes, sizeof memory_bytes};
    return alloc_id == 7;
}

static const struct gpu_setup usual = {
    .limits = {.memory_bytes = 8 << 20, .work = 1 << 22},
    .events = {.present = see, .drawn = drawn, .remark = remark},
};

static int submit_to(struct gpu *gpu)
{
    const struct gpu_source source = {.offset = 1000, .memory = memory};
    err = (struct ras_error){0};
    return gpu_software.submit(gpu, make_done(&stream), &source, &err);
}

/* What was made, executed by a new machine. */
static int execute(void)
{
    struct gpu *gpu;
    seen = (struct seen){.stop_after = seen.stop_after};
    assert_int_equal(gpu_software.open(&gpu, &usual, &err), RAS_OK);
    int status = submit_to(gpu);
    gpu_software.close(gpu);
    return status;
}

static void expect_failure(int status, const char *text)
{
    size_t last = stream.len;
    /* The failing command is the last one. */
    for (size_t at = 24; at < stream.len; at += load_u32(stream.at + at + 4))
        last = at;
    int got = execute();
    if (strcmp(err.text, text))
        print_error("%s\n", err.text);
    assert_string_equal(err.text, text);
    assert_int_equal(got, status);
    assert_int_equal(err.offset, 1000 + last);
}

/* A target, shaders and a triangle that fills it. */
static void begin(void)
{
    static const float corners[3][8] = {
        {-1, -1, 0.5f, 1, 1, 0, 0, 1}, {-1, 3, 0.5f, 1, 1, 0, 0, 1}, {3, -1, 0.5f, 1, 1, 0, 0, 1}};
    make_start(&stream);
    make_texture(&stream, 1, 3, 16, 8);
    make_targets(&stream, 1, 0);
    make_clear(&stream, 0, 0, 1, 1);
    make_shaders(&stream);
    make_bind(&stream, 10, 11);
    make_buffer(&stream, 2, corners, sizeof corners);
    make_vertices(&stream, 2, 32);
}

static void a_triangle_is_drawn(void **state)
{
    (void)state;
    begin();
    make_draw(&stream, 3, 0);
    make_present(&stream);
    assert_int_equal(execute(), RAS_OK);
    assert_int_equal(seen.pictures, 1);
    assert_int_equal(seen.width, 16);
    assert_int_equal(seen.height, 8);
    assert_memory_equal(seen.first, ((const uint8_t[]){255, 0, 0, 255}), 4);
    assert_string_equal(seen.inexact, "");
    assert_int_equal(seen.remarks, 0);
}

static void handles_are_unknown_destroyed_reused_or_of_another_kind(void **state)
{
    (void)state;
    begin();
    make_command(&stream, 0x102, NULL, 0, 2, 99, 0);
    expect_failure(RAS_EFORMAT, "DESTROY_RESOURCE: resource 99 does not exist");
    begin();
    make_command(&stream, 0x102, NULL, 0, 2, 2, 0);
    make_vertices(&stream, 2, 32);
    expect_failure(RAS_EFORMAT, "SET_VERTEX_BUFFERS: buffer 2 does not exist");
    begin();
    make_texture(&stream, 2, 3, 4, 4);
    expect_failure(RAS_EFORMAT, "CREATE_TEXTURE2D: handle 2 is a buffer already");
    begin();
    make_vertices(&stream, 1, 32);
    expect_failure(RAS_EFORMAT, "SET_VERTEX_BUFFERS: buffer 1 is a texture, not a buffer");
    begin();
    make_targets(&stream, 2, 0);
    expect_failure(RAS_EFORMAT, "SET_RENDER_TARGETS: color target 2 is a buffer, not a texture");
    begin();
    make_targets(&stream, 1, 1);
    expect_failure(RAS_EFORMAT, "SET_RENDER_TARGETS: depth target 1 has format 3");
    begin();
    make_texture(&stream, 0, 3, 4, 4);
    expect_failure(RAS_EFORMAT, "CREATE_TEXTURE2D: handle 0 is reserved");
    begin();
    make_bind(&stream, 20, 11);
    expect_failure(RAS_EFORMAT, "BIND_SHADERS: shader 20 does not exist");
    begin();
    make_command(&stream, 0x108, NULL, 0, 2, 1, 0);
    expect_failure(RAS_EFORMAT, "DESTROY_TEXTURE_VIEW: view 1 is a texture");
}

static void draws_lack_what_they_need(void **state)
{
    (void)state;
    begin();
    make_vertices(&stream, 0, 0);
    make_draw(&stream, 3, 0);
    expect_failure(RAS_EFORMAT, "DRAW: no vertex buffer in slot 0");
    begin();
    make_command(&stream, 0x102, NULL, 0, 2, 2, 0);
    make_draw(&stream, 3, 0);
    expect_failure(RAS_EFORMAT, "DRAW: no vertex buffer in slot 0");
    begin();
    make_command(&stream, 0x206, NULL, 0, 2, 0, 0);
    make_draw(&stream, 3, 0);
    expect_failure(RAS_EFORMAT, "DRAW: no input layout for input 0 of the vertex shader (semantic "
                                "0x7808e88a, index 0)");
    begin();
    make_bind(&stream, 10, 0);
    make_draw(&stream, 3, 0);
    expect_failure(RAS_EFORMAT, "DRAW: no pixel shader is bound");
    begin();
    make_bind(&stream, 11, 10);
    make_draw(&stream, 3, 0);
    expect_failure(RAS_EFORMAT, "DRAW: shader 11 is not a vertex shader");
    begin();
    make_bind(&stream, 10, 12);
    make_draw(&stream, 3, 0);
    expect_failure(RAS_EFORMAT, "DRAW: the pixel shader reads texture slot 0, nothing is bound");
    begin();
    make_command(&stream, 0x602, NULL, 0, 5, 3, 1, 0, 0, 0);
    expect_failure(RAS_EFORMAT, "DRAW_INDEXED: no index buffer is bound");
    begin();
    make_draw(&stream, 3, 1);
    expect_failure(RAS_EFORMAT, "DRAW: vertex 3 lies beyond the 96 bytes of slot 0");
    begin();
    make_command(&stream, 0x501, NULL, 0, 4, 2, 1, 0, 0);
    make_command(&stream, 0x602, NULL, 0, 5, 3, 1, 22, 0, 0);
    expect_failure(RAS_EFORMAT, "DRAW_INDEXED: vertex 1065353216 lies beyond the 96 bytes of slot "
                                "0");
}

static void targets_that_are_gone_are_missed(void **state)
{
    (void)state;
    begin();
    make_command(&stream, 0x102, NULL, 0, 2, 1, 0);
    make_draw(&stream, 3, 0);
    expect_failure(RAS_EFORMAT, "DRAW: target 1 was destroyed");
    begin();
    make_command(&stream, 0x102, NULL, 0, 2, 1, 0);
    make_present(&stream);
    expect_failure(RAS_EFORMAT, "PRESENT: target 1 was destroyed");
    /* Targets that are set to none take nothing, and show nothing. */
    begin();
    make_command(&stream, 0x400, NULL, 0, 10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    make_draw(&stream, 3, 0);
    make_present(&stream);
    expect_failure(RAS_EFORMAT, "PRESENT: there is no color target 0 to show");
}

static void what_is_drawn_on_is_not_read(void **state)
{
    (void)state;
    begin();
    make_bind(&stream, 10, 12);
    make_command(&stream, 0x510, NULL, 0, 4, 1, 0, 1, 0);
    make_draw(&stream, 3, 0);
    expect_failure(RAS_EFORMAT, "DRAW: texture 1 is drawn on and read at once");
}

static void sizes_meet_limits_before_memory(void **state)
{
    (void)state;
    begin();
    make_command(&stream, 0x100, NULL, 0, 8, 9, 0, 0, 1u << 30, 0, 0, 0, 0);
    expect_failure(RAS_ELIMIT, "CREATE_BUFFER: 4611686018427387904 bytes requested, 8371616 of "
                               "8388608 are left");
    begin();
    make_texture(&stream, 9, 3, 65536, 65536);
    expect_failure(RAS_ELIMIT, "CREATE_TEXTURE2D: 65536x65536 pixels, each side 1 to 16384");
    begin();
    make_texture(&stream, 9, 3, 16384, 16384);
    expect_failure(RAS_ELIMIT, "CREATE_TEXTURE2D: 1073741824 bytes requested, 8371616 of 8388608 "
                               "are left");
    begin();
    make_texture(&stream, 9, 3, 0, 5);
    expect_failure(RAS_EFORMAT, "CREATE_TEXTURE2D: 0x5 pixels, each side 1 to 16384");
    begin();
    make_command(&stream, 0x101, NULL, 0, 12, 9, 0, 3, 4, 4, 4, 1, 0, 0, 0, 0, 0);
    expect_failure(RAS_EFORMAT, "CREATE_TEXTURE2D: 4 mip levels, 1 to 3 wanted");
    begin();
    make_command(&stream, 0x101, NULL, 0, 12, 9, 0, 3, 4, 4, 1, 1, 15, 0, 0, 0, 0);
    expect_failure(RAS_EFORMAT, "CREATE_TEXTURE2D: row pitch of 15 bytes, a row has 16");
    begin();
    make_command(&stream, 0x601, NULL, 0, 4, 0xffffffff, 0xffffffff, 0, 0);
    expect_failure(RAS_ELIMIT,
                   "DRAW: 4294967295 vertices in 4294967295 instances; work for 4194271 of "
                   "4194304 is left");
}

static void work_ends_where_its_limit_is(void **state)
{
    (void)state;
    begin();
    make_texture(&stream, 5, 3, 1024, 1024);
    make_targets(&stream, 5, 0);
    for (int i = 0; i < 4; i++) /* the fourth is too much */
        make_draw(&stream, 3, 0);
    expect_failure(RAS_ELIMIT, "DRAW: work of 4194305 so far, at most 4194304 in a replay");
    /* Memory that is moved counts, too. */
    begin();
    make_texture(&stream, 5, 3, 1024, 1024);
    make_targets(&stream, 5, 0);
    for (int i = 0; i < 16; i++)
        make_clear(&stream, 0, 0, 0, 0);
    expect_failure(RAS_ELIMIT, "CLEAR: work of 4194353 so far, at most 4194304 in a replay");
    begin();
    make_texture(&stream, 5, 3, 1024, 1024);
    for (int i = 0; i < 16; i++)
        make_command(&stream, 0x106, NULL, 0, 14, 5, 5, 0, 0, 0, 0, 0, 0, 0, 0, 1024, 1024, 0, 0);
    expect_failure(RAS_ELIMIT,
                   "COPY_TEXTURE2D: work of 4194353 so far, at most 4194304 in a replay");
}

static void memory_is_where_the_submission_has_it(void **state)
{
    (void)state;
    begin();
    make_command(&stream, 0x100, NULL, 0, 8, 9, 0, 16, 0, 7, 60, 0, 0);
    expect_failure(RAS_EFORMAT, "CREATE_BUFFER: 16 bytes at 60 of allocation 7, which has 64");
    begin();
    make_command(&stream, 0x100, NULL, 0, 8, 9, 0, 16, 0, 7, 48, 0, 0);
    make_command(&stream, 0x103, NULL, 0, 6, 9, 0, 8, 0, 9, 0);
    expect_failure(RAS_EFORMAT, "RESOURCE_DIRTY_RANGE: 9 bytes at 8 of resource 9, which has 16");
    begin();
    make_command(&stream, 0x103, NULL, 0, 6, 2, 0, 0, 0, 4, 0);
    expect_failure(RAS_EFORMAT, "RESOURCE_DIRTY_RANGE: resource 2 has no allocation");
}

static void copies_stay_inside(void **state)
{
    (void)state;
    begin();
    make_command(&stream, 0x105, NULL, 0, 10, 2, 2, 0, 0, 90, 0, 8, 0, 0, 0);
    expect_failure(RAS_EFORMAT, "COPY_BUFFER: 8 bytes from 90 of a buffer of 96");
    begin();
    make_command(&stream, 0x106, NULL, 0, 14, 1, 1, 0, 0, 0, 0, 9, 0, 0, 0, 8, 8, 0, 0);
    expect_failure(RAS_EFORMAT, "COPY_TEXTURE2D: 8x8 texels at 9,0 of destination 1, which has "
                                "16x8");
    begin();
    make_texture(&stream, 5, 64, 16, 16);
    make_command(&stream, 0x106, NULL, 0, 14, 5, 5, 0, 0, 0, 0, 2, 0, 0, 0, 4, 4, 0, 0);
    expect_failure(RAS_EFORMAT, "COPY_TEXTURE2D: a rectangle of destination 5 that cuts blocks");
    begin();
    make_texture(&stream, 5, 5, 16, 8);
    make_command(&stream, 0x106, NULL, 0, 14, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 0, 0);
    expect_failure(RAS_EFORMAT, "COPY_TEXTURE2D: formats differ: 3 to be written, 5 to be read");
}

static void shared_surfaces_do_not_turn_in_circles(void **state)
{
    (void)state;
    begin();
    make_command(&stream, 0x711, NULL, 0, 4, 5, 0, 77, 0);
    expect_failure(RAS_EFORMAT, "IMPORT_SHARED_SURFACE: share token 0x4d is not known");
    begin();
    make_command(&stream, 0x710, NULL, 0, 4, 1, 0, 0, 0);
    expect_failure(RAS_EFORMAT, "EXPORT_SHARED_SURFACE: share token 0 is reserved");
    begin();
    make_command(&stream, 0x710, NULL, 0, 4, 1, 0, 77, 0);
    make_command(&stream, 0x711, NULL, 0, 4, 1, 0, 77, 0);
    expect_failure(RAS_EFORMAT, "IMPORT_SHARED_SURFACE: handle 1 is a texture already");
    /* An alias is exported, imported again, and the first handles go. */
    begin();
    make_command(&stream, 0x710, NULL, 0, 4, 1, 0, 77, 0);
    make_command(&stream, 0x711, NULL, 0, 4, 5, 0, 77, 0);
    make_command(&stream, 0x710, NULL, 0, 4, 5, 0, 78, 0);
    make_command(&stream, 0x711, NULL, 0, 4, 6, 0, 78, 0);
    make_command(&stream, 0x102, NULL, 0, 2, 1, 0);
    make_command(&stream, 0x102, NULL, 0, 2, 5, 0);
    make_texture(&stream, 1, 3, 4, 4);
    expect_failure(RAS_EFORMAT,
                   "CREATE_TEXTURE2D: handle 1 is a texture that aliases still use already");
    begin();
    make_command(&stream, 0x710, NULL, 0, 4, 1, 0, 77, 0);
    make_command(&stream, 0x712, NULL, 0, 4, 77, 0, 0, 0);
    make_command(&stream, 0x712, NULL, 0, 4, 77, 0, 0, 0);
    make_command(&stream, 0x710, NULL, 0, 4, 1, 0, 77, 0);
    expect_failure(RAS_EFORMAT, "EXPORT_SHARED_SURFACE: share token 0x4d was released");
    begin();
    make_command(&stream, 0x710, NULL, 0, 4, 1, 0, 77, 0);
    make_command(&stream, 0x102, NULL, 0, 2, 1, 0);
    make_command(&stream, 0x711, NULL, 0, 4, 5, 0, 77, 0);
    expect_failure(RAS_EFORMAT, "IMPORT_SHARED_SURFACE: share token 0x4d was released");
}

static void expect_inexact(const char *names, const char *why)
{
    make_present(&stream);
    assert_int_equal(execute(), RAS_OK);
    assert_string_equal(seen.inexact, names);
    assert_string_equal(seen.why, why);
    assert_int_equal(seen.remarks, 1);
    assert_true(seen.remark_at >= 1024);
}

static void what_is_not_executed_makes_pictures_inexact(void **state)
{
    (void)state;
    begin();
    make_command(&stream, 0x603, NULL, 0, 4, 1, 1, 1, 0);
    expect_inexact("DISPATCH", "DISPATCH: compute shaders are not executed");
    begin();
    make_command(&stream, 0x999, NULL, 0, 1, 5);
    expect_inexact("UNKNOWN", "UNKNOWN: opcode 0x999 is not known");
    begin();
    make_command(&stream, 0x202, NULL, 0, 4, 10, 11, 0, 10);
    make_draw(&stream, 3, 0);
    expect_inexact("DRAW", "DRAW: a geometry, hull or domain shader is bound");
    begin();
    make_command(&stream, 0x302, NULL, 0, 6, 1, 0, 0, 0, 0, 0);
    make_draw(&stream, 3, 0);
    expect_inexact("DRAW", "DRAW: wireframes are not drawn");
    begin();
    make_command(&stream, 0x502, NULL, 0, 2, 2, 0);
    make_draw(&stream, 3, 0);
    expect_inexact("DRAW", "DRAW: only triangles are drawn");
    begin();
    make_command(&stream, 0x512, NULL, 0, 2, 28, 1);
    make_draw(&stream, 3, 0);
    expect_inexact("SET_RENDER_STATE", "SET_RENDER_STATE: state 28 = 1 has no effect here");
}

static void memory_that_was_not_recorded_makes_pictures_inexact(void **state)
{
    (void)state;
    begin();
    make_command(&stream, 0x100, NULL, 0, 8, 9, 0, 96, 0, 8, 0, 0, 0);
    make_vertices(&stream, 9, 32);
    make_draw(&stream, 3, 0);
    expect_inexact("CREATE_BUFFER", "CREATE_BUFFER: allocation 8 is not in this submission");
    /* Behind an upload of all of it nothing is unknown any more. */
    begin();
    make_command(&stream, 0x101, NULL, 0, 12, 9, 0, 3, 2, 2, 1, 1, 0, 8, 0, 0, 0);
    make_command(&stream, 0x104, memory_bytes, 16, 6, 9, 0, 0, 0, 16, 0);
    make_targets(&stream, 9, 0);
    expect_inexact("", "CREATE_TEXTURE2D: allocation 8 is not in this submission");
    make_start(&stream);
    stream.len = 0;
    struct gpu *gpu;
    struct gpu_present now;
    const struct gpu_source source = {.offset = 1000};
    assert_int_equal(gpu_software.open(&gpu, &usual, &err), RAS_OK);
    assert_int_equal(gpu_software.submit(gpu, (struct ras_bytes){0}, &source, &err), RAS_OK);
    assert_string_equal(seen.why, "ACMD: a submission without commands");
    assert_int_equal(gpu_software.picture(gpu, &now, &err), RAS_OK);
    assert_int_equal(now.inexact_count, 1);
    gpu_software.close(gpu);
}

static void viewports_without_an_area_are_told(void **state)
{
    (void)state;
    static const struct {
        float width, height;
        const char *text;
    } cases[] = {{0, 8, "0x8"}, {16, 0, "16x0"}, {-16, 8, "-16x8"}, {16, -1, "16x-1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why[100];
        begin();
        make_viewport(&stream, 0, 0, cases[i].width, cases[i].height);
        make_draw(&stream, 3, 0);
        snprintf(why, sizeof why,
                 "SET_VIEWPORT: %s at 0,0 with depth 0 to 1 is not a valid viewport",
                 cases[i].text);
        expect_inexact("SET_VIEWPORT", why);
        assert_memory_equal(seen.first, ((const uint8_t[]){255, 0, 0, 255}), 4);
    }
    begin();
    make_viewport(&stream, 0, 0, NAN, 8);
    make_viewport(&stream, 0, 0, 16, 8);
    make_draw(&stream, 3, 0);
    make_present(&stream);
    assert_int_equal(execute(), RAS_OK);
    assert_string_equal(seen.inexact, "");
}

static void positions_that_are_no_numbers_are_left_out(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        begin();
        make_command(&stream, 0x104, &bad[i], 4, 6, 2, 0, 4, 0, 4, 0);
        make_draw(&stream, 3, 0);
        expect_inexact("DRAW", "DRAW: a position is not a number, its triangles are left out");
        assert_memory_equal(seen.first, ((const uint8_t[]){0, 0, 255, 255}), 4);
    }
}

static void a_clear_takes_away_what_was_not_exact(void **state)
{
    (void)state;
    begin();
    make_command(&stream, 0x502, NULL, 0, 2, 2, 0);
    make_draw(&stream, 3, 0);
    make_clear(&stream, 0, 1, 0, 1);
    make_present(&stream);
    assert_int_equal(execute(), RAS_OK);
    assert_string_equal(seen.inexact, "");
    /* What a texture lacks goes with it, into whatever it is copied to. */
    begin();
    make_texture(&stream, 5, 3, 16, 8);
    make_command(&stream, 0x502, NULL, 0, 2, 2, 0);
    make_draw(&stream, 3, 0);
    make_command(&stream, 0x106, NULL, 0, 14, 5, 1, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 0, 0);
    make_targets(&stream, 5, 0);
    make_present(&stream);
    assert_int_equal(execute(), RAS_OK);
    assert_string_equal(seen.inexact, "DRAW");
}

static void shaders_of_another_dialect_are_refused(void **state)
{
    (void)state;
    static const struct make_row in[] = {{"COLOR", 1}}, out[] = {{"SV_Target", 0}};
    static const uint32_t microsoft[] = {0x05000036, 0x001020f2, 0, 0x00101e46, 1, 0x0100003e};
    static const uint32_t unwritten[] = {0x2801, 0x10f022, 0, 0x1e4006, 0, 0x083e};
    static const uint32_t unknown[] = {0x2836, 0x10f022, 0, 0x1e4016, 1, 0x083e};
    static const struct {
        const uint32_t *code;
        const char *why;
    } cases[] = {
        {microsoft, "DRAW: pixel shader 13: instruction 0x05000036 is not of this dialect"},
        {unwritten, "DRAW: pixel shader 13: r0 is read before it is written"},
        {unknown, "DRAW: pixel shader 13: instruction 0x36 is not known"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        make_shader(&stream, 13, false, in, 1, out, 1, cases[i].code, 6);
        make_bind(&stream, 10, 13);
        make_draw(&stream, 3, 0);
        expect_inexact("DRAW", cases[i].why);
    }
    begin();
    make_command(&stream, 0x200, "DXBD", 4, 4, 13, 1, 4, 0);
    expect_failure(RAS_EFORMAT, "CREATE_SHADER_DXBC: shader 13: 4 bytes are not a DXBC container");
}

static void streams_that_are_cut_are_told(void **state)
{
    (void)state;
    begin();
    make_u32(&stream, 0x601);
    make_u32(&stream, 400);
    assert_int_equal(execute(), RAS_EFORMAT);
    assert_string_equal(err.text, "ACMD: command of 400 bytes, 8 are left");
    begin();
    make_command(&stream, 0x601, NULL, 0, 2, 3, 1);
    expect_failure(RAS_EFORMAT, "DRAW: 16 bytes, at least 24 wanted");
    begin();
    make_command(&stream, 0x500, NULL, 0, 6, 0, 2, 2, 32, 0, 0);
    expect_failure(RAS_EFORMAT, "SET_VERTEX_BUFFERS: 2 items of 16 bytes in a command of 32");
}

static void a_draw_can_be_the_last_one(void **state)
{
    (void)state;
    struct gpu *gpu;
    struct gpu_present now;
    seen = (struct seen){.stop_after = 1};
    begin();
    make_draw(&stream, 3, 0);
    make_clear(&stream, 0, 1, 0, 1);
    make_present(&stream);
    assert_int_equal(gpu_software.open(&gpu, &usual, &err), RAS_OK);
    assert_int_equal(submit_to(gpu), RAS_END);
    assert_int_equal(seen.pictures, 0);
    assert_int_equal(gpu_software.picture(gpu, &now, &err), RAS_OK);
    assert_memory_equal(now.picture.rgba, ((const uint8_t[]){255, 0, 0, 255}), 4);
    gpu_software.close(gpu);
    seen.stop_after = 0;
}

static int done(void **state)
{
    (void)state;
    out_free(&stream);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_triangle_is_drawn),
        cmocka_unit_test(handles_are_unknown_destroyed_reused_or_of_another_kind),
        cmocka_unit_test(draws_lack_what_they_need),
        cmocka_unit_test(targets_that_are_gone_are_missed),
        cmocka_unit_test(what_is_drawn_on_is_not_read),
        cmocka_unit_test(sizes_meet_limits_before_memory),
        cmocka_unit_test(work_ends_where_its_limit_is),
        cmocka_unit_test(memory_is_where_the_submission_has_it),
        cmocka_unit_test(copies_stay_inside),
        cmocka_unit_test(shared_surfaces_do_not_turn_in_circles),
        cmocka_unit_test(what_is_not_executed_makes_pictures_inexact),
        cmocka_unit_test(memory_that_was_not_recorded_makes_pictures_inexact),
        cmocka_unit_test(viewports_without_an_area_are_told),
        cmocka_unit_test(positions_that_are_no_numbers_are_left_out),
        cmocka_unit_test(a_clear_takes_away_what_was_not_exact),
        cmocka_unit_test(shaders_of_another_dialect_are_refused),
        cmocka_unit_test(streams_that_are_cut_are_told),
        cmocka_unit_test(a_draw_can_be_the_last_one),
    };
    return cmocka_run_group_tests(tests, NULL, done);
}
