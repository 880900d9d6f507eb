/* cdt_model_test.c - the typed decoder: what it accepts, what it refuses, and where it reports
 * that. */
#include "base/memory.h"
#include "cdt_make.h"
#include "formats/cdt/cdt_model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

struct fixture {
    struct out out;
    struct arena arena;
    struct cdt_problem problem;
    union {
        struct ras_cdt_tick_block block;
        struct ras_cdt_trace_meta meta;
        struct ras_cdt_rng_stream_row rng;
        struct ras_cdt_timing_sample_row timing;
        struct ras_cdt_replay_checkpoint checkpoint;
        struct ras_cdt_replay_player_checkpoint player;
        struct ras_cdt_creature_entity_sample creature;
    };
};

static int setup(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    out_free(&f->out);
    arena_free(&f->arena);
    free(f);
    return 0;
}

static bool decode(struct fixture *f, const struct cdt_struct *s, const char *text)
{
    arena_reset(&f->arena);
    memset(&f->block, 0xaa,
           sizeof *f - offsetof(struct fixture, block)); /* all must be overwritten */
    return cdt_decode(s, make(&f->out, text), &f->arena, &f->block, &f->problem);
}

static void refused(struct fixture *f, const struct cdt_struct *s, const char *text,
                    const char *what, const char *path)
{
    assert_false(decode(f, s, text));
    assert_int_equal(f->problem.status, RAS_EFORMAT);
    assert_string_equal(f->problem.what, what);
    assert_string_equal(f->problem.path, path);
}

#define RNG(fields) "{" fields "}"
#define ROW         "'tick_call_index':1,'value_15':2,'state_before_u32':3,'state_after_u32':4"

static void keys_in_any_order_and_encoding(void **state)
{
    struct fixture *f = *state;
    assert_true(decode(f, &cdt_rng_stream_row, RNG(ROW ",'caller':5")));
    assert_int_equal(f->rng.tick_call_index, 1);
    assert_int_equal(f->rng.state_after_u32, 4);
    assert_int_equal(f->rng.caller, 5);
    assert_int_equal(f->rng.node.present, 31);
    assert_int_equal(f->rng.node.at, 0);
    assert_int_equal(f->rng.node.length, f->out.len);
    assert_true(decode(f, &cdt_rng_stream_row,
                       "{'caller':9,'state_after_u32':4,'value_15':2,'state_before_u32':3,"
                       "'tick_call_index':1}"));
    assert_int_equal(f->rng.caller, 9);
    assert_int_equal(f->rng.value_15, 2);
    /* keys as str8 and as str32 */
    assert_true(decode(f, &cdt_rng_stream_row,
                       "{<d90876616c75655f3135>:2,<db0000000f7469636b5f63616c6c5f696e646578>:1,"
                       "'state_before_u32':3,'state_after_u32':4}"));
    assert_int_equal(f->rng.value_15, 2);
    assert_int_equal(f->rng.tick_call_index, 1);
}

static void absent_and_nil_are_the_same(void **state)
{
    struct fixture *f = *state;
    assert_true(decode(f, &cdt_rng_stream_row, RNG(ROW)));
    assert_false(ras_cdt_has(&f->rng.node, RAS_CDT_RNG_CALLER));
    assert_int_equal(f->rng.caller, 0);
    assert_true(decode(f, &cdt_rng_stream_row, RNG(ROW ",'caller':null")));
    assert_false(ras_cdt_has(&f->rng.node, RAS_CDT_RNG_CALLER));
    assert_int_equal(f->rng.caller, 0);
    refused(f, &cdt_rng_stream_row, RNG("'tick_call_index':null"), "expected int, got null",
            "$.tick_call_index");
}

