/* remote.h - a file on a server of HTTP or S3, read by ranges.
 *
 * The only folder that knows libcurl, which is loaded when the first URL is opened. */
#ifndef REMOTE_REMOTE_H
#define REMOTE_REMOTE_H

#include "base/spool.h"

struct remote;

/* http://, https:// or s3:// */
bool remote_is_url(const char *path);
/* The same with '/' at the end of the path: a directory, see remote_folder.h. */
bool remote_is_folder(const char *url);
/* Open the file, which brings its first bytes, up to remote_window() of them. A server that cannot
 * send ranges sends all of it, into the same spool; then remote_size() is what has come. */
enum { REMOTE_HEAD = 64 << 10 };
int remote_open(struct remote **, const char *url, const struct ras_options *, struct spool *,
                struct ras_error *);
/* The same by the connections of `first`, which must stay and be used by nobody meanwhile. */
int remote_open_beside(struct remote **, struct remote *first, const char *url, struct spool *,
                       struct ras_error *);
/* What a server shows of a directory, all of it. `query` is that of a list of S3, and "" for http.
 * `first` is NULL, or the remote of an answer before. */
struct remote_list {
    const char *url, *query;
    struct remote *first;
};
int remote_open_list(struct remote **, const struct remote_list *, const struct ras_options *,
                     struct spool *, struct ras_error *);
void remote_close(struct remote *);
uint64_t remote_size(const struct remote *);
/* Of the first request, and the least of others: REMOTE_HEAD, or RASTRUM_HTTP_WINDOW. */
uint64_t remote_window(const struct remote *);
/* How many bytes of it, or of all files of a directory, may be kept. */
uint64_t remote_keep_most(const struct remote *);
/* How many bytes were announced, where fewer have come and no more do; 0: all are there. */
uint64_t remote_announced(const struct remote *);
/* The bytes of [from, to), which is not empty. RAS_EIO: why not, after some attempts; RAS_ELIMIT:
 * the caller keeps more of the file than RASTRUM_HTTP_KEEP allows. */
int remote_read(struct remote *, uint64_t from, uint64_t to, uint8_t *bytes, struct ras_error *);
#endif
