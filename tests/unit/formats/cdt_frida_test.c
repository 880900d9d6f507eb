/* cdt_frida_test.c - captures in memory: their traces, and captures cut or changed anywhere. */
#include "faults.h"
#include "frida_make.h"
#include <rastrum/cdt.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

struct outcome {
    struct ras_cdt_finalized *said;
    struct ras_folder *folder;
    const struct ras_part *parts;
    size_t count;
};

static struct outcome finalize(const void *text, size_t size)
{
    const struct ras_cdt_finalize_options how = {.created_ns = 1000000000};
    struct outcome o;
    struct ras_error err;
    assert_int_equal(ras_folder_memory(&o.folder, &err), RAS_OK);
    assert_int_equal(ras_cdt_finalize_memory(&o.said, (struct ras_bytes){text, size}, "raw.jsonl",
                                             o.folder, &how, &err),
                     RAS_OK);
    o.parts = ras_folder_parts(o.folder, &o.count);
    return o;
}

static void release(struct outcome *o)
{
    ras_cdt_finalized_free(o->said);
    ras_folder_drop(o->folder);
}

static void refused(const char *text, const char *why)
{
    struct outcome o = finalize(text, strlen(text));
    assert_non_null(o.said->refusal);
    assert_string_equal(o.said->refusal, why);
    release(&o);
}

/* ---- results --------------------------------------------------------------------------- */

static void capture_becomes_a_trace(void **state)
{
    (void)state;
    char text[8192];
    struct outcome o = finalize(text, frida_capture(text));
    struct ras_cdt *cdt;
    const struct ras_cdt_tick_record *tick;
    assert_null(o.said->refusal);
    assert_int_equal(o.said->run_count, 1);
    assert_int_equal(o.count, 2);
    assert_string_equal(o.said->runs[0].trace, "raw.survival.run1.cdt");
    assert_int_equal(ras_cdt_open(&cdt, o.parts[0].bytes.at, o.parts[0].bytes.len, NULL, NULL),
                     RAS_OK);
    const struct ras_cdt_trace_meta *meta = ras_cdt_meta(cdt);
    assert_memory_equal(meta->created_utc.at, "1970-01-01T00:00:01+00:00", 25);
    assert_int_equal(meta->status.mode_play_rush, 3);
    assert_int_equal(meta->status.unknown_tail.len, 3);
    assert_int_equal(meta->source.quest_stage_minor, 5);
    assert_int_equal(ras_cdt_tick_at(cdt, 1, &tick, NULL), RAS_OK);
    const struct ras_cdt_replay_tick_channels *c = &tick->channels;
    assert_int_equal(c->checkpoint.tick_index, 1);
    assert_int_equal(c->checkpoint.bonus_timers.count, 2);
    assert_int_equal(c->checkpoint.bonus_timers.at[0].value.value,
                     3); /* the last one, in first place */
    assert_int_equal(c->sim_state.gameplay.quest_stage_major, 0);
    assert_int_equal(c->timing_samples.at[0].gameplay_frame, 1);
    assert_true(c->timing_samples.at[0].frame_dt_ms_f32 == 16.0);
    assert_memory_equal(c->timing_samples.at[0].mode_fn.at, "gameplay_update_and_render", 26);
    assert_false(ras_cdt_has(&c->entity_samples.creatures.at[0].node, RAS_CDT_CREATURE_VEL));
    assert_true(1 / c->entity_samples.creatures.at[0].pos.y < 0); /* -0.0 keeps its sign */
    ras_cdt_close(cdt);
    release(&o);
}

static void caller_is_hexadecimal_text(void **state)
{
#define ROW(caller)                                                                                \
    "{\"tick_call_index\":1,\"value_15\":2,\"state_before_u32\":7,\"state_after_u32\":7,"          \
    "\"caller_static\":" caller "}"
#define WITH(caller) FRIDA_SESSION("14") FRIDA_RUN FRIDA_TICK_WITH("0.5", "1", ROW(caller))
    static const struct {
        const char *text;
        int64_t caller;
    } good[] = {{WITH("\"0x00430b88\""), 0x430b88},
                {WITH("\"0XfFfFfFfF\""), 0xffffffff},
                {WITH("\"0x1_0 \\t\""), 0x10},
                {WITH("\"0x_1\""), 1},
                {WITH("\"0x000000000000000000000001\""), 1}};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct outcome o = finalize(good[i].text, strlen(good[i].text));
        struct ras_cdt *cdt;
        const struct ras_cdt_tick_record *tick;
        assert_null(o.said->refusal);
        assert_int_equal(ras_cdt_open(&cdt, o.parts[0].bytes.at, o.parts[0].bytes.len, NULL, NULL),
                         RAS_OK);
        assert_int_equal(ras_cdt_tick_next(cdt, &tick, NULL), RAS_OK);
        assert_int_equal(tick->channels.rng_stream.at[0].caller, good[i].caller);
        ras_cdt_close(cdt);
        release(&o);
    }
