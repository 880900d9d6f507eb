/* remote_folder.c - the files below a URL that ends with '/', as its server lists them. */
#include "remote/remote_folder.h"
#include "base/error.h"
#include "base/memory.h"
#include "remote/file_list.h"
#include "remote/remote.h"
#include "remote/url.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 12, STEP_FIRST = 1 << 20, STEP_MOST = 16 << 20 };
/* Of files that came whole with the request for their size. */
#define HEADS_MOST ((size_t)64 << 20)

struct remote_folder {
    const struct ras_options *options;
    struct remote *first; /* the answer with the list, whose connection all others use */
    char *url;
    uint32_t limit;
    struct file_list files;
    struct spool *heads; /* of each file whose size was requested: all its bytes, or none */
    size_t heads_size;
    uint64_t kept; /* of all files that were fetched */
};

size_t remote_folder_count(const struct remote_folder *f)
{
    return f->files.count;
}

const char *remote_folder_name(const struct remote_folder *f, size_t i)
{
    return f->files.at[i].name;
}

uint64_t remote_folder_size(const struct remote_folder *f, size_t i)
{
    return f->files.at[i].size;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* One answer of the server. `query` is "" for a page. */
static int fetch_list(struct remote_folder *f, const char *url, const char *query,
                      struct spool *text, struct ras_error *err)
{
    struct remote *r;
    const struct remote_list list = {url, query, f->first};
    int status = remote_open_list(&r, &list, f->options, text, err);
    if (status < 0)
        return status;
    uint64_t announced = remote_announced(r);
    if (f->first)
        remote_close(r);
    else
        f->first = r;
    return announced ? fail(err, RAS_EIO, RAS_NONE,
                            "%zu of %" PRIu64 " bytes of the list of files have come", text->len,
                            announced)
                     : RAS_OK;
}

static int over_limit(const struct remote_folder *f, struct ras_error *err)
{
    return f->files.count > f->limit
               ? fail(err, RAS_ELIMIT, RAS_NONE, "more than %u files below the directory", f->limit)
               : RAS_OK;
}

static int list_bucket(struct remote_folder *f, struct ras_error *err)
{
    char bucket[200], prefix[URL_MOST], token[URL_MOST] = "", next[1100] = "", query[2 * URL_MOST];
    const char *key;
    int status = RAS_OK;
    if (!url_bucket(f->url, bucket, sizeof bucket, &key) ||
        !url_encode(key, "", prefix, sizeof prefix))
        return fail(err, RAS_EUSAGE, RAS_NONE, "expected s3://BUCKET/PREFIX/");
    do {
        struct spool text = {0};
        char before[sizeof next];
        memcpy(before, next, sizeof next);
        if (!url_encode(next, "", token, sizeof token))
            return fail(err, RAS_ELIMIT, RAS_NONE, "the token of the list is too long");
        snprintf(query, sizeof query, "%s%s%slist-type=2&prefix=%s",
                 *next ? "continuation-token=" : "", token, *next ? "&" : "", prefix);
        status = fetch_list(f, f->url, query, &text, err);
        const struct ras_bytes xml = {text.at, text.len};
        if (status == RAS_OK && !file_list_is_bucket(xml))
            status = fail(err, RAS_EIO, RAS_NONE, "the server does not list the files of a bucket");
        if (status == RAS_OK && !file_list_bucket(&f->files, xml, key, next, sizeof next))
            status = fail_memory(err);
        if (status == RAS_OK && file_list_goes_on(xml) && (!*next || !strcmp(next, before)))
            status = fail(err, RAS_EIO, RAS_NONE,
                          "the server lists %zu files and says that there are more, but not how to "
                          "go on",
                          f->files.count);
        spool_free(&text);
        if (status == RAS_OK)
            status = over_limit(f, err);
    } while (status == RAS_OK && *next);
    return status;
}

/* The page of the directory `below`, which is "" or ends with '/'. */
static int list_page(struct remote_folder *f, const char *below, struct ras_error *err)
{
    char url[URL_MOST], path[URL_MOST];
    struct spool text = {0};
    if (!url_below(f->url, below, url, sizeof url) || !url_path(url, path, sizeof path))
        return fail(err, RAS_ELIMIT, RAS_NONE, "a URL exceeds the limit of %d bytes", URL_MOST - 1);
    int status = fetch_list(f, url, "", &text, err);
    if (status == RAS_OK &&
        !file_list_page(&f->files, (struct ras_bytes){text.at, text.len}, path, below))
        status = fail_memory(err);
    spool_free(&text);
    return status == RAS_OK ? over_limit(f, err) : status;
}

/* Move the directories out of the list of files, each once. */
static bool take_folders(struct file_list *files, struct file_list *folders)
{
    size_t kept = 0;
    bool ok = true;
    for (size_t i = 0; i < files->count; i++) {
        const struct listed_file file = files->at[i];
        if (file.name[strlen(file.name) - 1] != '/')
            files->at[kept++] = file;
        else if ((ok &= array_grow(&folders->at, &folders->room, folders->count + 1, sizeof file)))
            folders->at[folders->count++] = file;
        else
            free(file.name);
    }
    files->count = kept;
    file_list_sort(folders);
    return ok;
}

static int list_pages(struct remote_folder *f, struct ras_error *err)
{
    struct file_list level = {0};
    int status = list_page(f, "", err);
    for (unsigned depth = 1; status == RAS_OK; depth++) {
        struct file_list below = {0};
        if (!take_folders(&f->files, &below))
            status = fail_memory(err);
        file_list_free(&level);
        level = below;
        if (!level.count || depth > DEPTH_MOST)
            break;
        for (size_t i = 0; status == RAS_OK && i < level.count; i++)
            status = list_page(f, level.at[i].name, err);
    }
    file_list_free(&level);
    return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The first bytes of a file, which bring its size. */
static int open_listed(struct remote_folder *f, size_t i, struct remote **r, struct spool *spool,
                       struct ras_error *err)
{
    char url[URL_MOST];
    const char *name = f->files.at[i].name;
    struct ras_error why;
    if (!url_below(f->url, name, url, sizeof url))
        return fail(err, RAS_ELIMIT, RAS_NONE, "the URL of %.100s exceeds the limit of %d bytes",
                    name, URL_MOST - 1);
    int status = remote_open_beside(r, f->first, url, spool, &why);
    if (status < 0) {
        spool_free(spool);
        return fail(err, (enum ras_status)status, RAS_NONE, "%.100s: %s", name, why.text);
    }
    f->files.at[i].size = remote_size(*r);
    if (!remote_announced(*r))
        return RAS_OK;
    status =
        fail(err, RAS_EIO, RAS_NONE, "%.100s: the server sent %" PRIu64 " of %" PRIu64 " bytes",
             name, remote_size(*r), remote_announced(*r));
    remote_close(*r);
    spool_free(spool);
    return status;
}

/* Limits are those of one file, for all files together. */
static int may_keep(struct remote_folder *f, size_t i, struct ras_error *err)
{
    uint64_t size = f->files.at[i].size, most = remote_keep_most(f->first);
    if (size > most || f->kept > most - size)
        return fail(err, RAS_ELIMIT, RAS_NONE,
                    "%" PRIu64 " bytes of the directory are kept, %" PRIu64
                    " more of %.100s exceed the limit of %" PRIu64
                    "; download the directory, or raise RASTRUM_HTTP_KEEP",
                    f->kept, size, f->files.at[i].name, most);
    f->kept += size;
    return RAS_OK;
}

/* Sizes that the list does not have. */
static int size_files(struct remote_folder *f, struct ras_error *err)
{
    int status = RAS_OK;
    f->heads = calloc(f->files.count + 1, sizeof *f->heads);
    if (!f->heads)
        return fail_memory(err);
    for (size_t i = 0; status == RAS_OK && i < f->files.count; i++) {
        struct remote *r;
        if (f->files.at[i].size != RAS_NONE)
            continue;
        status = open_listed(f, i, &r, &f->heads[i], err);
        if (status < 0)
            break;
        bool all = f->heads[i].len == remote_size(r);
        if (all && f->heads_size + f->heads[i].len <= HEADS_MOST)
            f->heads_size += f->heads[i].len;
        else
            spool_free(&f->heads[i]);
        remote_close(r);
    }
    return status;
}

int remote_folder_fetch(struct remote_folder *f, size_t i, struct spool *spool,
                        struct ras_error *err)
{
    if (f->heads[i].len) {
        int may = may_keep(f, i, err);
        if (may < 0)
            return may;
        *spool = f->heads[i];
        f->heads_size -= spool->len;
        f->heads[i] = (struct spool){0};
        return RAS_OK;
    }
    struct remote *r;
    int status = open_listed(f, i, &r, spool, err);
    if (status < 0)
        return status;
    status = may_keep(f, i, err);
    uint8_t *bytes = spool->len < remote_size(r) ? malloc(STEP_MOST) : NULL;
    if (status == RAS_OK && !bytes && spool->len < remote_size(r))
        status = fail_memory(err);
    for (uint64_t step = STEP_FIRST; status == RAS_OK && spool->len < remote_size(r);) {
        uint64_t left = remote_size(r) - spool->len;
        size_t n = (size_t)(left < step ? left : step);
        status = remote_read(r, spool->len, spool->len + n, bytes, err);
        if (status == RAS_OK)
            status = spool_append(spool, bytes, n, err);
        step = step < STEP_MOST ? 2 * step : STEP_MOST;
    }
    free(bytes);
    remote_close(r);
    if (status < 0)
        spool_free(spool);
    return status;
}

/* ---- open and close -------------------------------------------------------------------------- */

static int none_listed(const struct remote_folder *f, struct ras_error *err)
{
    if (url_scheme_of(f->url) == URL_S3)
        return fail(err, RAS_EIO, RAS_NONE, "there are no files with this prefix");
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                "the page at this URL has no links to files below it, as a directory that its "
                "server lists has: download the directory");
}

int remote_folder_open(struct remote_folder **out, const char *url,
                       const struct ras_options *options, uint32_t limit, struct ras_error *err)
{
    *out = NULL;
    struct remote_folder *f = calloc(1, sizeof *f);
    if (!f)
        return fail_memory(err);
    f->options = options;
    f->limit = limit;
    f->url = text_copy(url, strlen(url));
    int status = !f->url                        ? fail_memory(err)
                 : url_scheme_of(url) == URL_S3 ? list_bucket(f, err)
                                                : list_pages(f, err);
    f->options = NULL; /* the caller's */
    file_list_sort(&f->files);
    if (status == RAS_OK && !f->files.count)
        status = none_listed(f, err);
    if (status == RAS_OK)
        status = size_files(f, err);
    if (status < 0) {
        remote_folder_close(f);
        return status;
    }
    *out = f;
    return RAS_OK;
}

void remote_folder_close(struct remote_folder *f)
{
    if (!f)
        return;
    for (size_t i = 0; f->heads && i < f->files.count; i++)
        spool_free(&f->heads[i]);
    free(f->heads);
    file_list_free(&f->files);
    remote_close(f->first);
    free(f->url);
    free(f);
}
