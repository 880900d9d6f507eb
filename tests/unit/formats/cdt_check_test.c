/* cdt_check_test.c - every rule of a CDT trace, broken once and separately.
 *
 * A valid trace is changed in one place; verify, strict and deep, must report that and nothing
 * else. */
#include "cdt_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#define TIMING(index, mode)                                                                        \
    "{'tick_index':" index ",'gameplay_frame':0,'phase':'gpur_enter','frame_dt_f32':0.5,"          \
    "'frame_dt_ms_i32':15,'frame_dt_ms_f32':15.0,'time_scale_active_entry':false,"                 \
    "'time_scale_active_current':true,'time_scale_factor':0.5,'bonus_reflex_boost_timer':0.0,"     \
    "'mode_fn':" mode "}"
#define RNG(index, value, before, after)                                                           \
    "{'tick_call_index':" index ",'value_15':" value ",'state_before_u32':" before                 \
    ",'state_after_u32':" after "}"
#define BONUS(uid, kind)                                                                           \
    "{'uid':" uid ",'generation':1,'pool_kind':" kind ",'index':1,'active':true,'bonus_id':9,"     \
    "'picked':false,'time_left':0.5,'time_max':1.0,'pos':{'x':0.0,'y':0.0},'amount':0}"
#define PLAYER "{'pos':{},'health':1,'weapon_id':1,'ammo':1,'experience':1,'level':1}"

/* The parts of a trace of one tick; NULL: as in a valid trace. */
struct parts {
    const char *meta, *players, *timers, *bonuses, *rng, *timing, *index, *elapsed, *dt, *footer;
    const char *block_end;
    int end_tick;      /* of the chunk header */
    uint8_t flags;     /* more bytes in TICK */
    bool twice;        /* the block is repeated, but not in the index */
    const char *entry; /* a second index entry, a copy of the first */
};

static const char *either(const char *part, const char *usual)
{
    return part ? part : usual;
}

