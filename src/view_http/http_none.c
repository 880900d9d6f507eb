/* http_none.c - a build without libmicrohttpd: there is no server. */
#include "view_http/http.h"

#include <stdio.h>

int http_open(struct http **out, struct ras_view *view, const struct http_options *options,
              struct ras_error *err)
{
    (void)view, (void)options;
    *out = NULL;
    *err = (struct ras_error){.status = RAS_EUNSUPPORTED, .offset = RAS_NONE};
    snprintf(err->text, sizeof err->text, "this build has no server: it lacks libmicrohttpd");
    return err->status;
}

void http_close(struct http *http)
{
    (void)http;
}

const char *http_url(const struct http *http)
{
    (void)http;
    return "";
}

int http_run(struct http *http, struct ras_error *err)
{
    (void)http, (void)err;
    return RAS_EUNSUPPORTED;
}