static void last_of_duplicate_keys_wins(void **state)
{
    struct fixture *f = *state;
    assert_true(decode(f, &cdt_rng_stream_row, RNG(ROW ",'caller':1,'caller':2,'value_15':7")));
    assert_int_equal(f->rng.caller, 2);
    assert_int_equal(f->rng.value_15, 7);
    assert_true(decode(f, &cdt_rng_stream_row, RNG(ROW ",'caller':1,'caller':null")));
    assert_false(ras_cdt_has(&f->rng.node, RAS_CDT_RNG_CALLER));
    /* the first one must be valid too */
    refused(f, &cdt_rng_stream_row, RNG(ROW ",'caller':'x','caller':2"), "expected int, got str",
            "$.caller");
}

static void unknown_keys_by_struct(void **state)
{
    struct fixture *f = *state;
    refused(f, &cdt_rng_stream_row, RNG(ROW ",'x':1"), "unknown key 'x'", "$");
    assert_true(decode(f, &cdt_tick_block,
                       "{'x':{'a':[1,2.5,'t',null,<d60001020304>]},'start_tick':0,'end_tick':0,"
                       "'ticks':[]}"));
    assert_int_equal(f->problem.ignored, 1);
    refused(f, &cdt_tick_block, "{1:2,'start_tick':0,'end_tick':0,'ticks':[]}",
            "expected a str key, got int", "$");
}

static void ints_of_every_width(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *text;
        int64_t value;
        bool wide;
    } rows[] = {
        {"0", 0, false},
        {"127", 127, false},
        {"<cc05>", 5, false},
        {"<cdffff>", 65535, false},
        {"<ce00000001>", 1, false},
        {"<ceffffffff>", UINT32_MAX, false},
        {"<cf0000000000000001>", 1, false},
        {"<cf7fffffffffffffff>", INT64_MAX, false},
        {"<cf8000000000000000>", INT64_MIN, true},
        {"<cfffffffffffffffff>", -1, true},
        {"<ff>", -1, false},
        {"<e0>", -32, false},
        {"<d080>", -128, false},
        {"<d18000>", -32768, false},
        {"<d10080>", 128, false},
        {"<d280000000>", INT32_MIN, false},
        {"<d38000000000000000>", INT64_MIN, false},
        {"<d30000000000000080>", 128, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        snprintf(text, sizeof text, RNG(ROW ",'caller':%s"), rows[i].text);
        assert_true(decode(f, &cdt_rng_stream_row, text));
        assert_true(f->rng.caller == rows[i].value);
        assert_int_equal(f->rng.node.wide >> RAS_CDT_RNG_CALLER & 1, rows[i].wide);
    }
    refused(f, &cdt_rng_stream_row, RNG("'value_15':2.0"), "expected int, got float", "$.value_15");
    refused(f, &cdt_rng_stream_row, RNG("'value_15':true"), "expected int, got bool", "$.value_15");
    refused(f, &cdt_rng_stream_row, RNG("'value_15':<c1>"), "expected int, got no msgpack",
            "$.value_15");
    refused(f, &cdt_rng_stream_row, RNG("'value_15':<d400ff>"), "expected int, got ext",
            "$.value_15");
}

static void floats_and_ints_for_floats(void **state)
{
    struct fixture *f = *state;
#define TIMED(value) "{'tick_index':0,'frame_dt_f32':" value "}"
    assert_true(decode(f, &cdt_timing_sample_row, TIMED("0.1")));
    assert_true(f->timing.frame_dt_f32 == 0.1);
    assert_true(decode(f, &cdt_timing_sample_row, TIMED("0.1f")));
    assert_true(f->timing.frame_dt_f32 == (double)0.1f);
    assert_true(decode(f, &cdt_timing_sample_row, TIMED("-3")));
    assert_true(f->timing.frame_dt_f32 == -3.0);
    assert_true(decode(f, &cdt_timing_sample_row, TIMED("<cfffffffffffffffff>")));
    assert_true(f->timing.frame_dt_f32 == 18446744073709551616.0);
    assert_true(decode(f, &cdt_timing_sample_row, TIMED("<cb7ff8000000000000>")));
    assert_true(isnan(f->timing.frame_dt_f32));
    assert_true(decode(f, &cdt_timing_sample_row, TIMED("<caff800000>")));
    assert_true(isinf(f->timing.frame_dt_f32) && f->timing.frame_dt_f32 < 0);
    assert_true(decode(f, &cdt_timing_sample_row, TIMED("<cb8000000000000000>")));
    assert_true(signbit(f->timing.frame_dt_f32));
    refused(f, &cdt_timing_sample_row, TIMED("'0.1'"), "expected float, got str", "$.frame_dt_f32");
    refused(f, &cdt_timing_sample_row, "{'time_scale_active_entry':1}", "expected bool, got int",
            "$.time_scale_active_entry");
}

