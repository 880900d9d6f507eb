/* route.h - how a route of the viewer is written.
 *
 * A route is a row {path, arguments, function}. The arguments are parsed, checked against the row
 * and refused in one place, so that a function has only valid numbers. It writes to request->out:
 *
 *     static int answer_names(struct request *r)
 *     {
 *         struct json j = request_json(r);              {"generation":"3",
 *         json_u64_text(&j, "from", r->args[1].value);
 *         ...
 *         return request_end(r, &j);
 *     }
 *     const struct route names_routes[] = {
 *         {.path = "names",
 *          .args = {{"side", ARG_SIDE}, {"from", ARG_NUMBER, .optional = true}},
 *          .answer = answer_names},
 *         {0},
 *     };
 *
 * A file of routes ends with such a table, which routes.c lists. A failure is its status and a
 * sentence in r->err: return fail(&r->err, RAS_ENOTHING, RAS_NONE, "there is no frame %" PRIu64,
 * n).
 *
 * A route of a *job* has the same function. It is called by the worker, with traces of its own in
 * r->shown and without r->view; it passes r->progress and r->user to the verb that it calls, or
 * calls request_goes_on() now and then. */
#ifndef VIEW_ROUTE_H
#define VIEW_ROUTE_H

#include "base/error.h"
#include "codec/json_write.h"
#include "view/shown.h"

#include <rastrum/view.h>

enum arg_kind {
    ARG_NUMBER, /* decimal digits, at most 20; at most `most` */
    ARG_SIDE,   /* the number of a side that is there; 0 where it is left out */
    ARG_SOURCE, /* of a source that could be opened */
    ARG_WORD,   /* one of `words`; its value is the index */
    ARG_LIST,   /* numbers below 2^32 with dots between them: 1.2.3 */
};

enum { ROUTE_ARGS_MOST = 8, LIST_MOST = 1024 };

struct route_arg {
    const char *key;
    enum arg_kind kind;
    bool optional;
    uint64_t most;            /* of a number; 0: no limit. One above it is refused */
    uint64_t value;           /* where it is left out */
    const char *const *words; /* ends with NULL */
};

struct request;

struct route {
    const char *path; /* after /v1/ */
    bool post;
    bool job;
    bool is_long; /* a job that reads whole traces: others do not wait for it */
    bool pair;    /* needs two sides: status 409 */
    struct route_arg args[ROUTE_ARGS_MOST];
    /* RAS_OK, or a negative status with r->err. */
    int (*answer)(struct request *r);
};

/* An argument, in the order of the row. */
struct arg {
    bool given;
    uint64_t value;
    const uint32_t *list;
    size_t count;
};

struct request {
    const struct route *route;
    struct arg args[ROUTE_ARGS_MOST];
    struct ras_bytes body;
    uint64_t page; /* who asks, for a job: pages do not replace each other's */
    uint64_t generation;

    struct shown *shown;   /* the traces, of the calling thread */
    struct ras_view *view; /* NULL: in a job */
    const struct ras_view_options *options;

    /* The answer. */
    struct out *out;
    const char *type;       /* "application/json" unless it is set; a constant */
    int status;             /* 200 unless it is set */
    const char *file_name;  /* a constant */
    struct ras_error err;   /* what failed */
    const char *hint;       /* what to do about it; a constant, or NULL */
    ras_progress *progress; /* of a job; false: it was cancelled */
    void *user;
};

/* The source that an argument of ARG_SOURCE names, and the side. */
struct shown_source *request_source(const struct request *r, size_t arg);
struct side *request_side(const struct request *r, size_t arg);

/* The writer of the answer, inside an object that begins with "generation"; request_end() closes
 * the object. */
struct json request_json(struct request *r);
int request_end(struct request *r, struct json *j);
/* 64-bit numbers are text: JavaScript has 53 bits. RAS_NONE: null. */
void json_u64_text(struct json *j, const char *key, uint64_t value);

/* A sink whose bytes are appended to the answer: for ras_json_...(), ras_png_put() and all else
 * that writes to a sink. request_sink_end() closes it. */
int request_sink(struct request *r, struct ras_sink **sink);
int request_sink_end(struct request *r, struct ras_sink *sink, int status);

/* In a job: report how much is done, and learn whether to go on; fail_canceled() if not. */
static inline bool request_goes_on(const struct request *r, uint64_t done, uint64_t total)
{
    return !r->progress || r->progress(r->user, done, total);
}

/* Routes of other files, each ends with a row without a path. */
extern const struct route open_routes[], record_routes[], track_routes[], find_routes[],
    sum_routes[], job_routes[], part_routes[]; /* of the view itself */
extern const struct route staff_routes[];      /* of two sides */
extern const struct route scene_routes[], frame_routes[], call_routes[], query_routes[],
    receipt_routes[], finding_routes[];
#endif