static void put_block(struct out *o, const struct parts *p)
{
    struct out t = {0};
    const char *const text[] = {
        "{'start_tick':0,'end_tick':",
        either(p->block_end, "0"),
        ",'ticks':[{'tick_index':",
        either(p->index, "0"),
        ",'elapsed_ms':",
        either(p->elapsed, "16"),
        ",'dt_ms_i32':",
        either(p->dt, "16"),
        ",'mode_id':1,'channels':{'checkpoint':{'tick_index':0,'rng_state':1,"
        "'elapsed_ms':16,'score_xp':0,'kills':0,'creature_count':0,'perk_pending':0,'players':[",
        either(p->players, ""),
        "],'bonus_timers':{",
        either(p->timers, "'4':1,'9':2"),
        "}},'sim_state':{'gameplay':" MAKE_GAMEPLAY ",'players':[]},'entity_samples':{"
        "'creatures':[],'projectiles':[],'secondary_projectiles':[],'bonuses':[",
        either(p->bonuses, BONUS("1", "'bonus'") "," BONUS("2", "'bonus'")),
        "]},'rng_stream':[",
        either(p->rng, RNG("1", "28052", "2427270273", "3985917248")),
        "],'timing_samples':[",
        either(p->timing, TIMING("0", "'gameplay_update_and_render'")),
        "]}}]}"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        out_text(&t, text[i]);
    out_byte(&t, 0);
    size_t at = o->len;
    make_chunk(o, "TICK", 0, p->end_tick, (const char *)t.at);
    o->at[at + 12] |= p->flags & 0x7f;
    o->at[at + 15] |= p->flags & 0x80;
    out_free(&t);
}

/* The index entry that repeats the chunk header at `at`. */
static void put_entry(struct out *t, const struct out *o, size_t at)
{
    struct ras_cdt_chunk c;
    struct ras_bytes file = {o->at, o->len};
    assert_int_equal(ras_cdt_chunk_get(file, at, &c, NULL), RAS_OK);
    out_format(t,
               "{'start_tick':%d,'end_tick':%d,'file_offset':%zu,'compressed_len':%u,"
               "'uncompressed_len':%u,'checksum':%llu}",
               c.start_tick, c.end_tick, at, c.compressed_len, c.uncompressed_len,
               (unsigned long long)c.checksum64);
}

static void put_trace(struct out *o, const struct parts *p)
{
    struct out footer = {0};
    make_header(o);
    make_chunk(o, "META", -1, -1, either(p->meta, MAKE_META));
    size_t at = o->len;
    put_block(o, p);
    if (p->twice)
        put_block(o, p);
    out_text(&footer, "{'tick_blocks':[");
    put_entry(&footer, o, at);
    if (p->entry) {
        out_byte(&footer, ',');
        put_entry(&footer, o, at);
    }
    out_text(&footer, either(p->footer, "],'tick_count':1,'first_tick':0,'last_tick':0}"));
    out_byte(&footer, 0);
    size_t last = o->len;
    make_chunk(o, "FOTR", -1, -1, (const char *)footer.at);
    out_text(o, RAS_CDT_TRAILER_MAGIC);
    make_le(o, last, 8);
    out_free(&footer);
}

/* Verifies the bytes; the rules found must be `want`, in order, separated by blanks. */
static void finds_in(const struct out *o, const char *dialect, const char *want)
{
    struct ras_options options = {.dialect = dialect};
    struct ras_verify_options all = {.strict = true, .deep = true};
    struct ras_trace *t;
    struct ras_report *report;
    struct ras_error err;
    char found[400] = "";
    assert_int_equal(ras_open_memory(&t, o->at, o->len, &options, &err), RAS_OK);
    assert_int_equal(ras_verify(&report, t, &all, &err), RAS_OK);
    for (size_t i = 0; i < report->finding_count; i++) {
        size_t n = strlen(found);
        snprintf(found + n, sizeof found - n, "%s%s", n ? " " : "",
                 report->findings[i].rule->id + strlen("cdt."));
        assert_true(report->findings[i].offset + report->findings[i].length <= o->len);
    }
    assert_string_equal(found, want);
    ras_report_free(report);
    ras_close(t);
}

static void finds(const struct parts *p, const char *want)
{
    struct out o = {0};
    put_trace(&o, p);
    finds_in(&o, NULL, want);
    out_free(&o);
}

#define FINDS(want, ...) finds(&(struct parts){__VA_ARGS__}, want)

static void a_good_trace(void **state)
{
    (void)state;
    FINDS("", .players = NULL);
}

static void ticks(void **state)
{
    (void)state;
    FINDS("checkpoint.tick tick.numbers", .elapsed = "-1");
    FINDS("tick.numbers", .dt = "2147483648");
    FINDS("checkpoint.tick", .elapsed = "17");
    FINDS("block.range", .block_end = "1", .end_tick = 1,
          .footer = "],'tick_count':1,'first_tick':0,'last_tick':0}");
    FINDS("chunk.ticks", .end_tick = 1);
    FINDS("meta.range block.range checkpoint.tick timing.tick footer.range", .index = "3");
}

static void channels(void **state)
{
    (void)state;
    FINDS("checkpoint.timers", .timers = "'4':1,'9':2,'4':3");
    FINDS("sim.players", .players = PLAYER);
    FINDS("entity.uid",
          .bonuses = BONUS("7", "'bonus'") "," BONUS("2", "'bonus'") "," BONUS("7", "'bonus'"));
    FINDS("", .bonuses = BONUS("7", "'bonus'") "," BONUS("2", "'bonus'"));
    FINDS("entity.pool", .bonuses = BONUS("7", "'creature'"));
    FINDS("rng.index", .rng = RNG("0", "28052", "2427270273", "3985917248"));
    FINDS("rng.numbers", .rng = RNG("1", "32768", "2427270273", "3985917248"));
    FINDS("rng.numbers", .rng = RNG("1", "28052", "4294967296", "3985917248"));
    FINDS("rng.lcg", .rng = RNG("1", "28053", "2427270273", "3985917248"));
    FINDS("rng.lcg", .rng = RNG("1", "28052", "2427270274", "3985917248"));
}

static void timing(void **state)
{
    (void)state;
    FINDS("timing.enter", .timing = "");
    FINDS("timing.enter", .timing = "{'tick_index':0,'phase':'other'}");
    FINDS("timing.minimum", .timing = TIMING("0", "'another'"));
    FINDS("timing.minimum", .timing = TIMING("0", "null"));
    FINDS("timing.tick", .timing = TIMING("1", "'gameplay_update_and_render'"));
}

static void meta(void **state)
{
    (void)state;
#define META(format, impl, count)                                                                  \
    "{'trace_format_version':" format ",'trace_schema_version':12,'created_utc':'','producer':{"   \
    "'impl':" impl "},'source':{},'tick_range':{'start_tick':0,'end_tick':0,'tick_count':" count   \
    "}}"
    FINDS("meta.format", .meta = META("7", "'zig'", "1"));
    FINDS("meta.range", .meta = META("1", "'zig'", "2"));
    FINDS("meta.dialect", .meta = META("1", "'odin'", "1"));
    FINDS("meta.decode", .meta = "{'trace_schema_version':12}");
    FINDS("meta.format meta.schema", .meta = "{'trace_schema_version':13}");
}

static void footer(void **state)
{
    (void)state;
    FINDS("footer.count", .footer = "],'tick_count':2,'first_tick':0,'last_tick':0}");
    FINDS("footer.range", .footer = "],'tick_count':1,'first_tick':0,'last_tick':9}");
    FINDS("footer.decode", .footer = "],'tick_count':1.5,'first_tick':0,'last_tick':0}");
    FINDS("index.order", .entry = "again");
    FINDS("meta.range index.missing tick.duplicate footer.count", .twice = true);
}

static void flags_and_dialects(void **state)
{
    (void)state;
    struct out o = {0};
    FINDS("chunk.reserved", .flags = 0x40);
    FINDS("chunk.reserved", .flags = 0x80);
    put_trace(&o, &(struct parts){0});
    finds_in(&o, "zig", "");
    finds_in(&o, "python", "chunk.zstd meta.dialect chunk.zstd chunk.zstd");
    finds_in(&o, "frida", "chunk.zstd meta.dialect chunk.zstd chunk.zstd");
    o.at[27 + 4] = 0; /* META's start_tick */
    finds_in(&o, NULL, "chunk.ticks");
    out_free(&o);
}

static void chunks(void **state)
{
    (void)state;
    struct out o = {0};
    put_trace(&o, &(struct parts){0});
    memcpy(o.at + 27, "TICK", 4);
    finds_in(&o, NULL, "block.decode index.missing meta.chunk");
    memcpy(o.at + 27, "METB", 4);
    finds_in(&o, NULL, "chunk.kind");
    memcpy(o.at + 27, "META", 4);
    o.at[27 + 40] ^= 1;
    finds_in(&o, NULL, "chunk.checksum");
    o.at[27 + 40] ^= 1;
    o.at[27 + 12] = 0;
    finds_in(&o, NULL, "chunk.payload");
    o.at[27 + 12] = 2;
    finds_in(&o, NULL, "");
    o.len -= 16;
    finds_in(&o, NULL, "trailer.missing");
    out_free(&o);
}

/* A payload in a zstd frame of one raw block, and bytes after the frame. */
static void bytes_after_a_frame(void **state)
{
    (void)state;
    struct out o = {0}, made = {0};
    struct ras_bytes meta = make(&made, MAKE_META);
    make_header(&o);
    out_text(&o, "META");
    make_le(&o, UINT64_MAX, 8);
    make_le(&o, 3, 4);
    make_le(&o, meta.len + 9 + 4, 4);
    make_le(&o, meta.len, 4);
    make_le(&o, blake2b64(meta.at, meta.len), 8);
    make_le(&o, 0xfd2fb528, 4);
    make_le(&o, 0x20 | meta.len << 8, 2);
    make_le(&o, meta.len << 3 | 1, 3);
    out_bytes(&o, meta.at, meta.len);
    out_text(&o, "more");
    finds_in(&o, "python", "chunk.trailing meta.dialect trailer.missing tick.none");
    out_free(&o);
    out_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_trace),
        cmocka_unit_test(ticks),
        cmocka_unit_test(channels),
        cmocka_unit_test(timing),
        cmocka_unit_test(meta),
        cmocka_unit_test(footer),
        cmocka_unit_test(chunks),
        cmocka_unit_test(flags_and_dialects),
        cmocka_unit_test(bytes_after_a_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