static void defaults_where_the_tables_have_them(void **state)
{
    struct fixture *f = *state;
    assert_true(decode(f, &cdt_timing_sample_row, "{'tick_index':4}"));
    assert_int_equal(f->timing.phase.len, 0);
    assert_memory_equal(f->timing.write_kind.at, "snapshot", f->timing.write_kind.len);
    assert_int_equal(f->timing.write_kind.len, 8);
    assert_int_equal(f->timing.node.present, 1);
    assert_true(decode(f, &cdt_replay_checkpoint, MAKE_CHECKPOINT));
    assert_int_equal(f->checkpoint.deaths.count, 0);
    assert_int_equal(f->checkpoint.perk.pending_count, 0);
    assert_int_equal(f->checkpoint.perk.node.present, 0);
    assert_int_equal(f->checkpoint.events.hit_head.count, 0);
    assert_false(ras_cdt_has(&f->checkpoint.node, RAS_CDT_CHECKPOINT_TYPO));
    const char *more = "{'tick_index':0,'rng_state':1,'elapsed_ms':16,'score_xp':0,'kills':0,"
                       "'creature_count':0,'perk_pending':0,'players':[],'bonus_timers':{},"
                       "'deaths':[{'creature_index':1,'type_id':2,'reward_value':3,"
                       "'xp_awarded':4}],'tutorial':{}}";
    assert_true(decode(f, &cdt_replay_checkpoint, more));
    assert_int_equal(f->checkpoint.deaths.at[0].owner_id, -1);
    assert_true(ras_cdt_has(&f->checkpoint.node, RAS_CDT_CHECKPOINT_TUTORIAL));
    assert_int_equal(f->checkpoint.tutorial.stage_index, -1);
    assert_int_equal(f->checkpoint.tutorial.stage_transition_timer_ms, -1000);
    assert_int_equal(f->checkpoint.tutorial.hint_index, -1);
    refused(f, &cdt_rng_stream_row, RNG("'value_15':2"), "missing required key 'tick_call_index'",
            "$");
}

static void meta_with_and_without_status(void **state)
{
    struct fixture *f = *state;
    assert_true(decode(f, &cdt_trace_meta, MAKE_META));
    assert_false(ras_cdt_has(&f->meta.node, RAS_CDT_META_STATUS));
    assert_memory_equal(f->meta.producer.impl.at, "zig", 3);
    char text[1000];
    snprintf(text, sizeof text, "%.*s,'status':{}}", (int)strlen(MAKE_META) - 1, MAKE_META);
    assert_true(decode(f, &cdt_trace_meta, text));
    assert_true(ras_cdt_has(&f->meta.node, RAS_CDT_META_STATUS));
    assert_int_equal(f->meta.status.weapon_usage_counts[52].value, 0);
    assert_int_equal(f->meta.status.unknown_tail.len, 16);
    assert_int_equal(f->meta.status.unknown_tail.at[15], 0);
    snprintf(text, sizeof text, "%.*s,'status':{'weapon_usage_counts':[1,2]}}",
             (int)strlen(MAKE_META) - 1, MAKE_META);
    refused(f, &cdt_trace_meta, text, "expected array of length 53, got 2",
            "$.status.weapon_usage_counts");
    snprintf(text, sizeof text, "%.*s,'status':{'unknown_tail':'text'}}",
             (int)strlen(MAKE_META) - 1, MAKE_META);
    refused(f, &cdt_trace_meta, text, "expected bytes, got str", "$.status.unknown_tail");
    snprintf(text, sizeof text, "%.*s,'x':1}", (int)strlen(MAKE_META) - 1, MAKE_META);
    refused(f, &cdt_trace_meta, text, "unknown key 'x'", "$");
}

