/* mcp_traces.c - traces and runs that stay open between calls: eight, the least recently used one
 * goes first. */
#include "mcp/mcp_traces.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "codec/xxh64.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct entry {
    struct mcp_trace shown;
    struct mcp_files files;
    char *real;
    uint64_t used; /* the call that used it last */
    bool remote;
    uint64_t opened_ns; /* as os_boot_ns() has it */
};

/* After this time a file on a server may be another. */
#define REMOTE_STAYS_NS (UINT64_C(60) * 1000000000)

struct mcp_traces {
    struct mcp_roots roots;
    struct entry at[MCP_OPEN_MOST];
    uint64_t calls;
    bool remote;
    bool (*goes_on)(void *user, uint64_t done, uint64_t total); /* NULL: no call */
    void *user;
};

struct mcp_traces *traces_new(void)
{
    return calloc(1, sizeof(struct mcp_traces));
}

struct mcp_roots *traces_roots(struct mcp_traces *traces)
{
    return &traces->roots;
}

static void entry_close(struct entry *e)
{
    ras_close(e->shown.trace);
    ras_rundir_close(e->shown.run);
    files_close(&e->files);
    free(e->real);
    *e = (struct entry){0};
}

void traces_free(struct mcp_traces *traces)
{
    if (!traces)
        return;
    for (size_t i = 0; i < MCP_OPEN_MOST; i++)
        entry_close(&traces->at[i]);
    roots_free(&traces->roots);
    free(traces);
}

void traces_allow_remote(struct mcp_traces *traces)
{
    traces->remote = true;
}

void traces_begin(struct mcp_traces *traces, bool (*goes_on)(void *user, uint64_t, uint64_t),
                  void *user)
{
    traces->calls++;
    traces->goes_on = goes_on;
    traces->user = user;
}

void traces_end(struct mcp_traces *traces, bool failed)
{
    traces->goes_on = NULL;
    for (size_t i = 0; failed && i < MCP_OPEN_MOST; i++)
        if (traces->at[i].remote)
            entry_close(&traces->at[i]);
}

/* A tenth of what a user at a terminal may use. */
struct ras_options mcp_open_options(void)
{
    return (struct ras_options){.struct_size = sizeof(struct ras_options),
                                .limits = {.record_bytes = UINT64_C(100) << 20,
                                           .chunk_bytes = UINT64_C(100) << 20,
                                           .inflated_bytes = UINT64_C(512) << 20,
                                           .pool_bytes = UINT64_C(100) << 20,
                                           .schemas = 6553,
                                           .parts = 16384,
                                           .findings = 100}};
}

/* ---- on servers ----------------------------------------------------------------------------- */

static bool transfer_goes_on(void *user, uint64_t done, uint64_t total)
{
    const struct mcp_traces *traces = user;
    return !traces->goes_on || traces->goes_on(traces->user, done, total);
}

