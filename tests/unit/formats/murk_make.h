/* murk_make.h - builds replays for tests and compares them. */
#ifndef TESTS_MURK_MAKE_H
#define TESTS_MURK_MAKE_H

#include "compared.h"
#include <rastrum/murk.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../compared_nothing.h"

#define SPAN(text)                                                                                 \
    (struct ras_bytes)                                                                             \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }

enum { TICKS = 5, COMMANDS = 8, TICK = 7 }; /* the tick with commands; the others have none */

/* A replay before it is encoded. */
struct model {
    struct ras_murk_header header;
    uint64_t ticks[TICKS + 1], hashes[TICKS + 1];
    size_t tick_count;
    struct ras_murk_command commands[COMMANDS + 1];
    struct ras_murk_payload payloads[COMMANDS + 1];
    struct ras_bytes raw[COMMANDS + 1]; /* instead of the payload, if set */
    size_t command_count;
};

struct bytes {
    uint8_t at[4096];
    size_t len;
};

static inline struct model a_model(void)
{
    static const uint8_t coord[] = {1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff};
    static const uint8_t values[] = {3, 0, 0, 0, 0, 0, 0x80, 0x3f, 4, 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t params[] = {9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f,
                                     8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f};
    struct model m = {.header = {.toolchain = SPAN("1.78.0"),
                                 .target_triple = SPAN("x86_64"),
                                 .murk_version = SPAN("0.1.9"),
                                 .compile_flags = SPAN("release"),
                                 .seed = 42,
                                 .config_hash = 7,
                                 .field_count = 1,
                                 .cell_count = 64,
                                 .space_descriptor = SPAN("murkworld 1")},
                      .tick_count = TICKS,
                      .command_count = COMMANDS};
    for (size_t i = 0; i < TICKS; i++) {
        m.ticks[i] = TICK - 2 + i;
        m.hashes[i] = 0x1000 + i;
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        m.commands[i] = (struct ras_murk_command){.payload_type = (uint8_t)(i % 7),
                                                  .priority_class = (uint8_t)i,
                                                  .has_source_id = i & 1,
                                                  .has_source_seq = i >> 1 & 1,
                                                  .source_id = i & 1 ? i : 0,
                                                  .source_seq = i >> 1 & 1 ? 10 * i : 0,
                                                  .expires_after_tick = UINT64_MAX,
                                                  .arrival_seq = i};
        m.payloads[i] = (struct ras_murk_payload){.entity_id = 100 + i,
                                                  .coord = {coord, sizeof coord},
                                                  .field_id = 5,
                                                  .value_f32 = 0x3f800000,
                                                  .field_values = {values, sizeof values},
                                                  .type_id = 6,
                                                  .data = SPAN("data"),
                                                  .key = 7,
                                                  .value_f64 = 0x3ff0000000000000,
                                                  .params = {params, sizeof params}};
    }
    return m;
}

static inline void add_frame(struct bytes *out, const struct model *m, size_t tick)
{
    uint8_t payload[COMMANDS + 1][128];
    struct ras_murk_command commands[COMMANDS + 1];
    struct ras_murk_fault fault;
    size_t size, count = m->ticks[tick] == TICK ? m->command_count : 0;
    for (size_t i = 0; i < count; i++) {
        commands[i] = m->commands[i];
        commands[i].payload = m->raw[i];
        if (m->raw[i].at)
            continue;
        assert_true(ras_murk_payload_put(commands[i].payload_type, &m->payloads[i], payload[i],
                                         sizeof payload[i], &size, &fault));
        commands[i].payload = (struct ras_bytes){payload[i], size};
    }
    assert_true(ras_murk_frame_put(m->ticks[tick], commands, (uint32_t)count, m->hashes[tick],
                                   out->at + out->len, sizeof out->at - out->len, &size, &fault));
    out->len += size;
    assert_true(out->len <= sizeof out->at);
}

static inline struct bytes bytes_of(const struct model *m)
{
    struct bytes out = {.len = 0};
    struct ras_murk_fault fault;
    assert_true(ras_murk_header_put(&m->header, out.at, sizeof out.at, &out.len, &fault));
    for (size_t i = 0; i < m->tick_count; i++)
        add_frame(&out, m, i);
    return out;
}

/* ---- comparing ----------------------------------------------------------------- */

static struct ras_trace *sides[2];
static struct ras_diff *found;

static inline const struct ras_diff *diff_bytes(const struct bytes *a, const struct bytes *b,
                                                const struct ras_compare_options *how)
{
    struct ras_error err = {0};
    assert_int_equal(ras_open_memory(&sides[0], a->at, a->len, NULL, &err), RAS_OK);
    assert_int_equal(ras_open_memory(&sides[1], b->at, b->len, NULL, &err), RAS_OK);
    int status = diff_or_nothing(&found, sides[0], sides[1], how, &err);
    if (status < 0)
        print_error("%s\n", err.text);
    assert_int_equal(status, RAS_OK);
    return found;
}

static inline const struct ras_diff *diff(const struct model *a, const struct model *b,
                                          const struct ras_compare_options *how)
{
    static struct bytes x, y;
    x = bytes_of(a);
    y = bytes_of(b);
    return diff_bytes(&x, &y, how);
}

static inline void done(void)
{
    ras_diff_free(found);
    ras_close(sides[0]);
    ras_close(sides[1]);
}

/* One tick differs, in this one field. */
static inline void expect_one(const struct ras_diff *d, const char *path, const char *kind)
{
    assert_int_equal(d->divergence_count, 1);
    assert_string_equal(d->divergences[0].kind, "tick_mismatch");
    assert_int_equal(d->divergences[0].at[0].value.u, TICK);
    assert_int_equal(d->checked, 3);
    const struct ras_value *row = row_at(rows_of(d), 0);
    assert_non_null(row);
    if (!is_text(ras_value_member(row, "path"), path))
        print_error("%.*s, not %s\n", (int)ras_value_member(row, "path")->count,
                    (const char *)ras_value_member(row, "path")->at, path);
    assert_true(is_text(ras_value_member(row, "path"), path));
    assert_true(is_text(ras_value_member(row, "kind"), kind));
    if (row_at(rows_of(d), 1))
        print_error("also %.*s\n", (int)ras_value_member(row_at(rows_of(d), 1), "path")->count,
                    (const char *)ras_value_member(row_at(rows_of(d), 1), "path")->at);
    assert_null(row_at(rows_of(d), 1));
}
#endif
