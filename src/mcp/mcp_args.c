/* mcp_args.c - arguments of calls: taken from JSON as the tool's table has them. */
#include "base/error.h"
#include "base/os.h"
#include "mcp/mcp_call.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- failures ------------------------------------------------------------------------------- */

bool tool_fail(struct mcp_call *call, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(call->why, sizeof call->why, fmt, args);
    va_end(args);
    return false;
}

bool tool_fail_memory(struct mcp_call *call)
{
    return tool_fail(call, "memory is short: ask for less, such as a range or one table");
}

bool tool_fail_with(struct mcp_call *call, const char *path, const struct ras_error *err)
{
    if (err->status == RAS_ECANCELED && call->late)
        return tool_fail(call, "%.200s: stopped after %d s: ask for less, such as a range", path,
                         MCP_CALL_MS / 1000);
    if (err->status == RAS_EMEMORY)
        return tool_fail_memory(call);
    if (err->offset != RAS_NONE && err->status != RAS_EUSAGE)
        return tool_fail(call, "%.200s: %s (offset %" PRIu64 ")", path, err->text, err->offset);
    return tool_fail(call, "%.200s: %s", path, err->text);
}

bool call_goes_on(void *user, uint64_t done, uint64_t total)
{
    struct mcp_call *call = user;
    (void)done, (void)total;
    call->late = call->late || os_boot_ns() > call->deadline_ns;
    return !call->late && !server_is_canceled(call->server);
}

/* ---- values --------------------------------------------------------------------------------- */

const struct mcp_value *call_value(const struct mcp_call *call, const char *name)
{
    size_t i = 0;
    while (call->tool->args[i].name && strcmp(call->tool->args[i].name, name) != 0)
        i++;
    assert(call->tool->args[i].name);
    return &call->values[i];
}

const char *call_text(const struct mcp_call *call, const char *name)
{
    return call_value(call, name)->text;
}

uint64_t call_number(const struct mcp_call *call, const char *name, uint64_t otherwise)
{
    const struct mcp_value *v = call_value(call, name);
    return v->given ? v->number : otherwise;
}

bool call_flag(const struct mcp_call *call, const char *name)
{
    return call_value(call, name)->flag;
}

/* ---- from JSON ------------------------------------------------------------------------------ */

static const char *const kind_words[] = {
    [MCP_TEXT] = "a string",
    [MCP_WORD] = "a string or an integer",
    [MCP_NUMBER] = "an integer",
    [MCP_REAL] = "a number",
    [MCP_FLAG] = "true or false",
    [MCP_TEXTS] = "a list of strings",
    [MCP_MAP] = "an object of strings",
};

static bool wrong_kind(struct mcp_call *call, const struct mcp_arg *arg,
                       const struct json_token *token)
{
    const char *got = json_kind_name(token->kind);
    return tool_fail(call, "%s: %s must be %s, not %s %s", call->tool->name, arg->name,
                     kind_words[arg->kind], strchr("aeiou", *got) ? "an" : "a", got);
}

/* A copy without escapes, which lives as long as the call; NULL after saying why. */
static const char *copy_text(struct mcp_call *call, const char *name,
                             const struct json_token *token)
{
    size_t len;
    char *copy = arena_take(&call->texts, token->span.len + 1);
    if (!copy)
        return tool_fail_memory(call), NULL;
    if (!json_bytes_of(token, copy, &len) || memchr(copy, 0, len))
        return tool_fail(call, "%s: %.60s has a NUL or half a character", call->tool->name, name),
               NULL;
    copy[len] = 0;
    return copy;
}

static bool take_items(struct mcp_call *call, const struct mcp_arg *arg, struct mcp_value *v,
                       struct ras_bytes text)
{
    struct json_read in = json_read_bytes(text);
    struct json_token token;
    bool is_map = arg->kind == MCP_MAP;
    /* An item takes at least two bytes of the text. */
    v->items = arena_take(&call->texts, (text.len / 2 + 1) * sizeof *v->items);
    v->names = arena_take(&call->texts, (text.len / 2 + 1) * sizeof *v->names);
    if (!v->items || !v->names)
        return tool_fail_memory(call);
    json_read_next(&in, &token);
    while (json_read_next(&in, &token) == (is_map ? JSON_KEY : JSON_STRING)) {
        if (is_map && !(v->names[v->count] = copy_text(call, arg->name, &token)))
            return false;
        if (is_map && json_read_next(&in, &token) != JSON_STRING)
            return wrong_kind(call, arg, &token);
        if (!(v->items[v->count] = copy_text(call, arg->name, &token)))
            return false;
        v->count++;
    }
    return token.kind == (is_map ? JSON_OBJECT_END : JSON_ARRAY_END) ||
           wrong_kind(call, arg, &token);
}

