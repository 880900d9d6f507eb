/* http_rules.h - which requests are answered: the rules of docs/viewer.md, without a socket. */
#ifndef VIEW_HTTP_HTTP_RULES_H
#define VIEW_HTTP_HTTP_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HTTP_BODY_MOST = 64 * 1024,
    HTTP_URI_MOST = 32 * 1024,
    HTTP_HEADERS_MOST = 32 * 1024,
    HTTP_TOKEN_DIGITS = 32,
};

/* The server: where it is, and its secret. */
struct http_place {
    uint16_t port;
    bool ipv6;
    char token[HTTP_TOKEN_DIGITS + 1];
};

/* What a request has; NULL: no such header. */
struct http_seen {
    const char *method, *uri;
    const char *host, *origin, *site, *token;
    bool has_nul;        /* the address goes on after a NUL */
    unsigned hosts;      /* how many headers of that name there are */
    size_t header_bytes; /* of all names and values */
};

/* 0: it is answered; else the status by which it is refused, and a sentence. */
int http_refusal(const struct http_place *place, const struct http_seen *seen, const char **why);
/* Whether the path is one of the view, whose requests have the token. */
bool http_is_view(const char *uri);
#endif
