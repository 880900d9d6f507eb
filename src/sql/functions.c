/* functions.c - what the functions of SQL compute, for every engine: times, names, items. */
#include "sql/functions.h"
#include "codec/json_read.h"

#include <rastrum/symbols.h>
#include <string.h>
#include <strings.h>

/* ---- times --------------------------------------------------------------------------------- */

size_t function_wall(const struct catalog *c, const char *trace, uint64_t time_ns,
                     char text[RAS_TIME_ROOM])
{
    struct ras_time_writing how = {.style = RAS_TIME_WALL};
    for (size_t i = 0; i < c->trace_count; i++) {
        const struct sql_trace *t = &c->traces[i];
        if ((!trace || !strcasecmp(trace, t->name)) && ras_wall_clock(t->trace, &how.wall_ns))
            return ras_time_write(text, &how, time_ns);
    }
    return 0;
}

bool function_tick_of(const struct run_tick *ticks, size_t count, uint64_t time_ns, uint64_t *tick)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (ticks[mid].begin_ns <= time_ns)
            low = mid + 1;
        else
            high = mid;
    }
    if (!low || time_ns > ticks[count - 1].end_ns)
        return false;
    *tick = ticks[low - 1].tick;
    return true;
}

bool function_time_of(const struct run_tick *ticks, size_t count, uint64_t tick, uint64_t *time_ns)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (ticks[mid].tick < tick)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == count || ticks[low].tick != tick)
        return false;
    *time_ns = ticks[low].begin_ns;
    return true;
}

/* ---- names --------------------------------------------------------------------------------- */

const char *function_demangle(struct module *m, const char *name)
{
    if (!m->symbols && ras_symbols_open(&m->symbols, NULL) < 0)
        return NULL;
    return ras_symbols_demangle(m->symbols, name);
}

/* ---- items of lists ------------------------------------------------------------------------ */

static struct ras_value text_item(struct ras_bytes text)
{
    return (struct ras_value){.kind = RAS_STR, .at = text.at, .count = (uint32_t)text.len};
}

static struct ras_value number_item(const struct json_token *token)
{
    char text[64];
    if (token->span.len >= sizeof text)
        return text_item(token->span);
    memcpy(text, token->span.at, token->span.len);
    text[token->span.len] = 0;
    if (!token->integer)
        return (struct ras_value){.kind = RAS_F64, .f64 = strtod(text, NULL)};
    /* As everywhere: a u64 by its bit pattern. */
    return (struct ras_value){.kind = RAS_INT,
                              .i = *text == '-' ? strtoll(text, NULL, 10)
                                                : (int64_t)strtoull(text, NULL, 10)};
}

static bool string_item(struct json_read *in, const struct json_token *token, struct out *text,
                        struct ras_value *item)
{
    size_t len;
    text->len = 0;
    char *room = malloc(token->span.len + 1);
    if (!room)
        return false;
    if (json_read_text(in, token, room, token->span.len, &len)) {
        out_bytes(text, room, len);
        *item = text_item((struct ras_bytes){text->at, text->len});
    }
    free(room);
    return !text->failed;
}

static bool take_item(struct json_read *in, const struct json_token *token, struct out *text,
                      struct ras_value *item)
{
    switch (token->kind) {
    case JSON_NULL:
        return true;
    case JSON_BOOL:
        *item = (struct ras_value){.kind = RAS_INT, .i = token->truth};
        return true;
    case JSON_NUMBER:
        *item = number_item(token);
        return true;
    case JSON_STRING:
        return string_item(in, token, text, item);
    default:
        *item = text_item(json_read_value(in, token));
        return true;
    }
}

bool function_at(struct ras_bytes list, int64_t wanted, struct out *text, struct ras_value *item)
{
    struct json_token token;
    struct json_read in = json_read_bytes(list);
    *item = (struct ras_value){.kind = RAS_NULL};
    if (!list.at || json_read_next(&in, &token) != JSON_ARRAY || wanted < 0)
        return true;
    for (int64_t i = 0;; i++) {
        enum json_kind kind = json_read_next(&in, &token);
        if (kind == JSON_ARRAY_END || kind == JSON_BAD || kind == JSON_END)
            return true;
        if (i == wanted)
            return take_item(&in, &token, text, item);
        if (!json_read_skip(&in, &token))
            return true;
    }
}
