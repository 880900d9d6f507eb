/* murk_compare_test.c - two replays: the fields that differ, commands added, removed and moved,
 * ticks, damage. */
#include "murk_make.h"

/* In both directions, and by every option that still compares it. */
static void expect_change(const struct model *changed, const char *path, const char *kind)
{
    const struct model plain = a_model();
    const struct ras_compare_options every = {.keep_going = true, .paranoid = true};
    const struct ras_compare_options hash_only = {.choices = &(struct ras_choice){"hash-only", 0},
                                                  .choice_count = 1};
    expect_one(diff(&plain, changed, NULL), path, kind);
    done();
    expect_one(diff(changed, &plain, NULL), path, kind);
    done();
    const struct ras_diff *d = diff(&plain, changed, &every);
    assert_int_equal(d->divergence_count, 1);
    assert_int_equal(d->checked, TICKS);
    done();
    const struct ras_compare_options ignoring = {.ignored = &path, .ignored_count = 1};
    assert_int_equal(diff(&plain, changed, &ignoring)->divergence_count, 0);
    done();
    bool is_hash = !strcmp(path, "snapshot_hash");
    assert_int_equal(diff(&plain, changed, &hash_only)->divergence_count, is_hash);
    done();
}

static void a_replay_equals_itself(void **state)
{
    (void)state;
    struct model m = a_model();
    const struct ras_compare_options paranoid = {.paranoid = true};
    for (int i = 0; i < 2; i++) {
        const struct ras_diff *d = diff(&m, &m, i ? &paranoid : NULL);
        assert_int_equal(d->divergence_count, 0);
        assert_int_equal(d->checked, TICKS);
        assert_int_equal(d->endings[0].kind, RAS_COMPLETE);
        done();
    }
}

/* ---- mutations ----------------------------------------------------------------- */

static void every_plain_field_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < COMMANDS; i++) {
        char path[64];
        struct model m = a_model();
        m.commands[i].priority_class ^= 0x80;
        snprintf(path, sizeof path, "commands[%zu].priority_class", i);
        expect_change(&m, path, "value_mismatch");
        m = a_model();
        m.commands[i].expires_after_tick--;
        snprintf(path, sizeof path, "commands[%zu].expires_after_tick", i);
        expect_change(&m, path, "value_mismatch");
        m = a_model();
        m.commands[i].arrival_seq += 1000;
        snprintf(path, sizeof path, "commands[%zu].arrival_seq", i);
        expect_change(&m, path, "value_mismatch");
        m = a_model();
        m.commands[i].has_source_id ^= true;
        m.commands[i].source_id = 0;
        snprintf(path, sizeof path, "commands[%zu].source_id", i);
        expect_change(&m, path, "type_mismatch");
        m = a_model();
        m.commands[i].has_source_seq ^= true;
        m.commands[i].source_seq = 0;
        snprintf(path, sizeof path, "commands[%zu].source_seq", i);
        expect_change(&m, path, "type_mismatch");
    }
}

enum { MOVE, SPAWN, DESPAWN, SET_FIELD, CUSTOM, SET_PARAMETER, BATCH };