static void counts_must_not_be_negative(void **state)
{
    struct fixture *f = *state;
    struct out o = {0};
    out_format(&o, "%.*s,'status':{'weapon_usage_counts':[", (int)strlen(MAKE_META) - 1, MAKE_META);
    for (int i = 0; i < 53; i++)
        out_format(&o, "%s%d", i ? "," : "", i == 7 ? -1 : i);
    out_format(&o, "]}}");
    out_byte(&o, 0);
    refused(f, &cdt_trace_meta, (const char *)o.at, "expected int >= 0, got -1",
            "$.status.weapon_usage_counts[7]");
    out_free(&o);
}

static void weapons_of_the_enum(void **state)
{
    struct fixture *f = *state;
#define PLAYER(id) "{'pos':{},'health':1,'weapon_id':" id ",'ammo':1,'experience':1,'level':1}"
    assert_true(decode(f, &cdt_replay_player_checkpoint, PLAYER("53")));
    assert_true(f->player.pos.x == 0.0 && f->player.pos.y == 0.0);
    refused(f, &cdt_replay_player_checkpoint, PLAYER("54"), "invalid enum value 54", "$.weapon_id");
    refused(f, &cdt_replay_player_checkpoint, PLAYER("-1"), "invalid enum value -1", "$.weapon_id");
    refused(f, &cdt_replay_player_checkpoint, "{'pos':[1,2]}", "expected object, got array",
            "$.pos");
}

static void strings_are_utf8(void **state)
{
    struct fixture *f = *state;
    assert_true(decode(f, &cdt_timing_sample_row, "{'tick_index':0,'phase':'h\xc3\xa4nk'}"));
    assert_int_equal(f->timing.phase.len, 5);
    refused(f, &cdt_timing_sample_row, "{'phase':<a2c328>}", "invalid UTF-8 in a str of 2 bytes",
            "$.phase");
    refused(f, &cdt_timing_sample_row, "{'phase':<c401ff>}", "expected str, got bytes", "$.phase");
    const char *longer = "{'tick_index':0,'phase':'0123456789012345678901234567890123456789'}";
    assert_true(decode(f, &cdt_timing_sample_row, longer));
    assert_int_equal(f->timing.phase.len, 40);
}

static void problems_have_a_path(void **state)
{
    struct fixture *f = *state;
    refused(f, &cdt_tick_block,
            MAKE_BLOCK("0", "0",
                       MAKE_TICK("0") ",{'channels':{'checkpoint':{'players':[{},{'pos':1}]}}}"),
            "missing required key 'pos'", "$.ticks[1].channels.checkpoint.players[0]");
    refused(f, &cdt_tick_block,
            "{'ticks':[{'channels':{'checkpoint':{'bonus_timers':{'4':0,'9':1.5}}}}]}",
            "expected int, got float", "$.ticks[0].channels.checkpoint.bonus_timers[\"9\"]");
    refused(f, &cdt_tick_block,
            "{'ticks':[{'channels':{'checkpoint':{'perk':{'player_nonzero_counts':[[],[[1,'x']]]"
            "}}}}]}",
            "expected int, got str",
            "$.ticks[0].channels.checkpoint.perk.player_nonzero_counts[1][0][1]");
    refused(f, &cdt_tick_block, "{'ticks':7}", "expected array, got int", "$.ticks");
    refused(f, &cdt_tick_block, "[]", "expected object, got array", "$");
}

