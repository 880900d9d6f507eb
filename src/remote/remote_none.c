/* remote_none.c - a build without libcurl: URLs are refused. */
#include "base/error.h"
#include "remote/remote.h"

int remote_open(struct remote **out, const char *url, const struct ras_options *options,
                struct spool *spool, struct ras_error *err)
{
    (void)url;
    (void)options;
    (void)spool;
    *out = NULL;
    return fail(
        err, RAS_EUNSUPPORTED, RAS_NONE,
        "this build reads no URLs: it was made without libcurl; download the file, or build "
        "with libcurl4-openssl-dev installed");
}

void remote_close(struct remote *r)
{
    (void)r;
}

uint64_t remote_size(const struct remote *r)
{
    (void)r;
    return 0;
}

uint64_t remote_announced(const struct remote *r)
{
    (void)r;
    return 0;
}

uint64_t remote_window(const struct remote *r)
{
    (void)r;
    return REMOTE_HEAD;
}

int remote_read(struct remote *r, uint64_t from, uint64_t to, uint8_t *bytes, struct ras_error *err)
{
    (void)r;
    (void)bytes;
    return fail(err, RAS_EUNSUPPORTED, from, "%" PRIu64 " bytes of a URL", to - from);
}
