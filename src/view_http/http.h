/* http.h - a view over HTTP, on the loopback interface alone.
 *
 * One thread does everything: http_run() takes requests, and builds between two of them. */
#ifndef VIEW_HTTP_HTTP_H
#define VIEW_HTTP_HTTP_H

#include <rastrum/view.h>

struct http_options {
    uint16_t port;         /* 0: the system chooses one */
    bool ipv6;             /* on ::1, too */
    bool follow;           /* traces grow: check them several times a second */
    unsigned idle_minutes; /* end after so long without a request; 0: never */
    bool (*ended)(void);   /* whether a signal ends it */
};

struct http;
/* RAS_EUNSUPPORTED: this build has no server. The view must outlive it. */
int http_open(struct http **out, struct ras_view *view, const struct http_options *options,
              struct ras_error *err) RAS_CHECKED;
void http_close(struct http *http); /* NULL is fine */

/* Where a browser finds it, with the token; as long as `http`. */
const char *http_url(const struct http *http);
/* Until `ended`, or idle for too long. */
int http_run(struct http *http, struct ras_error *err) RAS_CHECKED;
#endif
