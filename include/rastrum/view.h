/* view.h - the viewer: one function from a request to bytes. HTTP and WebAssembly are transports
 * of it.
 *
 * A view shows one trace or run directory, or two that are compared. ras_view_answer() answers the
 * requests of docs/view-protocol.md; ras_view_step() builds the timeline between two of them. All
 * calls on a view are made by one thread. Verbs that take long are jobs: they run in a thread of
 * the view, with traces of their own, or in ras_view_step() where there are no threads.
 *
 *     struct ras_view *view;
 *     struct ras_answer answer;
 *     const struct ras_request request = {.path = "/v1/open"};
 *     if (ras_view_open(&view, NULL, err) == RAS_OK) {
 *         if (ras_view_add(view, path, NULL, err) == RAS_OK &&
 *             ras_view_answer(view, &request, &answer, err) == RAS_OK)
 *             fwrite(answer.bytes.at, 1, answer.bytes.len, stdout);
 *         ras_view_close(view);
 *     } */
#ifndef RASTRUM_VIEW_H
#define RASTRUM_VIEW_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ras_gpu;         /* gpu.h */
struct ras_sql_queries; /* sql.h */
struct ras_worlds;      /* world.h */

struct ras_view_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    /* What makes pictures and what executes SQL: ras_gpu() of librastrum-gpu, ras_sql_queries() of
     * librastrum-sql. NULL: requests that need them are refused with a sentence. */
    const struct ras_gpu *gpu;
    const struct ras_sql_queries *sql;
    uint64_t memory_bytes; /* of timelines; 0: 64 MiB. Tiles and results of jobs may use as much */
    bool follow;           /* traces still grow: see ras_view_step() */
    bool no_threads;       /* jobs run in ras_view_step() */
    /* What executes replays: ras_worlds() of librastrum-world. NULL: as above. */
    const struct ras_worlds *worlds;
};

struct ras_view;
RAS_API int ras_view_open(struct ras_view **out, const struct ras_view_options *options,
                          struct ras_error *err) RAS_CHECKED;
RAS_API void ras_view_close(struct ras_view *view); /* NULL is fine */

/* A trace or a run directory to show: at most two, the expected one first. A trace of a run that
 * cannot be opened is not a failure. Jobs open the path again. */
RAS_API int ras_view_add(struct ras_view *view, const char *path, const struct ras_options *options,
                         struct ras_error *err) RAS_CHECKED;
/* The same from memory, which is borrowed until the view is closed: one file, or the files of a
 * directory with their paths below it. `name` is what it is called. */
RAS_API int ras_view_add_parts(struct ras_view *view, const char *name,
                               const struct ras_part *parts, size_t count,
                               const struct ras_options *options,
                               struct ras_error *err) RAS_CHECKED;
/* One of several to choose from: it is opened when a request chooses it. At most 256. */
RAS_API int ras_view_offer(struct ras_view *view, const char *path,
                           const struct ras_options *options, struct ras_error *err) RAS_CHECKED;

struct ras_argument { /* its layout is fixed */
    const char *key, *value;
};

struct ras_request {  /* its layout is fixed */
    const char *path; /* "/v1/open" */
    const struct ras_argument *args;
    size_t arg_count;
    struct ras_bytes body;
    bool post;
};

struct ras_answer { /* its layout is fixed */
    int status;     /* of HTTP: 200, 202, 400, 404, 405, 409, 413, 500 */
    const char *type;
    struct ras_bytes bytes;
    const char *file_name; /* as which it is saved; NULL: it is shown */
};

/* Whatever a client does wrong is an answer. A negative status is a broken contract, or memory
 * that is short. The answer is valid until the next call on the view. */
RAS_API int ras_view_answer(struct ras_view *view, const struct ras_request *request,
                            struct ras_answer *answer, struct ras_error *err) RAS_CHECKED;
/* The same for a URI as a client sends it, such as "/v1/names?side=0&from=0". It has only the
 * characters A-Z a-z 0-9 / ? & = _ . -; any other byte is status 400. */
RAS_API int ras_view_answer_uri(struct ras_view *view, bool post, const char *uri, size_t len,
                                struct ras_bytes body, struct ras_answer *answer,
                                struct ras_error *err) RAS_CHECKED;

/* Build for about `ms` milliseconds. RAS_OK: there is more to do; RAS_END: nothing, until a request
 * or new bytes. With `follow` it checks whether traces have grown. */
RAS_API int ras_view_step(struct ras_view *view, unsigned ms, struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