/* Nothing else that the library would open: what it does not know as a URL is a path. */
static bool is_remote(const char *path)
{
    static const char *const schemes[] = {"http://", "https://", "s3://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (!strncasecmp(path, schemes[i], strlen(schemes[i])))
            return true;
    return false;
}

static struct entry *find_remote(struct mcp_traces *traces, const char *url)
{
    for (size_t i = 0; i < MCP_OPEN_MOST; i++) {
        struct entry *e = &traces->at[i];
        if (e->remote && e->used != traces->calls && !strcmp(e->real, url) &&
            os_boot_ns() - e->opened_ns < REMOTE_STAYS_NS)
            return e;
    }
    return NULL;
}

/* The one to be replaced: not in use by this call. NULL: all are. */
static struct entry *oldest(struct mcp_traces *traces)
{
    struct entry *found = NULL;
    for (size_t i = 0; i < MCP_OPEN_MOST; i++) {
        struct entry *e = &traces->at[i];
        if (e->used != traces->calls && (!found || e->used < found->used))
            found = e;
    }
    return found;
}

static int open_remote(struct mcp_traces *traces, const char *url, const struct mcp_trace **out,
                       struct ras_error *err)
{
    struct ras_options how = mcp_open_options();
    struct entry *e = find_remote(traces, url);
    if (!is_remote(url))
        return fail(err, RAS_EREFUSED, RAS_NONE, "URLs are read by http, https and s3");
    if (!e) {
        e = oldest(traces);
        if (!e)
            return fail(err, RAS_ELIMIT, RAS_NONE, "a call may open at most %d traces",
                        MCP_OPEN_MOST);
        entry_close(e);
        how.progress = transfer_goes_on;
        how.user = traces;
        char *copy = text_copy(url, strlen(url));
        int status = copy ? ras_open(&e->shown.trace, url, &how, err) : fail_memory(err);
        if (status < 0) {
            free(copy);
            return status;
        }
        e->real = copy;
        e->remote = true;
        e->opened_ns = os_boot_ns();
        struct xxh64 h = xxh64_start();
        xxh64_add(&h, url, strlen(url));
        xxh64_add(&h, &e->opened_ns, sizeof e->opened_ns);
        e->shown.identity = xxh64_end(&h);
    }
    e->used = traces->calls;
    *out = &e->shown;
    return RAS_OK;
}

/* ---- below a root --------------------------------------------------------------------------- */

static int entry_open(struct entry *e, const char *path, struct ras_error *err)
{
    const struct ras_options how = mcp_open_options();
    const struct ras_part *parts = e->files.parts;
    size_t count = e->files.count;
    if (!e->files.is_folder)
        return ras_open_memory(&e->shown.trace, parts[0].bytes.at, parts[0].bytes.len, &how, err);
    if (!count)
        return fail(err, RAS_EFORMAT, RAS_NONE, "the directory has no files");
    if (ras_rundir_exists_in(parts, count))
        return ras_rundir_open_parts(&e->shown.run, path, parts, count, &how, err);
    return ras_open_parts(&e->shown.trace, parts, count, &how, err);
}

/* Not one that this call uses already: what is compared with itself is read by two threads. */
static struct entry *find(struct mcp_traces *traces, const char *real, uint64_t identity)
{
    for (size_t i = 0; i < MCP_OPEN_MOST; i++) {
        struct entry *e = &traces->at[i];
        if (e->real && !e->remote && e->used != traces->calls && !strcmp(e->real, real) &&
            e->shown.identity == identity)
            return e;
    }
    return NULL;
}

static int take_entry(struct mcp_traces *traces, struct mcp_files *files, char *real,
                      const char *path, const struct mcp_trace **out, struct ras_error *err)
{
    struct entry *e = oldest(traces);
    if (!e) {
        files_close(files);
        free(real);
        return fail(err, RAS_ELIMIT, RAS_NONE, "a call may open at most %d traces", MCP_OPEN_MOST);
    }
    entry_close(e);
    *e = (struct entry){.shown = {.identity = files->identity}, .files = *files, .real = real};
    int status = entry_open(e, path, err);
    if (status < 0) {
        entry_close(e);
        return status;
    }
    e->used = traces->calls;
    *out = &e->shown;
    return RAS_OK;
}

int traces_open(struct mcp_traces *traces, const char *path, const struct mcp_trace **out,
                struct ras_error *err)
{
    struct mcp_files files;
    char *real;
    int fd;
    *out = NULL;
    if (traces->remote && roots_is_url(path))
        return open_remote(traces, path, out, err);
    int status = roots_open(&traces->roots, path, &fd, &real, err);
    if (status < 0)
        return status;
    status = files_open(&files, fd, err);
    os_close(fd);
    if (status < 0) {
        free(real);
        return status;
    }
    struct entry *known = find(traces, real, files.identity);
    if (!known)
        return take_entry(traces, &files, real, path, out, err);
    files_close(&files);
    free(real);
    known->used = traces->calls;
    *out = &known->shown;
    return RAS_OK;
}