static void every_payload_field_is_named(void **state)
{
    (void)state;
    static const uint8_t coord[] = {1, 0, 0, 0, 0xfd, 0xff, 0xff, 0xff};
    static const uint8_t longer[] = {1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 7, 0, 0, 0};
    static const uint8_t fields[] = {3, 0, 0, 0, 0, 0, 0x80, 0x3f, 5, 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t values[] = {3, 0, 0, 0, 0, 0, 0x80, 0x3f, 4, 0, 0, 0, 0, 0, 0, 0x80};
    static const uint8_t keys[] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f,
                                   8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f};
    static const uint8_t params[] = {9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f,
                                     8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0xf8, 0x7f};
    struct model m = a_model();
    m.payloads[MOVE].entity_id = 5;
    expect_change(&m, "commands[0].entity_id", "value_mismatch");
    m = a_model();
    m.payloads[DESPAWN].entity_id = 5;
    expect_change(&m, "commands[2].entity_id", "value_mismatch");
    for (unsigned i = 0; i <= SET_FIELD; i += i == SPAWN ? 2 : 1) {
        char path[64];
        m = a_model();
        m.payloads[i].coord = (struct ras_bytes){coord, sizeof coord};
        snprintf(path, sizeof path, "commands[%u].coord[1]", i);
        expect_change(&m, path, "value_mismatch");
    }
    m = a_model();
    m.payloads[SPAWN].field_values = (struct ras_bytes){fields, sizeof fields};
    expect_change(&m, "commands[1].field_values[1].field_id", "value_mismatch");
    m.payloads[SPAWN].field_values = (struct ras_bytes){values, sizeof values};
    expect_change(&m, "commands[1].field_values[1].value", "value_mismatch"); /* 0 and -0 */
    m = a_model();
    m.payloads[SET_FIELD].field_id = 0;
    expect_change(&m, "commands[3].field_id", "value_mismatch");
    m = a_model();
    m.payloads[SET_FIELD].value_f32 = 0x40000000;
    expect_change(&m, "commands[3].value", "value_mismatch");
    m = a_model();
    m.payloads[CUSTOM].type_id = 0;
    expect_change(&m, "commands[4].type_id", "value_mismatch");
    m = a_model();
    m.payloads[CUSTOM].data = SPAN("datA");
    expect_change(&m, "commands[4].data", "bytes_mismatch");
    m = a_model();
    m.payloads[SET_PARAMETER].key = 8;
    expect_change(&m, "commands[5].key", "value_mismatch");
    m = a_model();
    m.payloads[SET_PARAMETER].value_f64++;
    expect_change(&m, "commands[5].value", "value_mismatch");
    m = a_model();
    m.payloads[BATCH].params = (struct ras_bytes){keys, sizeof keys};
    expect_change(&m, "commands[6].params[0].key", "value_mismatch");
    m.payloads[BATCH].params = (struct ras_bytes){params, sizeof params};
    expect_change(&m, "commands[6].params[1].value", "bits_mismatch"); /* two NaNs */
    m = a_model();
    m.payloads[MOVE].coord = (struct ras_bytes){longer, sizeof longer};
    const struct model plain = a_model();
    const struct ras_diff *d = diff(&plain, &m, NULL);
    assert_true(is_text(ras_value_member(row_at(rows_of(d), 0), "kind"), "length_mismatch"));
    assert_true(is_text(ras_value_member(row_at(rows_of(d), 1), "path"), "commands[0].coord[2]"));
    assert_true(is_text(ras_value_member(row_at(rows_of(d), 1), "kind"), "missing_expected"));
    done();
}

static void hash_and_malformed_payloads_are_named(void **state)
{
    (void)state;
    struct model m = a_model();
    m.hashes[2] ^= 1;
    expect_change(&m, "snapshot_hash", "value_mismatch");
    m = a_model();
    m.commands[7].payload_type = 99; /* was a Move with the same payload */
    m.raw[7] = SPAN("\x6b\0\0\0\0\0\0\0\2\0\0\0\1\0\0\0\xfe\xff\xff\xff");
    expect_change(&m, "commands[7].payload_type", "value_mismatch");
    m = a_model();
    m.raw[2] = SPAN("\x66\0\0\0\0\0\0\0behind"); /* Despawn 102 and trailing bytes */
    expect_change(&m, "commands[2].trailing", "bytes_mismatch");
    m = a_model();
    m.raw[2] = SPAN("\x66");
    expect_change(&m, "commands[2].payload", "bytes_mismatch");
}

