/* curl_calls.h - the functions of libcurl that are called, loaded when a URL is opened: it brings
 * thirty libraries, and they would double the time that every other command takes to start. */
#ifndef REMOTE_CURL_CALLS_H
#define REMOTE_CURL_CALLS_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stdbool.h>

#define CURL_CALLS(ROW)                                                                            \
    ROW(easy_cleanup)                                                                              \
    ROW(easy_getinfo)                                                                              \
    ROW(easy_init)                                                                                 \
    ROW(easy_perform)                                                                              \
    ROW(easy_reset)                                                                                \
    ROW(easy_setopt)                                                                               \
    ROW(easy_strerror)                                                                             \
    ROW(slist_append)                                                                              \
    ROW(slist_free_all)

struct curl_calls {
#define CURL_MEMBER(name) __typeof__(curl_##name) *name;
    CURL_CALLS(CURL_MEMBER)
#undef CURL_MEMBER
};
#endif
