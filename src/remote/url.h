/* url.h - the addresses of remote files, and how they are shown. */
#ifndef REMOTE_URL_H
#define REMOTE_URL_H

#include <stdbool.h>
#include <stddef.h>

enum { URL_MOST = 4096 };

enum url_scheme { URL_NONE, URL_HTTP, URL_HTTPS, URL_S3 };

/* http://, https:// or s3:// at the start, in any case. */
enum url_scheme url_scheme_of(const char *text);
/* Without user, password, query and fragment, which may be secrets. */
void url_show(const char *url, char *text, size_t room);
/* "host" or "host:port" of http(s), without the user; false: there is none, or it is too long. */
bool url_host(const char *url, char *text, size_t room);
/* The path of http(s), without query and fragment, "/" where there is none. */
bool url_path(const char *url, char *text, size_t room);
/* "s3://bucket/key": false: there is no bucket, or it is too long. The key may be empty. */
bool url_bucket(const char *url, char *bucket, size_t room, const char **key);
/* All bytes but letters, digits, "-_.~" and those of `also` as %XX; false: no room. */
bool url_encode(const char *text, const char *also, char *out, size_t room);
/* The URL of a file below that of a directory, whose query, if any, goes along. */
bool url_below(const char *folder, const char *name, char *out, size_t room);
/* Control characters and spaces have no place in a URL. */
bool url_is_plain(const char *url);
#endif