static bool check_word(struct mcp_call *call, const struct mcp_arg *arg, const char *text)
{
    char all[300] = "";
    size_t len = 0;
    for (size_t i = 0; arg->words && arg->words[i]; i++) {
        if (!strcmp(arg->words[i], text))
            return true;
        if (len < sizeof all)
            len +=
                (size_t)snprintf(all + len, sizeof all - len, "%s%s", i ? ", " : "", arg->words[i]);
    }
    return !arg->words || tool_fail(call, "%s: %s is one of %s, not '%.60s'", call->tool->name,
                                    arg->name, all, text);
}

static bool take_number(struct mcp_call *call, const struct mcp_arg *arg, struct mcp_value *v,
                        const struct json_token *token)
{
    if (!json_u64_of(token, &v->number))
        return wrong_kind(call, arg, token);
    if (arg->most && (v->number < arg->least || v->number > arg->most))
        return tool_fail(call, "%s: %s is from %" PRIu64 " to %" PRIu64 ", not %" PRIu64,
                         call->tool->name, arg->name, arg->least, arg->most, v->number);
    return true;
}

/* A number where a text may be: its digits. */
static bool take_digits(struct mcp_call *call, struct mcp_value *v, const struct json_token *token)
{
    char *copy = arena_take(&call->texts, token->span.len + 1);
    if (!copy)
        return tool_fail_memory(call);
    memcpy(copy, token->span.at, token->span.len);
    copy[token->span.len] = 0;
    v->text = copy;
    return true;
}

