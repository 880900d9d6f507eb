/* peer_tracepoint.h - the event of peer_events.c as a tracepoint of LTTng-UST, which reads this
 * file several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER rastrum_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./peer_tracepoint.h"
#if !defined(PEER_TRACEPOINT_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define PEER_TRACEPOINT_H
#include <lttng/tracepoint.h>
/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(rastrum_bench, frame_drawn,
    LTTNG_UST_TP_ARGS(unsigned long, frame, double, milliseconds),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(unsigned long, frame, frame)
        lttng_ust_field_float(double, milliseconds, milliseconds)))
/* clang-format on */
#endif
#include <lttng/tracepoint-event.h>
