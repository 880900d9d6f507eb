/* record_events.c - record events of a schema of one's own, and a word between them.
 *
 *   record_events DIRECTORY */
#include <rastrum/dial9.h>
#include <rastrum/record.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    static const struct ras_dial9_field fields[] = {{"frame", RAS_DIAL9_VARINT},
                                                    {"milliseconds", RAS_DIAL9_F64}};
    static const struct ras_dial9_schema schema = {"FrameDrawn", fields, 2, true};
    const struct ras_record_options options = {.exact = argc > 1 ? argv[1] : "frames.session"};
    struct ras_error err;
    uint32_t id;
    if (ras_event_schema(&schema, &id, &err) < 0 || ras_record_start(&options, &err) < 0) {
        fprintf(stderr, "record_events: %s\n", err.text);
        return 2;
    }
    ras_marker("the first frame comes");
    for (unsigned frame = 0; frame < 100; frame++) {
        struct ras_dial9_value values[2] = {{.type = RAS_DIAL9_VARINT}, {.type = RAS_DIAL9_F64}};
        values[0].u = frame;
        values[1].f64 = 16.5 + frame % 3;
        if (!ras_event(id, values, 2))
            fprintf(stderr, "record_events: frame %u was dropped\n", frame);
    }
    if (ras_record_stop(&err) < 0) {
        fprintf(stderr, "record_events: %s\n", err.text);
        return 2;
    }
    printf("%s/events.trc\n", ras_record_dir());
    return 0;
}
