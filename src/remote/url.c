/* url.c - the addresses of remote files, and how they are shown. */
#include "remote/url.h"
#include "remote/remote.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum url_scheme url_scheme_of(const char *text)
{
    static const char *const schemes[] = {
        [URL_HTTP] = "http://", [URL_HTTPS] = "https://", [URL_S3] = "s3://"};
    for (int i = URL_HTTP; i <= URL_S3; i++)
        if (!strncasecmp(text, schemes[i], strlen(schemes[i])))
            return (enum url_scheme)i;
    return URL_NONE;
}

static const char *after_scheme(const char *url)
{
    const char *at = strstr(url, "://");
    return at ? at + 3 : url;
}

/* The host begins after the last '@' before the path. */
static const char *host_of(const char *url, size_t *len)
{
    const char *host = after_scheme(url);
    size_t n = strcspn(host, "/?#");
    for (size_t i = n; i > 0; i--)
        if (host[i - 1] == '@') {
            host += i;
            n -= i;
            break;
        }
    *len = n;
    return host;
}

void url_show(const char *url, char *text, size_t room)
{
    size_t n;
    const char *host = host_of(url, &n), *start = after_scheme(url);
    size_t path = strcspn(host + n, "?#");
    bool more = host[n + path] == '?';
    if (url_scheme_of(url) == URL_S3) { /* a key may have any of these characters */
        host = start;
        n = strlen(start);
        path = 0;
        more = false;
    }
    int len = snprintf(text, room, "%.*s%.*s%s", (int)(start - url), url, (int)(n + path), host,
                       more ? "?..." : "");
    for (int i = 0; i < len && (size_t)i < room - 1; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 127)
            text[i] = '?';
}

static bool put(char *out, size_t room, const char *text, size_t len)
{
    if (len >= room)
        return false;
    memcpy(out, text, len);
    out[len] = 0;
    return true;
}

bool url_host(const char *url, char *text, size_t room)
{
    size_t n;
    const char *host = host_of(url, &n);
    return n && put(text, room, host, n);
}

bool url_path(const char *url, char *text, size_t room)
{
    size_t n;
    const char *path = host_of(url, &n);
    path += n;
    n = strcspn(path, "?#");
    return n ? put(text, room, path, n) : put(text, room, "/", 1);
}

bool url_bucket(const char *url, char *bucket, size_t room, const char **key)
{
    const char *at = after_scheme(url), *slash = strchr(at, '/');
    if (!slash || slash == at)
        return false;
    for (const char *c = at; c < slash; c++) /* it becomes part of a host's name */
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", *c))
            return false;
    *key = slash + 1;
    return put(bucket, room, at, (size_t)(slash - at));
}

bool url_encode(const char *text, const char *also, char *out, size_t room)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t n = 0;
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     strchr("-_.~", (int)c) || strchr(also, (int)c);
        if (n + 4 > room)
            return false;
        if (plain) {
            out[n++] = (char)c;
            continue;
        }
        out[n++] = '%';
        out[n++] = hex[c >> 4];
        out[n++] = hex[c & 15];
    }
    if (n >= room)
        return false;
    out[n] = 0;
    return true;
}

/* How long the URL is without query and fragment. A key of S3 may have any character. */
static size_t path_end(const char *url)
{
    return url_scheme_of(url) == URL_S3 ? strlen(url) : strcspn(url, "?#");
}

bool remote_is_folder(const char *url)
{
    size_t n = path_end(url);
    return n && url[n - 1] == '/' && after_scheme(url) < url + n;
}

bool url_below(const char *folder, const char *name, char *out, size_t room)
{
    size_t n = path_end(folder);
    bool s3 = url_scheme_of(folder) == URL_S3;
    char encoded[URL_MOST];
    if (!s3 && !url_encode(name, "/", encoded, sizeof encoded))
        return false;
    int len = snprintf(out, room, "%.*s%s%.*s", (int)n, folder, s3 ? name : encoded,
                       (int)strcspn(folder + n, "#"), folder + n);
    return len > 0 && (size_t)len < room;
}

bool url_is_plain(const char *url)
{
    for (; *url; url++)
        if ((unsigned char)*url <= ' ' || *url == 127)
            return false;
    return true;
}

bool remote_is_url(const char *path)
{
    return url_scheme_of(path) != URL_NONE;
}
