/* murk_play_test.c - executed replays: arrival numbers, and one compared with another. */
#include <rastrum/replay.h>

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { COMMANDS = 3, TICKS = 4 };

static const char recipe[] = "murkworld 1 murk-0.1.9\nspace line1d 4 wrap\ndt 3ff0000000000000\n"
                             "field kept sparse 1\nfield one pertick 1\nprop const 1 3f800000\n";
static const char wider[] = "murkworld 1 murk-0.1.9\nspace line1d 5 wrap\ndt 3ff0000000000000\n"
                            "field kept sparse 1\nfield one pertick 1\nprop const 1 3f800000\n";

struct ordering {
    const char *keys; /* one letter per command: the same letter is the same key */
    uint64_t arrivals[COMMANDS];
    bool reordered;
};

static struct ras_bytes text(const char *of)
{
    return (struct ras_bytes){(const uint8_t *)of, strlen(of)};
}

/* One tick with these commands, the last of `ticks`; hashes are arbitrary. */
static struct ras_sink *write_replay(const char *of, const struct ras_murk_command *commands,
                                     uint32_t count, uint64_t ticks)
{
    struct ras_sink *sink;
    struct ras_murk_writer *writer;
    struct ras_murk_header header = {.version = RAS_MURK_VERSION,
                                     .field_count = 2,
                                     .cell_count = of == wider ? 5 : 4,
                                     .space_descriptor = text(of)};
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_murk_writer_open(&writer, sink, &header, NULL), RAS_OK);
    for (uint64_t tick = 1; tick <= ticks; tick++)
        assert_int_equal(
            ras_murk_writer_frame(writer, tick, commands, tick == ticks ? count : 0, 7, NULL),
            RAS_OK);
    assert_int_equal(ras_murk_writer_close(writer, NULL), RAS_OK);
    return sink;
}

static int execute(struct ras_replay **out, struct ras_sink *sink, struct ras_sink *against,
                   struct ras_error *err)
{
    struct ras_replay_options how = {.worlds = ras_worlds(), .keep_going = !against};
    struct ras_trace *trace;
    struct ras_bytes bytes = ras_sink_bytes(sink);
    assert_int_equal(ras_open_memory(&trace, bytes.at, bytes.len, NULL, NULL), RAS_OK);
    if (against) {
        bytes = ras_sink_bytes(against);
        assert_int_equal(ras_open_memory(&how.against, bytes.at, bytes.len, NULL, NULL), RAS_OK);
    }
    int status = ras_replay(out, trace, &how, err);
    ras_close(trace);
    ras_close(how.against);
    return status;
}

static struct ras_murk_command despawn(char key)
{
    static const uint8_t payload[8];
    struct ras_murk_command c = {.payload_type = RAS_MURK_DESPAWN, .payload = {payload, 8}};
    c.priority_class = key >= 'a' ? 1 : 0;
    c.has_source_id = key == 'S' || key == 's';
    c.source_id = c.has_source_id ? 3 : 0;
    c.has_source_seq = key != 'N'; /* n and N have no source: the sequence does not count */
    c.source_seq = c.has_source_seq ? 1 : 0;
    return c;
}

static void arrival_numbers_matter_between_equal_keys(void **state)
{
    static const struct ordering rows[] = {
        {"NNN", {0, 1, 2}, false}, {"NNN", {0, 0, 0}, false}, {"NNN", {1, 0, 2}, true},
        {"NSN", {0, 2, 1}, false}, {"NSN", {5, 4, 3}, true},  {"NSs", {5, 4, 3}, false},
        {"NOn", {5, 4, 9}, true}, /* O: no source, but a sequence */
        {"SSN", {9, 3, 4}, true},  {"sSN", {9, 3, 2}, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ras_murk_command commands[COMMANDS];
        struct ras_replay *replay;
        for (unsigned k = 0; k < COMMANDS; k++) {
            commands[k] = despawn(rows[i].keys[k]);
            commands[k].arrival_seq = rows[i].arrivals[k];
        }
        struct ras_sink *sink = write_replay(recipe, commands, COMMANDS, 1);
        assert_int_equal(execute(&replay, sink, NULL, NULL), RAS_OK);
        if (replay->reordered != rows[i].reordered)
            fail_msg("%s", rows[i].keys);
        ras_replay_free(replay);
        ras_sink_drop(sink);
    }
}

/* Notes about the replay to compare with do not count against the executed one. */
static void the_other_recording_is_checked_separately(void **state)
{
    const struct ras_murk_command broken = {.payload_type = RAS_MURK_DESPAWN,
                                            .payload = {(const uint8_t *)"abc", 3}};
    struct ras_replay *replay;
    struct ras_error err = {0};
    (void)state;
    struct ras_sink *main = write_replay(recipe, NULL, 0, TICKS);
    struct ras_sink *same = write_replay(recipe, NULL, 0, 1);
    struct ras_sink *bad = write_replay(recipe, &broken, 1, 1);
    struct ras_sink *other = write_replay(wider, NULL, 0, TICKS);
    assert_int_equal(execute(&replay, main, same, NULL), RAS_OK);
    assert_int_equal(replay->verdict, RAS_REPLAY_MISMATCH);
    assert_int_equal(replay->against_ticks, 1);
    assert_int_equal(replay->differences, 0);
    ras_replay_free(replay);
    assert_int_equal(execute(&replay, main, bad, &err), RAS_EFORMAT);
    assert_non_null(strstr(err.text, "the recording to compare with: tick 1: command 0: "));
    assert_int_equal(execute(&replay, main, other, &err), RAS_EUSAGE);
    assert_non_null(strstr(err.text, "2 fields of 5 cells, not murk-0.1.9, 2 of 4"));
    ras_sink_drop(main);
    ras_sink_drop(same);
    ras_sink_drop(bad);
    ras_sink_drop(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrival_numbers_matter_between_equal_keys),
        cmocka_unit_test(the_other_recording_is_checked_separately),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