static void every_cut_is_refused(void **state)
{
    struct fixture *f = *state;
    struct out o = {0};
    struct ras_bytes whole = make(&o, MAKE_BLOCK("0", "0", MAKE_TICK("0")));
    /* Bytes after the cut must not matter: they are the rest of the value itself. */
    for (size_t n = 0; n < whole.len; n++) {
        struct ras_bytes cut = {whole.at, n};
        assert_false(cdt_decode(&cdt_tick_block, cut, &f->arena, &f->block, &f->problem));
        assert_true(f->problem.at <= n);
    }
    assert_true(cdt_decode(&cdt_tick_block, whole, &f->arena, &f->block, &f->problem));
    assert_int_equal(f->block.ticks.count, 1);
    assert_int_equal(f->block.ticks.at[0].channels.checkpoint.rng_state, 1);
    out_byte(&o, 0);
    struct ras_bytes longer = {o.at, whole.len + 1};
    assert_false(cdt_decode(&cdt_tick_block, longer, &f->arena, &f->block, &f->problem));
    assert_string_equal(f->problem.what, "1 bytes after the value");
    out_free(&o);
}

static void counts_are_checked_against_the_rest(void **state)
{
    struct fixture *f = *state;
    refused(f, &cdt_tick_block, "{'ticks':<ddffffffff>}", "array of 4294967295 in the 0 bytes left",
            "$.ticks");
    assert_false(decode(f, &cdt_tick_block, "{'x':<dfffffffff>}"));
    assert_true(f->arena.total <= 65536);
}

/* Checks offsets, sizes and keys of every struct that can be reached from `s`. */
static void check_table(const struct cdt_struct *s, unsigned *seen)
{
    static const size_t sizes[] = {
        [CDT_INT] = 8,   [CDT_WEAPON] = 8,  [CDT_FLOAT] = 8,   [CDT_BOOL] = 1,
        [CDT_STR] = 16,  [CDT_BIN] = 16,    [CDT_LIST] = 16,   [CDT_STRS] = 16,
        [CDT_INTS] = 16, [CDT_COUNTS] = 16, [CDT_TIMERS] = 16,
    };
    size_t end = s->plain ? 0 : sizeof(struct ras_cdt_node);
    assert_true(s->count <= 32);
    for (unsigned i = 0; i < s->count; i++) {
        const struct cdt_field *f = &s->fields[i];
        assert_int_equal(f->head, 0xa0 | strlen(f->name));
        assert_true(f->offset >= end); /* members are in the order of the keys and do not overlap */
        end = f->offset + (size_t)f->size;
        if (f->type == CDT_STRUCT)
            assert_int_equal(f->size, f->of->size);
        else if (f->type == CDT_FIXED || f->type == CDT_FIXED_POS)
            assert_int_equal(f->size, f->fixed * sizeof(struct ras_cdt_int));
        else
            assert_int_equal(f->size, sizes[f->type]);
        assert_true(f->need != CDT_NULLABLE || !s->plain); /* nil is recorded in the node */
        if (f->of)
            check_table(f->of, seen);
    }
    assert_true(end <= s->size);
    ++*seen;
}

static void tables_fit_their_structs(void **state)
{
    (void)state;
    unsigned seen = 0;
    check_table(&cdt_trace_meta, &seen);
    check_table(&cdt_trace_footer, &seen);
    check_table(&cdt_tick_block, &seen);
    /* 33 structs; the two vectors are reached more than once: by one player, three hit vectors, one
     * sim player, and seven vectors of samples. */
    assert_int_equal(seen, 33 - 2 + 4 + 8);
    assert_int_equal(cdt_struct_least(&cdt_rng_stream_row), 1 + 16 + 1 + 9 + 1 + 17 + 1 + 16 + 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(keys_in_any_order_and_encoding),
        TEST(absent_and_nil_are_the_same),
        TEST(last_of_duplicate_keys_wins),
        TEST(unknown_keys_by_struct),
        TEST(ints_of_every_width),
        TEST(floats_and_ints_for_floats),
        TEST(defaults_where_the_tables_have_them),
        TEST(meta_with_and_without_status),
        TEST(counts_must_not_be_negative),
        TEST(weapons_of_the_enum),
        TEST(strings_are_utf8),
        TEST(problems_have_a_path),
        TEST(every_cut_is_refused),
        TEST(counts_are_checked_against_the_rest),
        TEST(tables_fit_their_structs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
