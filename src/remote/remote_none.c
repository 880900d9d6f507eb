/* remote_none.c - a build without libcurl: URLs are refused. */
#include "base/error.h"
#include "remote/remote.h"
#include "remote/remote_folder.h"

static int refuse(struct ras_error *err)
{
    return fail(
        err, RAS_EUNSUPPORTED, RAS_NONE,
        "this build reads no URLs: it was made without libcurl; download the file, or build "
        "with libcurl4-openssl-dev installed");
}

int remote_open(struct remote **out, const char *url, const struct ras_options *options,
                struct spool *spool, struct ras_error *err)
{
    (void)url;
    (void)options;
    (void)spool;
    *out = NULL;
    return refuse(err);
}

int remote_folder_open(struct remote_folder **out, const char *url,
                       const struct ras_options *options, uint32_t limit, struct ras_error *err)
{
    (void)url;
    (void)options;
    (void)limit;
    *out = NULL;
    return refuse(err);
}

void remote_folder_close(struct remote_folder *f)
{
    (void)f;
}

size_t remote_folder_count(const struct remote_folder *f)
{
    (void)f;
    return 0;
}

const char *remote_folder_name(const struct remote_folder *f, size_t i)
{
    (void)f;
    (void)i;
    return "";
}

uint64_t remote_folder_size(const struct remote_folder *f, size_t i)
{
    (void)f;
    (void)i;
    return 0;
}

int remote_folder_fetch(struct remote_folder *f, size_t i, struct spool *spool,
                        struct ras_error *err)
{
    (void)f;
    (void)i;
    (void)spool;
    return refuse(err);
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
