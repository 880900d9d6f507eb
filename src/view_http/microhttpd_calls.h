/* microhttpd_calls.h - the functions of libmicrohttpd that are called, loaded when a server starts:
 * it brings ten libraries, and they would double the time that every other command takes to start.
 */
#ifndef VIEW_HTTP_MICROHTTPD_CALLS_H
#define VIEW_HTTP_MICROHTTPD_CALLS_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

#define MICROHTTPD_CALLS(ROW)                                                                      \
    ROW(add_response_header)                                                                       \
    ROW(create_response_from_buffer)                                                               \
    ROW(destroy_response)                                                                          \
    ROW(get_connection_info)                                                                       \
    ROW(get_connection_values)                                                                     \
    ROW(get_daemon_info)                                                                           \
    ROW(get_timeout)                                                                               \
    ROW(queue_response)                                                                            \
    ROW(run_wait)                                                                                  \
    ROW(start_daemon)                                                                              \
    ROW(stop_daemon)

struct microhttpd_calls {
#define MICROHTTPD_MEMBER(name) __typeof__(MHD_##name) *name;
    MICROHTTPD_CALLS(MICROHTTPD_MEMBER)
#undef MICROHTTPD_MEMBER
};

extern struct microhttpd_calls mhd;

/* Once is enough; the library stays. False: `why` says what is missing. */
bool microhttpd_load(char *why, size_t room);
#endif
