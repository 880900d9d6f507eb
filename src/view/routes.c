/* routes.c - a request meets its row: arguments are parsed and refused here, in one place. */
#include "base/memory.h"
#include "view/viewer.h"

#include <stdlib.h>
#include <string.h>

static const struct route *const route_tables[] = {
    open_routes,  job_routes,   call_routes,   finding_routes, frame_routes,
    query_routes, scene_routes, record_routes, track_routes,   sum_routes,
    find_routes,  part_routes,  staff_routes,  receipt_routes,
};

enum { TABLE_COUNT = sizeof route_tables / sizeof *route_tables };

static const char json_type[] = "application/json";

/* ---- what routes use ----------------------------------------------------------------------- */

struct shown_source *request_source(const struct request *r, size_t arg)
{
    return &r->shown->sources[r->args[arg].value];
}

struct side *request_side(const struct request *r, size_t arg)
{
    return &r->shown->sides[r->args[arg].value];
}

void json_u64_text(struct json *j, const char *key, uint64_t value)
{
    char text[24];
    if (value == RAS_NONE) {
        json_null(j, key);
        return;
    }
    char *at = text + sizeof text;
    *--at = 0;
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    json_text(j, key, at);
}

struct json request_json(struct request *r)
{
    struct json j = json_start(r->out, 0);
    json_object(&j, NULL);
    json_u64_text(&j, "generation", r->generation);
    return j;
}

int request_end(struct request *r, struct json *j)
{
    json_close(j);
    return r->out->failed ? fail_memory(&r->err) : RAS_OK;
}

int request_sink(struct request *r, struct ras_sink **sink)
{
    return ras_sink_memory(sink, &r->err);
}

int request_sink_end(struct request *r, struct ras_sink *sink, int status)
{
    if (status >= 0)
        status = ras_sink_flush(sink, &r->err);
    if (status >= 0) {
        struct ras_bytes bytes = ras_sink_bytes(sink);
        out_bytes(r->out, bytes.at, bytes.len);
        status = r->out->failed ? fail_memory(&r->err) : RAS_OK;
    }
    ras_sink_drop(sink);
    return status;
}

/* ---- arguments ----------------------------------------------------------------------------- */

/* Decimal digits alone, at most 20. */
static bool parse_digits(const char *text, size_t len, uint64_t *value)
{
    uint64_t v = 0;
    if (!len || len > 20)
        return false;
    for (size_t i = 0; i < len; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(v, (uint64_t)10, &v) ||
            __builtin_add_overflow(v, (uint64_t)digit, &v))
            return false;
    }
    *value = v;
    return true;
}

/* Numbers below 2^32 with dots between them; free() *list. */
static int parse_list(const char *text, struct arg *arg, struct ras_error *err)
{
    size_t count = 1;
    for (const char *p = text; *p; p++)
        count += *p == '.';
    if (count > LIST_MOST)
        return fail(err, RAS_ELIMIT, RAS_NONE, "a list of %zu numbers; %d are the most", count,
                    (int)LIST_MOST);
    uint32_t *list = calloc(count, sizeof *list);
    if (!list)
        return fail_memory(err);
    arg->list = list;
    for (arg->count = 0; arg->count < count; arg->count++) {
        uint64_t value;
        size_t len = strcspn(text, ".");
        if (!parse_digits(text, len, &value) || value > UINT32_MAX)
            return fail(err, RAS_EUSAGE, RAS_NONE, "a list is numbers with dots between them");
        list[arg->count] = (uint32_t)value;
        text += len + (text[len] == '.');
    }
    return RAS_OK;
}

static int parse_word(const struct route_arg *row, const char *text, struct arg *arg,
                      struct ras_error *err)
{
    for (arg->value = 0; row->words[arg->value]; arg->value++)
        if (!strcmp(row->words[arg->value], text))
            return RAS_OK;
    return fail(err, RAS_EUSAGE, RAS_NONE, "%s is not one of its words", row->key);
}

static int parse_value(const struct route_arg *row, const char *text, struct arg *arg,
                       struct ras_error *err)
{
    arg->given = true;
    if (row->kind == ARG_WORD)
        return parse_word(row, text, arg, err);
    if (row->kind == ARG_LIST)
        return parse_list(text, arg, err);
    if (!parse_digits(text, strlen(text), &arg->value))
        return fail(err, RAS_EUSAGE, RAS_NONE, "%s is a number of at most 20 decimal digits",
                    row->key);
    if (row->kind == ARG_NUMBER && row->most && arg->value > row->most)
        return fail(err, RAS_EUSAGE, RAS_NONE, "%s is %" PRIu64 "; %" PRIu64 " is the most",
                    row->key, arg->value, row->most);
    return RAS_OK;
}