#define AT "raw.jsonl.lines[3].channels.rng_stream[0].caller_static "
    refused(WITH("\"430b88\""), AT "must be a 0x-prefixed hex string");
    refused(WITH("\"\""), AT "must be a 0x-prefixed hex string");
    refused(WITH("\"0x\""), AT "invalid hex value: '0x'");
    refused(WITH("\"0x1__0\""), AT "invalid hex value: '0x1__0'");
    refused(WITH("\"0x1_\""), AT "invalid hex value: '0x1_'");
    refused(WITH("\"0x'\\\"\""), AT "invalid hex value: '0x\\'\"'");
    refused(WITH("\"0x100000000\""), AT "must decode to a uint32");
    refused(WITH("\"0xffffffffffffffffffffffff\""), AT "must decode to a uint32");
#undef AT
}

/* ---- numbers ---------------------------------------------------------------------------- */

#define UNSERVED "; expected one of [13, 14, 15, 28, 29]: "

static void numbers_equal_those_of_the_reference(void **state)
{
#define BAD      "raw.jsonl.lines[3] invalid capture row: "
#define DT(text) FRIDA_SESSION("14") FRIDA_RUN FRIDA_TICK_WITH(text, "0", "")
    static const char *const fine[] = {DT("16"), DT("1e2"), DT("-0"), DT("-0.0"),
                                       DT("123456789012345678901234567890")};
    (void)state;
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        struct outcome o = finalize(fine[i], strlen(fine[i]));
        assert_null(o.said->refusal);
        release(&o);
    }
    refused(DT("1e999"), BAD "Number out of range - at `$.dt`");
    refused(DT("true"), BAD "Expected `float`, got `bool` - at `$.dt`");
    refused(DT("\"1\""), BAD "Expected `float`, got `str` - at `$.dt`");
    refused(DT("01"), BAD "JSON is malformed: invalid number (byte 62)");
    refused(DT("NaN"), BAD "JSON is malformed: invalid character (byte 60)");
    refused(DT("-0.5"), "raw.jsonl.lines[3].dt must be finite and >= 0");
    /* Ints beyond 64 bits cannot be stored in a trace; where a value is not used they are
     * accepted. */
    refused(FRIDA_SESSION("14") FRIDA_RUN FRIDA_TICK_WITH("1", "99999999999999999999", ""),
            BAD "Integer beyond 64 bits - at `$.rng_calls`");
    refused(FRIDA_SESSION("99999999999999999999"),
            "raw.jsonl.lines[1] invalid capture row: Integer "
            "beyond 64 bits - at `$.capture_format_version`");
    refused(FRIDA_SESSION("18446744073709551615"),
            "raw.jsonl.lines[1] unsupported capture_format_version=18446744073709551615" UNSERVED
            "its rows are not known");
    refused(FRIDA_SESSION("-1"), "raw.jsonl.lines[1] unsupported capture_format_version=-1" UNSERVED
                                 "older than 13, the first one whose rows are known");
    refused(FRIDA_SESSION("22"), "raw.jsonl.lines[1] unsupported capture_format_version=22" UNSERVED
                                 "the structs of its ticks are not known");
}

static void rows_are_decoded_by_their_event(void **state)
{
#define FIRST "raw.jsonl.lines[1] "
    (void)state;
    refused("", "raw.jsonl missing session_start");
    refused(" \n\t\r\n\v\f", "raw.jsonl missing session_start");
    refused("{}", FIRST "invalid capture row: Object missing required field `event`");
    refused("{\"event\":1}", FIRST "invalid capture row: Expected `str` - at `$.event`");
    refused("{\"event\":\"x\"}", FIRST "invalid capture row: Invalid value 'x' - at `$.event`");
    refused("[1]", FIRST "invalid capture row: Expected `object`, got `array`");
    refused("12", FIRST "invalid capture row: Expected `object`, got `int`");
    refused("{\"event\":\"error\",\"error\":\"\"}", FIRST "must start with session_start");
    refused("{\"error\":\"\",\"event\":\"error\",\"event\":\"tick\"}",
            FIRST "invalid capture row: Invalid value 'tick' - at `$.event`");
    refused("{\"\\u0065vent\":\"error\",\"error\":\"\\u00e9\"}",
            FIRST "must start with session_start");
    refused("{\"event\":\"error\",\"error\":\"\\ud800\"}", FIRST
            "invalid capture row: JSON is malformed: invalid utf-16 surrogate pair (byte 26)");
    refused("{\"event\":\"error\",\"error\":\"\xff\"}",
            FIRST "invalid capture row: JSON is malformed: invalid UTF-8 (byte 26)");
    refused("{\"event\":\"error\",}",
            FIRST "invalid capture row: JSON is malformed: trailing comma in object (byte 17)");
    refused("{\"event\":\"error\" \"error\":\"\"}",
            FIRST "invalid capture row: JSON is malformed: invalid character (byte 17)");
    refused(FRIDA_SESSION("14") "{\"event\":\"error\",\"error\":\"it's\",\"tick_index_global\":77}",
            "raw.jsonl.lines[2] capture error=\"it's\" tick_index_global=77");
}