static void header_fields_are_named(void **state)
{
    (void)state;
    static const char *const names[] = {"toolchain",     "target_triple", "murk_version",
                                        "compile_flags", "seed",          "config_hash",
                                        "field_count",   "cell_count",    "space_descriptor"};
    const struct model plain = a_model();
    const struct ras_compare_options commands = {.channels = (const char *[]){"commands"},
                                                 .channel_count = 1};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        struct model m = a_model();
        struct ras_bytes *texts[] = {&m.header.toolchain, &m.header.target_triple,
                                     &m.header.murk_version, &m.header.compile_flags,
                                     &m.header.space_descriptor};
        if (i < 4 || i == 8)
            *texts[i < 4 ? i : 4] = SPAN("other");
        m.header.seed += i == 4;
        m.header.config_hash += i == 5;
        m.header.field_count += i == 6;
        m.header.cell_count += i == 7;
        const struct ras_diff *d = diff(&plain, &m, NULL);
        assert_int_equal(d->divergence_count, 1);
        assert_string_equal(d->divergences[0].kind, "header_mismatch");
        assert_int_equal(d->divergences[0].at[0].value.kind, RAS_NULL);
        assert_int_equal(d->checked, TICKS);
        const struct ras_value *rows = ras_value_member(d->divergences[0].detail, "header");
        snprintf(path, sizeof path, "header.%s", names[i]);
        assert_true(is_text(ras_value_member(row_at(rows, 0), "path"), path));
        assert_null(row_at(rows, 1));
        done();
        assert_int_equal(diff(&plain, &m, &commands)->divergence_count, 0);
        done();
        m.hashes[3]++; /* the tick is compared whatever the header is */
        d = diff(&plain, &m, NULL);
        assert_string_equal(d->divergences[0].kind, "tick_mismatch");
        assert_int_equal(d->divergences[0].at[0].value.u, TICK + 1);
        assert_non_null(ras_value_member(d->divergences[0].detail, "header"));
        done();
    }
}

/* ---- commands and ticks ---------------------------------------------------- */

/* ---- commands as an ordered set -------------------------------------------------- */

static void take_out(struct model *m, size_t at)
{
    for (size_t i = at; i + 1 < m->command_count; i++) {
        m->commands[i] = m->commands[i + 1];
        m->payloads[i] = m->payloads[i + 1];
    }
    m->command_count--;
}

static void put_in(struct model *m, size_t at, size_t like)
{
    struct ras_murk_command k = m->commands[like];
    struct ras_murk_payload p = m->payloads[like];
    assert_int_equal(m->command_count, COMMANDS);
    for (size_t i = COMMANDS; i > at; i--) {
        m->commands[i] = m->commands[i - 1];
        m->payloads[i] = m->payloads[i - 1];
    }
    m->commands[at] = k;
    m->payloads[at] = p;
    m->command_count++;
}

static void a_command_is_missing_or_added(void **state)
{
    (void)state;
    const struct model plain = a_model();
    for (size_t i = 0; i < COMMANDS; i++) {
        char path[32];
        struct model m = a_model();
        take_out(&m, i);
        snprintf(path, sizeof path, "commands[%zu]", i);
        expect_one(diff(&plain, &m, NULL), path, "missing_actual");
        done();
        expect_one(diff(&m, &plain, NULL), path, "missing_expected");
        done();
    }
}

static void a_command_moves(void **state)
{
    (void)state;
    const struct model plain = a_model();
    struct model m = a_model();
    put_in(&m, 8, 1);
    take_out(&m, 1);
    const struct ras_diff *d = diff(&plain, &m, NULL);
    expect_one(d, "commands[1]", "moved");
    const struct ras_value *row = row_at(rows_of(d), 0);
    assert_int_equal(ras_value_member(row, "expected")->u, 1);
    assert_int_equal(ras_value_member(row, "actual")->u, 7);
    done();
    m.commands[7].arrival_seq = 77; /* moved and changed, paired by its source */
    m.commands[7].has_source_seq = true;
    d = diff(&plain, &m, NULL);
    assert_true(is_text(ras_value_member(row_at(rows_of(d), 0), "kind"), "moved"));
    assert_true(is_text(ras_value_member(row_at(rows_of(d), 1), "path"), "commands[1].source_seq"));
    assert_true(
        is_text(ras_value_member(row_at(rows_of(d), 2), "path"), "commands[1].arrival_seq"));
    assert_null(row_at(rows_of(d), 3));
    done();
}

