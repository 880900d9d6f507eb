/* http_rules.c - requests that are refused: by method, bytes, host, origin and token.
 *
 * Another site in the same browser can send requests to this port, and can make its own name
 * resolve to this address: hence Host and Origin. It cannot send the header of the token without a
 * preflight, which is refused. */
#include "view_http/http_rules.h"

#include <stdio.h>
#include <string.h>

/* "127.0.0.1:PORT" and the like, after `scheme`. */
static bool names_place(const struct http_place *place, const char *scheme, const char *text)
{
    static const char *const hosts[] = {"127.0.0.1", "localhost", "[::1]"};
    size_t count = place->ipv6 ? 3 : 2;
    for (size_t i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s:%u", scheme, hosts[i], (unsigned)place->port);
        if (!strcmp(name, text))
            return true;
    }
    return false;
}

/* The time it takes does not depend on where the two differ. */
static bool equals_token(const char token[HTTP_TOKEN_DIGITS + 1], const char *given)
{
    unsigned differs = 0;
    if (!given || strlen(given) != HTTP_TOKEN_DIGITS)
        return false;
    for (size_t i = 0; i < HTTP_TOKEN_DIGITS; i++)
        differs |= (unsigned)(token[i] ^ given[i]);
    return !differs;
}

static bool uri_has_plain_bytes(const char *uri)
{
    for (; *uri; uri++) {
        bool word = (*uri >= '0' && *uri <= '9') || (*uri >= 'A' && *uri <= 'Z') ||
                    (*uri >= 'a' && *uri <= 'z');
        if (!word && !strchr("/?&=_.-", *uri))
            return false;
    }
    return true;
}

bool http_is_view(const char *uri)
{
    return !strncmp(uri, "/v1/", 4);
}

static bool method_is_known(const struct http_seen *s)
{
    if (!strcmp(s->method, "POST"))
        return http_is_view(s->uri);
    return !strcmp(s->method, "GET");
}

int http_refusal(const struct http_place *place, const struct http_seen *s, const char **why)
{
    const struct {
        bool refused;
        int status;
        const char *why;
    } rows[] = {
        {strlen(s->uri) > HTTP_URI_MOST, 414, "the address is longer than 32 KiB"},
        {s->header_bytes > HTTP_HEADERS_MOST, 431, "the headers are longer than 32 KiB"},
        {s->has_nul || !uri_has_plain_bytes(s->uri), 400,
         "an address has only letters, digits and / ? & = _ . -"},
        {s->hosts != 1 || !s->host || !names_place(place, "", s->host), 421,
         "this server has another name"},
        {s->origin && !names_place(place, "http://", s->origin), 403,
         "pages of another origin are not answered"},
        {s->site && strcmp(s->site, "same-origin") != 0 && strcmp(s->site, "none") != 0, 403,
         "pages of another site are not answered"},
        {!method_is_known(s), 405, "GET and POST are the methods"},
        {http_is_view(s->uri) && !equals_token(place->token, s->token), 401,
         "the token is missing or not the one of this server"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].refused) {
            *why = rows[i].why;
            return rows[i].status;
        }
    return 0;
}