static bool row_is_optional(const struct route_arg *row)
{
    return row->optional || row->kind == ARG_SIDE;
}

/* Sides and sources that are there. */
static int check_arg(struct request *r, size_t i)
{
    const struct route_arg *row = &r->route->args[i];
    struct arg *arg = &r->args[i];
    if (!arg->given) {
        if (!row_is_optional(row))
            return fail(&r->err, RAS_EUSAGE, RAS_NONE, "%s needs %s", r->route->path, row->key);
        arg->value = row->value;
    }
    if (row->kind == ARG_SIDE && arg->value >= r->shown->side_count)
        return fail(&r->err, RAS_ENOTHING, RAS_NONE, "there is no side %" PRIu64, arg->value);
    if (row->kind != ARG_SOURCE || !(arg->given || !row->optional))
        return RAS_OK;
    if (arg->value >= r->shown->source_count)
        return fail(&r->err, RAS_ENOTHING, RAS_NONE, "there is no source %" PRIu64, arg->value);
    const struct shown_source *s = &r->shown->sources[arg->value];
    if (s->trace)
        return RAS_OK;
    r->err = *s->err;
    return fail(&r->err, RAS_EUNSUPPORTED, RAS_NONE, "%s cannot be opened: %s", s->name,
                s->err->text);
}

static int find_arg(const struct request *r, const char *key)
{
    for (int i = 0; i < ROUTE_ARGS_MOST && r->route->args[i].key; i++)
        if (!strcmp(r->route->args[i].key, key))
            return i;
    return -1;
}

/* `page`, which every job has. */
static const struct route_arg page_row = {"page", ARG_NUMBER};

static bool is_page(const struct request *r, const char *key)
{
    return r->route->job && !strcmp(key, page_row.key);
}

static int parse_page(struct request *r, const char *text)
{
    struct arg arg = {0};
    int status = parse_value(&page_row, text, &arg, &r->err);
    r->page = arg.value;
    return status;
}

static int parse_args(struct request *r, const struct ras_request *given)
{
    int status = RAS_OK;
    for (size_t i = 0; i < given->arg_count && status >= 0; i++) {
        if (is_page(r, given->args[i].key)) {
            status = parse_page(r, given->args[i].value);
            continue;
        }
        int at = find_arg(r, given->args[i].key);
        if (at < 0)
            return fail(&r->err, RAS_EUSAGE, RAS_NONE, "%s has no argument of that name",
                        r->route->path);
        if (r->args[at].given)
            return fail(&r->err, RAS_EUSAGE, RAS_NONE, "%s is there twice", r->route->args[at].key);
        status = parse_value(&r->route->args[at], given->args[i].value, &r->args[at], &r->err);
    }
    for (size_t i = 0; i < ROUTE_ARGS_MOST && r->route->args[i].key && status >= 0; i++)
        status = check_arg(r, i);
    return status;
}

static void free_args(struct request *r)
{
    for (size_t i = 0; i < ROUTE_ARGS_MOST; i++)
        free((void *)(uintptr_t)r->args[i].list);
}

/* ---- answers ------------------------------------------------------------------------------- */

int status_of_failure(int status)
{
    static const struct {
        int status, http;
    } rows[] = {
        {RAS_EUSAGE, 400},    {RAS_ENAME, 400},   {RAS_ENOTHING, 404}, {RAS_EUNSUPPORTED, 409},
        {RAS_EREFUSED, 409},  {RAS_EFORMAT, 409}, {RAS_EVERSION, 409}, {RAS_ECUT, 409},
        {RAS_ECANCELED, 409}, {RAS_ELIMIT, 413},  {RAS_EMEMORY, 413},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].status == status)
            return rows[i].http;
    return 500;
}

void put_failure(struct out *out, uint64_t generation, const char *text, const char *hint)
{
    struct json j = json_start(out, 0);
    json_object(&j, NULL);
    json_u64_text(&j, "generation", generation);
    json_text(&j, "error", text);
    json_text(&j, "hint", hint);
    json_close(&j);
}

static int answer_put(struct ras_view *v, struct ras_answer *answer, const struct request *r)
{
    if (v->out.failed)
        return RAS_EMEMORY;
    *answer = (struct ras_answer){.status = r->status,
                                  .type = r->type,
                                  .bytes = {v->out.at, v->out.len},
                                  .file_name = r->file_name};
    return RAS_OK;
}

static int answer_failure(struct ras_view *v, struct ras_answer *answer, int http, const char *text,
                          const char *hint)
{
    v->out.len = 0;
    v->out.failed = false;
    put_failure(&v->out, view_generation(v), text, hint);
    return answer_put(v, answer, &(struct request){.status = http, .type = json_type});
}

