/* fetched.c - the files of a directory by URL, all of them fetched. */
#include "core/fetched.h"
#include "base/error.h"
#include "core/directory.h"
#include "core/format.h"
#include "core/source.h"
#include "remote/remote.h"
#include "remote/url.h"

#include <stdlib.h>

struct fetched {
    struct directory *dir;
    struct spool *spools;
    struct ras_part *parts;
    size_t count;
};

bool fetched_is_url(const char *path)
{
    return remote_is_url(path);
}

/* There are servers that answer everything with a page. */
bool fetched_has(const char *url, const char *name)
{
    char path[URL_MOST];
    struct source *source;
    const struct ras_options plain = {0};
    const struct ras_limits limits = limits_of(NULL);
    if (!remote_is_folder(url) || !url_below(url, name, path, sizeof path) ||
        source_open_path(&source, path, &plain, &limits, NULL) < 0)
        return false;
    const struct ras_bytes head = source_arrived(source, 0);
    bool is = head.len && *head.at == '{';
    source_close(source);
    return is;
}

static int fetch_all(struct fetched *r, struct ras_error *err)
{
    int status = RAS_OK;
    size_t count = directory_count(r->dir);
    r->spools = calloc(count + 1, sizeof *r->spools);
    r->parts = calloc(count + 1, sizeof *r->parts);
    if (!r->spools || !r->parts)
        return fail_memory(err);
    for (; status == RAS_OK && r->count < count; r->count++) {
        struct spool *spool = &r->spools[r->count];
        status = directory_fetch(r->dir, r->count, spool, err);
        r->parts[r->count] =
            (struct ras_part){directory_name(r->dir, r->count), {spool->at, spool->len}};
    }
    return status;
}

int fetched_open(struct fetched **out, const char *url, const struct ras_options *options,
                 struct ras_error *err)
{
    struct fetched *r = calloc(1, sizeof *r);
    *out = r;
    if (!r)
        return fail_memory(err);
    const struct ras_limits limits = limits_of(options);
    int status = directory_open_url(&r->dir, url, options, limits.parts, err);
    return status == RAS_OK ? fetch_all(r, err) : status;
}

const struct ras_part *fetched_parts(const struct fetched *r, size_t *count)
{
    *count = r->count;
    return r->parts;
}

void fetched_close(struct fetched *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->count; i++)
        spool_free(&r->spools[i]);
    free(r->spools);
    free(r->parts);
    directory_close(r->dir);
    free(r);
}
