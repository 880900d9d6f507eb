/* mcp_list.c - the tool list_traces: what can be opened below the roots. */
#include "base/os.h"
#include "mcp/mcp_answers.h"

#include <string.h>

enum { LISTED_MOST = 500, VISITED_MOST = 20000, DEPTH_DEFAULT = 4, DEPTH_MOST = 8 };

struct listing {
    struct mcp_call *call;
    const struct mcp_root *root;
    uint64_t listed, visited;
};

static void put_listed(struct listing *l, const char *path, const char *format,
                       const struct ras_trace *trace, const char *size_key, uint64_t size)
{
    struct json *j = &l->call->json;
    json_object(j, NULL);
    json_text(j, "path", path);
    json_text(j, "format", format);
    json_uint(j, size_key, size);
    if (trace) {
        struct ras_ending missing = ras_missing(trace);
        if (missing.kind > RAS_COMPLETE)
            call_put_ending(l->call, "ending", trace, &missing);
    }
    json_close(j);
    l->listed++;
}

/* Open what a descriptor refers to, as far as it tells what it is. */
static bool list_one(struct listing *l, const char *path, int fd)
{
    const struct ras_options how = mcp_open_options();
    struct mcp_files files;
    struct ras_trace *trace = NULL;
    bool found = false;
    if (files_open(&files, fd, NULL) < 0)
        return false;
    if (files.is_folder && ras_rundir_exists_in(files.parts, files.count)) {
        put_listed(l, path, "run", NULL, "files", files.count);
        found = true;
    } else if (files.count &&
               (files.is_folder ? ras_open_parts(&trace, files.parts, files.count, &how, NULL)
                                : ras_open_memory(&trace, files.parts[0].bytes.at,
                                                  files.parts[0].bytes.len, &how, NULL)) >= 0) {
        put_listed(l, path, ras_format_of(trace)->name, trace, "size_bytes", ras_size(trace));
        found = true;
    }
    ras_close(trace);
    files_close(&files);
    return found;
}

/* A directory is a trace if it has a manifest, or directories of threads or processes; others are
 * only entered. */
static bool may_be_trace(int fd)
{
    static const char *const names[] = {"run.json", "manifest.json", "thread_0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int inner = root_open_below(fd, names[i], false);
        if (inner >= 0) {
            os_close(inner);
            return true;
        }
    }
    return false;
}

static bool list_entry(void *user, const char *path, int fd, bool is_folder)
{
    struct listing *l = user;
    l->visited++;
    if (is_folder && !may_be_trace(fd))
        return true;
    bool found = list_one(l, path, fd);
    return is_folder && !found;
}

static bool list_goes_on(void *user)
{
    struct listing *l = user;
    return l->listed < LISTED_MOST && l->visited < VISITED_MOST && call_goes_on(l->call, 0, 0);
}

bool tool_list_traces(struct mcp_call *call)
{
    const struct mcp_roots *roots = traces_roots(server_traces(call->server));
    const char *only = call_text(call, "root");
    struct listing l = {.call = call};
    bool complete = true, found = false;
    json_object(&call->json, NULL);
    json_array(&call->json, "roots");
    for (size_t i = 0; i < roots->count; i++) {
        const struct mcp_root *root = &roots->at[i];
        const struct mcp_walk walk = {.depth = (unsigned)call_number(call, "depth", DEPTH_DEFAULT),
                                      .each = list_entry,
                                      .goes_on = list_goes_on,
                                      .user = &l};
        if (only && strcmp(only, root->path) != 0)
            continue;
        found = true;
        l.root = root;
        json_object(&call->json, NULL);
        json_text(&call->json, "root", root->path);
        json_array(&call->json, "traces");
        complete = files_walk(root->fd, &walk) && complete;
        json_close(&call->json);
        json_close(&call->json);
    }
    json_close(&call->json);
    json_uint(&call->json, "count", l.listed);
    json_bool(&call->json, "did_truncate", !complete);
    json_close(&call->json);
    return found ||
           tool_fail(call, "'%.200s' is not a root; list_traces without root lists them", only);
}