/* One removed in front, another changed after it: the commands between do not differ. */
static void a_changed_command_is_paired(void **state)
{
    (void)state;
    const struct model plain = a_model();
    struct model m = a_model();
    m.payloads[7].coord.len = 4;
    take_out(&m, 0); /* a Move, as the changed one is */
    const struct ras_diff *d = diff(&plain, &m, NULL);
    assert_true(is_text(ras_value_member(row_at(rows_of(d), 0), "path"), "commands[0]"));
    assert_true(is_text(ras_value_member(row_at(rows_of(d), 0), "kind"), "missing_actual"));
    assert_true(is_text(ras_value_member(row_at(rows_of(d), 1), "path"), "commands[7].coord"));
    assert_true(is_text(ras_value_member(row_at(rows_of(d), 2), "path"), "commands[7].coord[1]"));
    assert_null(row_at(rows_of(d), 3));
    done();
}

static void both_lists_are_shown(void **state)
{
    (void)state;
    const struct model plain = a_model();
    struct model m = a_model();
    take_out(&m, 3);
    const struct ras_diff *d = diff(&plain, &m, NULL);
    const struct ras_value *a = ras_value_member(d->divergences[0].detail, "expected");
    const struct ras_value *b = ras_value_member(d->divergences[0].detail, "actual");
    assert_int_equal(ras_value_member(a, "command_count")->u, COMMANDS);
    assert_int_equal(ras_value_member(b, "command_count")->u, COMMANDS - 1);
    assert_non_null(row_at(ras_value_member(a, "commands"), COMMANDS - 1));
    assert_non_null(row_at(ras_value_member(b, "commands"), COMMANDS - 2));
    assert_null(row_at(ras_value_member(b, "commands"), COMMANDS - 1));
    assert_true(is_text(
        ras_value_member(row_at(ras_value_member(a, "commands"), 3), "payload_name"), "SetField"));
    done();
}

/* ---- ticks --------------------------------------------------------------------- */

static void without_tick(struct model *m, size_t at)
{
    for (size_t i = at; i + 1 < m->tick_count; i++) {
        m->ticks[i] = m->ticks[i + 1];
        m->hashes[i] = m->hashes[i + 1];
    }
    m->tick_count--;
}

static void a_tick_is_missing(void **state)
{
    (void)state;
    const struct model plain = a_model();
    const struct ras_compare_options every = {.keep_going = true};
    for (size_t i = 0; i < TICKS; i++) {
        struct model m = a_model();
        without_tick(&m, i);
        for (int turned = 0; turned < 2; turned++) {
            const struct ras_diff *d = turned ? diff(&m, &plain, &every) : diff(&plain, &m, &every);
            assert_int_equal(d->divergence_count, 1);
            assert_string_equal(d->divergences[0].kind, "missing_tick");
            assert_int_equal(d->divergences[0].at[0].value.u, TICK - 2 + i);
            assert_int_equal(d->checked, TICKS);
            const struct ras_value *detail = d->divergences[0].detail;
            assert_true(
                is_text(ras_value_member(detail, "missing_in"), turned ? "expected" : "actual"));
            assert_int_equal(ras_value_member(detail, "ended")->u, i == TICKS - 1);
            done();
        }
    }
}

static void ticks_may_repeat_and_step_back(void **state)
{
    (void)state;
    struct model a = a_model(), b = a_model();
    const uint64_t first[] = {1, 2, 2, 1, 2}, second[] = {1, 2, 1, 2};
    memcpy(a.ticks, first, sizeof first);
    memcpy(b.ticks, second, sizeof second);
    b.tick_count = 4;
    memset(a.hashes, 0, sizeof a.hashes);
    memset(b.hashes, 0, sizeof b.hashes);
    const struct ras_compare_options every = {.keep_going = true};
    const struct ras_diff *d = diff(&a, &b, &every);
    assert_int_equal(d->divergence_count, 1);
    assert_string_equal(d->divergences[0].kind, "missing_tick");
    assert_int_equal(d->divergences[0].at[0].value.u, 2);
    assert_int_equal(d->checked, 5);
    done();
}