static const struct route *find_route(const char *path, bool post, bool *other_method)
{
    static const char prefix[] = "/v1/";
    *other_method = false;
    if (strncmp(path, prefix, sizeof prefix - 1) != 0)
        return NULL;
    path += sizeof prefix - 1;
    for (size_t t = 0; t < TABLE_COUNT; t++)
        for (const struct route *row = route_tables[t]; row->path; row++) {
            if (strcmp(row->path, path) != 0)
                continue;
            if (row->post == post)
                return row;
            *other_method = true;
        }
    return NULL;
}

/* A job is added, or its result is at hand. */
static int start_job(struct ras_view *v, struct request *r)
{
    uint64_t id;
    int status = jobs_add(v->jobs, r, &id, &r->err);
    if (status < 0)
        return status;
    return job_answer(r, id, true);
}

static int route_request(struct ras_view *v, struct request *r, const struct ras_request *given)
{
    int status = parse_args(r, given);
    if (status >= 0 && given->body.len && !r->route->post)
        status = fail(&r->err, RAS_EUSAGE, RAS_NONE, "%s takes no body", r->route->path);
    if (status >= 0 && r->route->pair && v->shown.side_count < SIDES_MOST)
        status = fail(&r->err, RAS_EUNSUPPORTED, RAS_NONE, "there is nothing to compare with");
    if (status >= 0)
        status = r->route->job ? start_job(v, r) : r->route->answer(r);
    free_args(r);
    return status;
}

int ras_view_answer(struct ras_view *v, const struct ras_request *given, struct ras_answer *answer,
                    struct ras_error *err)
{
    bool other_method;
    *answer = (struct ras_answer){0};
    const struct route *route = find_route(given->path, given->post, &other_method);
    int status;
    if (!route) {
        status = other_method ? answer_failure(v, answer, 405, "another method is needed", NULL)
                              : answer_failure(v, answer, 404, "there is no such route", NULL);
        return status < 0 ? fail_memory(err) : status;
    }
    v->out.len = 0;
    v->out.failed = false;
    struct request r = {.route = route,
                        .body = given->body,
                        .generation = view_generation(v),
                        .shown = &v->shown,
                        .view = v,
                        .options = &v->options,
                        .out = &v->out,
                        .type = json_type,
                        .status = 200};
    status = route_request(v, &r, given);
    status = status < 0 ? answer_failure(v, answer, status_of_failure(status), r.err.text, r.hint)
                        : answer_put(v, answer, &r);
    return status < 0 ? fail_memory(err) : status;
}

/* ---- URIs ---------------------------------------------------------------------------------- */

bool uri_is_plain(const char *uri, size_t len)
{
    static const char plain[] = "/?&=_.-";
    for (size_t i = 0; i < len; i++) {
        char c = uri[i];
        bool word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        if (!word && (!c || !strchr(plain, c)))
            return false;
    }
    return true;
}

enum { URI_MOST = 32 * 1024 };

/* The arguments of a query in place; false: one has no value, or there are too many. */
static bool split_query(char *query, struct ras_argument *args, size_t *count)
{
    *count = 0;
    while (query && *query) {
        char *next = strchr(query, '&');
        if (next)
            *next++ = 0;
        char *equals = strchr(query, '=');
        if (!equals || *count == ROUTE_ARGS_MOST)
            return false;
        *equals = 0;
        args[(*count)++] = (struct ras_argument){query, equals + 1};
        query = next;
    }
    return true;
}

int ras_view_answer_uri(struct ras_view *v, bool post, const char *uri, size_t len,
                        struct ras_bytes body, struct ras_answer *answer, struct ras_error *err)
{
    struct ras_argument args[ROUTE_ARGS_MOST];
    size_t count;
    *answer = (struct ras_answer){0};
    if (len > URI_MOST || !uri_is_plain(uri, len)) {
        int status = answer_failure(v, answer, len > URI_MOST ? 414 : 400,
                                    "a request has only letters, digits and / ? & = _ . -", NULL);
        return status < 0 ? fail_memory(err) : status;
    }
    char *text = text_copy(uri, len);
    if (!text)
        return fail_memory(err);
    char *query = strchr(text, '?');
    if (query)
        *query++ = 0;
    int status;
    if (split_query(query, args, &count))
        status =
            ras_view_answer(v, &(struct ras_request){text, args, count, body, post}, answer, err);
    else if (answer_failure(v, answer, 400, "arguments are KEY=VALUE, with & between two", NULL) <
             0)
        status = fail_memory(err);
    else
        status = RAS_OK;
    free(text);
    return status;
}