static bool take_value(struct mcp_call *call, const struct mcp_arg *arg, struct mcp_value *v,
                       const struct mcp_member *m)
{
    const struct json_token *token = &m->token;
    bool text = token->kind == JSON_STRING, number = token->kind == JSON_NUMBER;
    v->given = true;
    switch (arg->kind) {
    case MCP_FLAG:
        v->flag = token->kind == JSON_BOOL && token->truth;
        return token->kind == JSON_BOOL || wrong_kind(call, arg, token);
    case MCP_NUMBER:
        return number ? take_number(call, arg, v, token) : wrong_kind(call, arg, token);
    case MCP_REAL:
        return (number && json_f64_of(token, &v->real)) || wrong_kind(call, arg, token);
    case MCP_MAP:
        return token->kind == JSON_OBJECT ? take_items(call, arg, v, m->text)
                                          : wrong_kind(call, arg, token);
    case MCP_TEXTS:
        if (token->kind == JSON_ARRAY)
            return take_items(call, arg, v, m->text);
        v->items = arena_take(&call->texts, sizeof *v->items);
        if (!v->items)
            return tool_fail_memory(call);
        v->count = 1;
        return text ? (v->items[0] = copy_text(call, arg->name, token)) != NULL
                    : wrong_kind(call, arg, token);
    case MCP_WORD:
        if (number && token->integer)
            return take_digits(call, v, token);
        break;
    case MCP_TEXT:
        break;
    }
    if (!text)
        return wrong_kind(call, arg, token);
    v->text = copy_text(call, arg->name, token);
    return v->text && check_word(call, arg, v->text);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static bool is_argument(const struct mcp_arg *args, const struct json_token *key)
{
    while (args->name && !json_text_is(key, args->name, strlen(args->name)))
        args++;
    return args->name;
}

/* A name that the tool does not have would otherwise be ignored, and the answer be another one. */
static bool check_keys(struct mcp_call *call, struct ras_bytes object)
{
    struct json_read in = json_read_bytes(object);
    struct json_token token;
    json_read_next(&in, &token);
    while (json_read_next(&in, &token) == JSON_KEY) {
        if (!is_argument(call->tool->args, &token)) {
            struct ras_near near;
            char name[64], text[160];
            snprintf(name, sizeof name, "%.*s", (int)(token.span.len < 60 ? token.span.len : 60),
                     (const char *)token.span.at);
            ras_near_start(&near, name);
            for (const struct mcp_arg *a = call->tool->args; a->name; a++)
                ras_near_add(&near, a->name);
            return tool_fail(call, "%s has no argument '%s'%s", call->tool->name, name,
                             ras_near_text(&near, text, sizeof text));
        }
        if (!json_read_skip(&in, &token))
            return tool_fail(call, "the arguments are not valid JSON");
    }
    return true;
}

bool call_arguments(struct mcp_call *call, struct ras_bytes object)
{
    if (!check_keys(call, object))
        return false;
    for (size_t i = 0; call->tool->args[i].name; i++) {
        const struct mcp_arg *arg = &call->tool->args[i];
        assert(i < MCP_ARGS_MOST);
        struct mcp_member m = json_member_of(object, arg->name);
        bool given = m.token.kind != JSON_BAD && m.token.kind != JSON_NULL;
        if (!given && arg->required)
            return tool_fail(call, "%s needs %s: %s", call->tool->name, arg->name, arg->about);
        if (given && !take_value(call, arg, &call->values[i], &m))
            return false;
    }
    return true;
}

/* ---- traces --------------------------------------------------------------------------------- */

const struct mcp_trace *call_open(struct mcp_call *call, const char *path)
{
    const struct mcp_trace *found;
    struct ras_error err;
    if (traces_open(server_traces(call->server), path, &found, &err) < 0)
        tool_fail_with(call, path, &err);
    return found;
}

const struct mcp_trace *call_trace(struct mcp_call *call, const char *path)
{
    const struct mcp_trace *found = call_open(call, path);
    if (!found || found->trace)
        return found;
    char names[400] = "";
    size_t len = 0;
    for (size_t i = 0; i < found->run->pen_count && len < sizeof names; i++)
        if (found->run->pens[i].trace)
            len += (size_t)snprintf(names + len, sizeof names - len, "%s%.60s/%.60s",
                                    len ? ", " : "", path, found->run->pens[i].file);
    tool_fail(call, "%.100s is a run directory: name one of its traces: %s", path, names);
    return NULL;
}

struct ras_sink *call_sink(struct mcp_call *call)
{
    struct ras_sink *sink;
    if (ras_sink_memory(&sink, NULL) < 0)
        tool_fail_memory(call);
    return sink;
}

bool call_put_sink(struct mcp_call *call, const char *key, struct ras_sink *sink, int status,
                   const char *path, const struct ras_error *err)
{
    if (status >= 0) {
        struct ras_bytes bytes = ras_sink_bytes(sink);
        while (bytes.len && bytes.at[bytes.len - 1] == '\n')
            bytes.len--;
        json_raw(&call->json, key, bytes.at, bytes.len);
    }
    ras_sink_drop(sink);
    if (status < 0)
        return tool_fail_with(call, path, err);
    return !call->doc.failed || tool_fail_memory(call);
}

void call_put_ending(struct mcp_call *call, const char *key, const struct ras_trace *trace,
                     const struct ras_ending *ending)
{
    json_object(&call->json, key);
    json_text(&call->json, "state", ras_ending_name(ending->kind));
    if (ending->kind > RAS_COMPLETE) {
        json_text(&call->json, "part", ras_part_name(trace, ending->part));
        json_uint(&call->json, "offset", ending->offset);
        json_uint(&call->json, "size", ending->size);
        json_text(&call->json, "why", ending->why);
    }
    json_close(&call->json);
}

/* ---- ranges --------------------------------------------------------------------------------- */

static bool parse_place(struct mcp_call *call, struct ras_trace *trace, enum ras_axis axis,
                        const char *name, uint64_t *place)
{
    const char *text = call_text(call, name);
    struct ras_error err;
    if (!text)
        return true;
    if (axis == RAS_AXIS_TIME)
        return ras_time_parse(trace, text, place, &err) >= 0 ||
               tool_fail(call, "%s: %s", name, err.text);
    const struct ras_bytes bytes = {(const uint8_t *)text, strlen(text)};
    const struct json_token token = {.kind = JSON_NUMBER, .integer = true, .span = bytes};
    bool digits = *text && strspn(text, "0123456789") == bytes.len;
    return (digits && json_u64_of(&token, place)) ||
           tool_fail(call, "%s: '%.60s' is not a number of the axis %s", name, text,
                     axis == RAS_AXIS_SEQ ? "seq" : "tick");
}

bool call_range(struct mcp_call *call, struct ras_trace *trace, struct ras_scan *scan)
{
    static const char *const names[] = {
        [RAS_AXIS_SEQ] = "seq", [RAS_AXIS_TIME] = "time", [RAS_AXIS_TICK] = "tick"};
    const struct ras_format_about *format = ras_format_of(trace);
    const char *word = call_text(call, "axis");
    enum ras_axis axis = format->axis;
    for (enum ras_axis i = RAS_AXIS_SEQ; word && i <= RAS_AXIS_TICK; i++)
        if (!strcmp(word, names[i]))
            axis = i;
    if (!call_text(call, "from") && !call_text(call, "to"))
        return true;
    if (axis != RAS_AXIS_SEQ && !(format->axes >> axis & 1))
        return tool_fail(call, "this format (%s) has no %s axis; axis is one of%s%s seq",
                         format->name, names[axis],
                         format->axes >> RAS_AXIS_TIME & 1 ? " time" : "",
                         format->axes >> RAS_AXIS_TICK & 1 ? " tick" : "");
    scan->axis = axis;
    scan->to = RAS_NONE;
    if (!parse_place(call, trace, axis, "from", &scan->from) ||
        !parse_place(call, trace, axis, "to", &scan->to))
        return false;
    return scan->from <= scan->to ||
           tool_fail(call, "the range ends at %" PRIu64 ", before it begins at %" PRIu64, scan->to,
                     scan->from);
}
