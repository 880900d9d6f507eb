/* peer_events.c - what an event costs its program: a number and a real, recorded a million times by
 * librastrum-record or, with -DLTTNG, by LTTng-UST. Prints CPU ns an event.
 *
 *   peer_events DIRECTORY */
#include <stdio.h>
#include <time.h>

enum { EVENTS = 1000000 };

#ifdef LTTNG
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "peer_tracepoint.h"

static int begin(const char *dir)
{
    (void)dir; /* of the session that the daemon keeps */
    return 0;
}

static void event(unsigned frame)
{
    lttng_ust_tracepoint(rastrum_bench, frame_drawn, (unsigned long)frame, 16.5 + frame % 3);
}

static int end(void)
{
    return 0;
}
#else
#include <rastrum/dial9.h>
#include <rastrum/record.h>

static uint32_t id;

static int begin(const char *dir)
{
    static const struct ras_dial9_field fields[] = {{"frame", RAS_DIAL9_VARINT},
                                                    {"milliseconds", RAS_DIAL9_F64}};
    static const struct ras_dial9_schema schema = {"FrameDrawn", fields, 2, true};
    const struct ras_record_options options = {.exact = dir};
    return ras_event_schema(&schema, &id, NULL) < 0 || ras_record_start(&options, NULL) < 0;
}

static void event(unsigned frame)
{
    struct ras_dial9_value values[2] = {{.type = RAS_DIAL9_VARINT}, {.type = RAS_DIAL9_F64}};
    values[0].u = frame;
    values[1].f64 = 16.5 + frame % 3;
    (void)ras_event(id, values, 2);
}

static int end(void)
{
    return ras_record_stop(NULL) < 0;
}
#endif

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    if (begin(argc > 1 ? argv[1] : "events"))
        return 2;
    event(0); /* the first one makes what the thread needs */
    double start = cpu_ns();
    for (unsigned i = 1; i < EVENTS; i++)
        event(i);
    printf("%.2f\n", (cpu_ns() - start) / (EVENTS - 1));
    return end() ? 2 : 0;
}