/* ---- cut and changed ---------------------------------------------------------------------- */

/* Every whole row counts, and an incomplete row is refused with its line. */
static void cut_anywhere(void **state)
{
    (void)state;
    char text[8192];
    size_t size = frida_capture(text), line = 0, begun = 0;
    for (size_t n = 0; n <= size; n++) {
        if (n && text[n - 1] == '\n') {
            line++;
            begun = n;
        }
        char *copy = calloc(n + 1, 1); /* lets a sanitizer see reads past the end */
        memcpy(copy, text, n);
        struct outcome o = finalize(copy, n);
        bool whole = n == begun || text[n] == '\n';
        size_t rows = line + (n != begun);
        if (!whole) {
            assert_non_null(o.said->refusal);
            assert_int_equal(o.said->line, line + 1);
            assert_int_equal(o.said->run_count, line >= 5);
        } else if (rows < 3) {
            assert_non_null(o.said->refusal);
        } else {
            assert_null(o.said->refusal);
            assert_int_equal(o.said->ticks, rows == 3 ? 1 : 2);
            assert_int_equal(o.said->run_count, 1);
        }
        release(&o);
        free(copy);
    }
}

static void trace_reads(const struct ras_part *part)
{
    struct ras_cdt *cdt;
    const struct ras_cdt_tick_record *tick;
    int status;
    if (strstr(part->name, ".json"))
        return;
    assert_int_equal(ras_cdt_open(&cdt, part->bytes.at, part->bytes.len, NULL, NULL), RAS_OK);
    while ((status = ras_cdt_tick_next(cdt, &tick, NULL)) == RAS_OK)
        continue;
    assert_int_equal(status, RAS_END);
    ras_cdt_close(cdt);
}

/* Whatever a byte is changed to, the capture is refused or its trace can be read. */
static void changed_anywhere(void **state)
{
    static const uint8_t others[] = {0, '"', '}', ',', '9', '-', '\n', '\\', 0x80};
    (void)state;
    char text[8192], copy[8192];
    size_t size = frida_capture(text);
    for (size_t i = 0; i < size; i++)
        for (size_t k = 0; k < sizeof others; k++) {
            memcpy(copy, text, size);
            copy[i] = (char)others[k];
            struct outcome o = finalize(copy, size);
            assert_true(o.said->refusal || o.said->run_count);
            for (size_t part = 0; part < o.count; part++)
                trace_reads(&o.parts[part]);
            release(&o);
        }
}

/* ---- failures ---------------------------------------------------------------------------- */

struct attempt {
    const char *capture, *folder;
};

static bool remove_at(const char *folder, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return unlink(path) == 0;
}

/* Both files are complete, or the failure was reported. */
static void to_files(void *user)
{
    const struct attempt *a = user;
    const struct ras_cdt_finalize_options how = {.out = a->folder};
    struct ras_cdt_finalized *said = NULL;
    int status = ras_cdt_finalize(&said, a->capture, &how, NULL);
    faults_stop();
    assert_true(faults_hit() || status == RAS_OK);
    assert_true(status < 0 || (!said->refusal && said->run_count == 1));
    if (status == RAS_OK) {
        struct ras_trace *t;
        struct ras_info *info;
        assert_int_equal(ras_open(&t, said->runs[0].trace, NULL, NULL), RAS_OK);
        assert_int_equal(ras_info(&info, t, NULL, NULL, NULL), RAS_OK);
        assert_int_equal(info->ending.kind, RAS_COMPLETE);
        ras_info_free(info);
        ras_close(t);
    }
    bool trace = remove_at(a->folder, "c.survival.run1.cdt");
    bool evidence = remove_at(a->folder, "c.survival.run1.rng_evidence.json");
    assert_true(status < 0 || (trace && evidence));
    assert_true(trace || !evidence);
    ras_cdt_finalized_free(said);
    (void)rmdir(a->folder);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    char folder[] = "/tmp/rastrum-frida-XXXXXX", capture[64], out[64], text[8192];
    assert_non_null(mkdtemp(folder));
    snprintf(capture, sizeof capture, "%s/c.jsonl", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    FILE *file = fopen(capture, "wb");
    size_t size = frida_capture(text);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
    faults_everywhere(to_files, &(struct attempt){capture, out});
    assert_int_equal(unlink(capture), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capture_becomes_a_trace),
        cmocka_unit_test(caller_is_hexadecimal_text),
        cmocka_unit_test(numbers_equal_those_of_the_reference),
        cmocka_unit_test(rows_are_decoded_by_their_event),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(changed_anywhere),
        cmocka_unit_test(every_call_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