static void a_range_limits_the_comparison(void **state)
{
    (void)state;
    const struct model plain = a_model();
    struct model m = a_model();
    m.hashes[1]++;
    m.hashes[3]++;
    for (int paranoid = 0; paranoid < 2; paranoid++) {
        struct ras_compare_options o = {
            .has_first = true, .has_last = true, .first = TICK, .last = TICK, .paranoid = paranoid};
        assert_int_equal(diff(&plain, &m, &o)->divergence_count, 0);
        assert_int_equal(found->checked, 1);
        done();
        o.last = 1000;
        assert_int_equal(diff(&plain, &m, &o)->divergences[0].at[0].value.u, TICK + 1);
        done();
        o.first = -5;
        o.last = -1;
        assert_int_equal(diff(&plain, &m, &o)->checked, 0);
        done();
    }
}

static void a_tolerance_accepts_near_numbers(void **state)
{
    (void)state;
    const struct model plain = a_model();
    struct model m = a_model();
    m.payloads[RAS_MURK_SET_FIELD].value_f32 = 0x3f800001;
    const struct ras_tolerance near = {"commands[*].value", 0.001};
    const struct ras_compare_options o = {.tolerances = &near, .tolerance_count = 1};
    assert_int_equal(diff(&plain, &m, &o)->divergence_count, 0);
    done();
    m.payloads[RAS_MURK_SET_FIELD].value_f32 = 0x40000000;
    expect_one(diff(&plain, &m, &o), "commands[3].value", "value_mismatch");
    done();
}

/* ---- cut and damaged ------------------------------------------------------------- */

static void a_cut_replay_is_compared_up_to_the_cut(void **state)
{
    (void)state;
    const struct model plain = a_model();
    struct bytes whole = bytes_of(&plain);
    struct ras_murk_fault fault;
    struct ras_murk_header h;
    assert_true(ras_murk_header_get((struct ras_bytes){whole.at, whole.len}, &h, &fault));
    for (size_t len = h.size; len < whole.len; len++) {
        struct bytes part = {.len = len};
        memcpy(part.at, whole.at, len);
        for (int turned = 0; turned < 2; turned++) {
            const struct ras_diff *d =
                turned ? diff_bytes(&part, &whole, NULL) : diff_bytes(&whole, &part, NULL);
            bool cut = ras_ending(sides[!turned]).kind == RAS_CUT;
            assert_int_equal(d->divergence_count, !cut);
            if (!cut)
                assert_string_equal(d->divergences[0].kind, "missing_tick");
            done();
        }
    }
}

static void damaged_replays_are_compared(void **state)
{
    (void)state;
    const struct model plain = a_model();
    const struct ras_compare_options every = {.keep_going = true};
    struct bytes whole = bytes_of(&plain);
    for (size_t i = 0; i < whole.len; i++) {
        for (unsigned flip = 1; flip < 256; flip <<= 1) {
            struct bytes other = whole;
            other.at[i] ^= (uint8_t)flip;
            struct ras_trace *t;
            if (ras_open_memory(&t, other.at, other.len, NULL, NULL) < 0)
                continue; /* the header is gone */
            ras_close(t);
            const struct ras_diff *d = diff_bytes(&whole, &other, &every);
            size_t count = d->divergence_count;
            bool lost = d->endings[1].kind >= RAS_CUT;
            assert_true(count || lost);
            done();
            assert_int_equal(diff_bytes(&other, &whole, &every)->divergence_count, count);
            done();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replay_equals_itself),
        cmocka_unit_test(every_plain_field_is_named),
        cmocka_unit_test(every_payload_field_is_named),
        cmocka_unit_test(hash_and_malformed_payloads_are_named),
        cmocka_unit_test(header_fields_are_named),
        cmocka_unit_test(a_command_is_missing_or_added),
        cmocka_unit_test(a_command_moves),
        cmocka_unit_test(a_changed_command_is_paired),
        cmocka_unit_test(both_lists_are_shown),
        cmocka_unit_test(a_tick_is_missing),
        cmocka_unit_test(ticks_may_repeat_and_step_back),
        cmocka_unit_test(a_range_limits_the_comparison),
        cmocka_unit_test(a_tolerance_accepts_near_numbers),
        cmocka_unit_test(a_cut_replay_is_compared_up_to_the_cut),
        cmocka_unit_test(damaged_replays_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
