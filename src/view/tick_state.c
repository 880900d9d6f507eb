/* tick_state.c - one tick in figures, beside those of the tick before. */
#include "view/tick_state.h"
#include "base/error.h"
#include "core/document.h"
#include "core/row.h"
#include "view/leaves.h"

#include <math.h>
#include <stdlib.h>

/* A cursor before the first record of a tick that is of this type; NULL: of any. */
static int tick_open(struct ras_cursor **c, struct ras_trace *t, const char *type, uint64_t tick,
                     struct ras_error *err)
{
    struct ras_pick pick = {.type = type};
    struct ras_scan scan = {.picks = type ? &pick : NULL, .pick_count = type ? 1 : 0};
    int status = ras_cursor_open(c, t, &scan, err);
    return status < 0 ? status : ras_seek(*c, RAS_AXIS_TICK, tick, err);
}

/* The next record of the tick; RAS_END: there is none. */
static int tick_next(struct ras_cursor *c, uint64_t tick, const struct ras_record **r,
                     struct ras_error *err)
{
    int status = ras_next(c, r, err);
    if (status != RAS_OK)
        return status < 0 ? status : RAS_END;
    return (*r)->flags & RAS_HAS_TICK && (*r)->tick == tick ? RAS_OK : RAS_END;
}

/* ---- state ---------------------------------------------------------------------------------- */

/* The fields of a tick, and what they borrow from. */
struct tick_fields {
    struct ras_inspection *seen; /* NULL: `doc` */
    struct document doc;
    const char *name; /* of the type, with `doc` */
    bool timed;
    uint64_t time_ns;
};

static void tick_fields_free(struct tick_fields *f)
{
    ras_inspection_free(f->seen);
    document_free(&f->doc);
}

/* The first record of a tick, as a map; its values would be gone with the next one. */
static int first_record(struct tick_fields *f, struct ras_trace *t, uint64_t tick, bool keep,
                        struct ras_error *err)
{
    struct ras_cursor *c = NULL;
    const struct ras_record *r;
    int status = tick_open(&c, t, NULL, tick, err);
    if (status == RAS_OK)
        status = tick_next(c, tick, &r, err);
    if (status == RAS_OK) {
        const struct ras_schema *schema = ras_schema_of(c);
        size_t count;
        const struct ras_value *v = ras_values(c, &count), *end = v + count;
        f->timed = ras_has_time(c);
        f->time_ns = r->time_ns;
        f->name = schema->name;
        size_t map = document_open(&f->doc, RAS_MAP);
        for (; keep && v < end; v = ras_value_next(v)) {
            const struct ras_field *field = &schema->fields[v->field];
            document_name(&f->doc, field->name);
            if (field->flags & RAS_HEX && v->kind == RAS_UINT)
                document_format(&f->doc, "0x%016" PRIx64, v->u);
            else
                document_copy(&f->doc, v);
        }
        document_close(&f->doc, map);
    }
    ras_cursor_close(c);
    if (f->doc.cells.nomem)
        return fail_memory(err);
    return status;
}

static int tick_fields_read(struct tick_fields *f, struct ras_trace *t, uint64_t tick,
                            struct ras_error *err)
{
    *f = (struct tick_fields){0};
    int status = tick > INT64_MAX ? RAS_END : first_record(f, t, tick, true, err);
    if (status == RAS_END)
        return fail(err, RAS_ENOTHING, RAS_NONE, "there is no tick %" PRIu64, tick);
    if (status < 0)
        return status;
    status =
        ras_inspect(&f->seen, t, NULL,
                    &(struct ras_inspect_options){.name = "tick", .number = (int64_t)tick}, err);
    if (status == RAS_EUNSUPPORTED || status == RAS_ENOTHING || status == RAS_EREFUSED)
        status = RAS_OK; /* the record is what there is */
    return status < 0 ? status : RAS_OK;
}

static const struct ras_value *tick_fields_value(const struct tick_fields *f)
{
    return f->seen ? f->seen->value : f->doc.cells.items;
}

/* A group of rows: what `now` and `before` have, as leaves_put() has it. */
static int put_group(struct json *j, const char *name, const struct leaves *now,
                     const struct leaves *before, uint64_t *changed, struct ras_error *err)
{
    uint64_t n;
    json_object(j, NULL);
    json_text(j, "name", name);
    json_array(j, "fields");
    bool fine = leaves_put(j, now, before, &n);
    json_close(j);
    json_uint(j, "changed", n);
    json_close(j);
    *changed += n;
    return fine ? RAS_OK : fail_memory(err);
}

/* Members of a document that are not maps (`inside` NULL), or those of one of its maps. */
static void group_leaves(struct leaves *l, const struct ras_value *map, const char *inside)
{
    const struct ras_value *member = inside ? map_find(map, inside) : NULL;
    if (inside) {
        if (member)
            leaves_add(l, "", member, 0);
        return;
    }
    for (const struct ras_value *k = map + 1; k < ras_value_next(map);) {
        const struct ras_value *v = ras_value_next(k);
        char name[64];
        snprintf(name, sizeof name, "%.*s", k->kind == RAS_STR ? (int)k->count : 0,
                 k->kind == RAS_STR ? (const char *)k->at : "");
        if (v->kind != RAS_MAP)
            leaves_add(l, name, v, 0);
        k = ras_value_next(v);
    }
}

static int put_member_group(struct json *j, const char *name, const char *inside,
                            const struct ras_value *now, const struct ras_value *before,
                            uint64_t *changed, struct ras_error *err)
{
    struct leaves a = {0}, b = {0};
    group_leaves(&a, now, inside);
    if (before)
        group_leaves(&b, before, inside);
    int status = put_group(j, name, &a, before ? &b : NULL, changed, err);
    leaves_free(&a);
    leaves_free(&b);
    return status;
}

/* The document of a tick: its maps are groups, its other members are the group of the tick. */
static int put_state(struct json *j, const struct tick_fields *now,
                     const struct tick_fields *before, uint64_t *changed, struct ras_error *err)
{
    const struct ras_value *a = tick_fields_value(now);
    const struct ras_value *b = before ? tick_fields_value(before) : NULL;
    int status = RAS_OK;
    for (const struct ras_value *k = a + 1; k < ras_value_next(a) && status == RAS_OK;) {
        const struct ras_value *v = ras_value_next(k);
        char name[64];
        snprintf(name, sizeof name, "%.*s", k->kind == RAS_STR ? (int)k->count : 0,
                 k->kind == RAS_STR ? (const char *)k->at : "");
        if (v->kind == RAS_MAP)
            status = put_member_group(j, name, name, a, b, changed, err);
        k = ras_value_next(v);
    }
    if (status == RAS_OK)
        status = put_member_group(j, now->seen ? "tick" : now->name, NULL, a, b, changed, err);
    return status;
}

int tick_state_put(struct json *j, struct ras_trace *t, uint64_t tick, struct ras_error *err)
{
    struct tick_fields now, before = {0};
    uint64_t changed = 0;
    struct ras_error none;
    int status = tick_fields_read(&now, t, tick, err);
    bool compared = status == RAS_OK && tick && tick_fields_read(&before, t, tick - 1, &none) >= 0;
    if (status == RAS_OK) {
        char text[24];
        snprintf(text, sizeof text, "%" PRIu64, now.time_ns);
        json_text(j, "time", now.timed ? text : NULL);
        json_array(j, "state");
        status = put_state(j, &now, compared ? &before : NULL, &changed, err);
        json_close(j);
        if (compared)
            json_uint(j, "changed", changed);
        else
            json_null(j, "changed");
    }
    tick_fields_free(&now);
    tick_fields_free(&before);
    return status;
}

/* ---- things --------------------------------------------------------------------------------- */

struct thing {
    uint64_t kind, id;
    uint32_t counts[SCENE_KINDS_MOST], active[SCENE_KINDS_MOST];
    struct document doc; /* its fields */
    bool found;
    uint32_t number;
    uint64_t seq;
};

static void thing_keep(struct thing *g, const struct ras_cursor *c, const struct ras_record *r)
{
    size_t count;
    const struct ras_value *v = ras_values(c, &count), *end = v + count;
    const struct ras_schema *schema = ras_schema_of(c);
    size_t map = document_open(&g->doc, RAS_MAP);
    for (; v < end; v = ras_value_next(v)) {
        document_name(&g->doc, schema->fields[v->field].name);
        document_copy(&g->doc, v);
    }
    document_close(&g->doc, map);
    g->found = true;
    g->seq = r->seq;
}

/* Count the things of a tick, and keep the one with the kind and id. */
static int things_walk(struct thing *g, struct ras_trace *t, uint64_t tick, struct ras_error *err)
{
    const struct scene_ops *ops = t->format->scene;
    struct ras_cursor *c = NULL;
    const struct ras_record *r;
    int status = tick_open(&c, t, NULL, tick, err);
    while (status == RAS_OK && (status = tick_next(c, tick, &r, err)) == RAS_OK) {
        const char *type = ras_schema_of(c)->name;
        for (int k = -1; (k = scene_kind_of(ops, type, k)) >= 0;) {
            struct scene_item item = {.kind = (unsigned)k, .heading = NAN, .size = NAN};
            if (!ops->item(c, &item))
                continue;
            g->counts[k]++;
            g->active[k] += item.active && !(item.size <= 0);
            if (!g->found && g->kind == (uint64_t)k && g->id == item.id) {
                thing_keep(g, c, r);
                g->number = item.number;
            }
        }
    }
    ras_cursor_close(c);
    if (g->doc.cells.nomem)
        return fail_memory(err);
    return status < 0 ? status : RAS_OK;
}

static int put_thing(struct json *j, struct ras_trace *t, const struct thing *now,
                     const struct thing *before, struct ras_error *err)
{
    struct leaves a = {0}, b = {0};
    uint64_t changed;
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, now->id);
    leaves_add(&a, "", now->doc.cells.items, 0);
    if (before->found)
        leaves_add(&b, "", before->doc.cells.items, 0);
    json_object(j, "entity");
    json_text(j, "kind", t->format->scene->kinds[now->kind].name);
    json_text(j, "id", text);
    json_uint(j, "number", now->number);
    snprintf(text, sizeof text, "%" PRIu64, now->seq);
    json_text(j, "seq", now->seq == RAS_NONE ? NULL : text);
    json_array(j, "fields");
    bool fine = leaves_put(j, &a, before->found ? &b : NULL, &changed);
    json_close(j);
    json_close(j);
    leaves_free(&a);
    leaves_free(&b);
    return fine ? RAS_OK : fail_memory(err);
}

int tick_things_put(struct json *j, struct ras_trace *t, uint64_t tick, uint64_t kind, uint64_t id,
                    struct ras_error *err)
{
    const struct scene_ops *ops = t->format->scene;
    struct thing now = {.kind = kind, .id = id}, before = now;
    int status = things_walk(&now, t, tick, err);
    if (status == RAS_OK && now.found && tick)
        status = things_walk(&before, t, tick - 1, err);
    if (status == RAS_OK) {
        json_array(j, "counts");
        for (unsigned i = 0; i < scene_kind_count(ops); i++) {
            json_object(j, NULL);
            json_text(j, "kind", ops->kinds[i].name);
            json_uint(j, "count", now.counts[i]);
            json_uint(j, "active", now.active[i]);
            json_close(j);
        }
        json_close(j);
        if (now.found)
            status = put_thing(j, t, &now, &before, err);
        else
            json_null(j, "entity");
    }
    document_free(&now.doc);
    document_free(&before.doc);
    return status;
}

/* ---- commands and random numbers ------------------------------------------------------------ */

static void put_command(struct json *j, const struct scene_commands *of, const struct ras_cursor *c,
                        const struct ras_record *r, uint64_t index, struct out *words)
{
    const struct ras_value *name = ras_value_of(c, of->name);
    char text[24];
    words->len = 0;
    of->text(c, words);
    json_object(j, NULL);
    json_uint(j, "index", index);
    snprintf(text, sizeof text, "%" PRIu64, r->seq);
    json_text(j, "seq", r->seq == RAS_NONE ? NULL : text);
    if (name && name->kind == RAS_STR)
        json_string(j, "name", name->at, name->count);
    else
        json_null(j, "name");
    json_string(j, "text", words->len ? (const char *)words->at : "", words->len);
    json_close(j);
}

int tick_commands_put(struct json *j, struct ras_trace *t, uint64_t tick, struct ras_error *err)
{
    const struct scene_commands *of = &t->format->scene->commands;
    struct ras_cursor *c = NULL;
    const struct ras_record *r;
    struct out words = {0};
    uint64_t count = 0;
    int status = tick_open(&c, t, of->type, tick, err);
    json_object(j, "commands");
    json_array(j, "items");
    while (status == RAS_OK && (status = tick_next(c, tick, &r, err)) == RAS_OK)
        if (count++ < TICK_ROWS_MOST)
            put_command(j, of, c, r, count - 1, &words);
    json_close(j);
    json_uint(j, "count", count);
    json_close(j);
    bool nomem = words.failed;
    out_free(&words);
    ras_cursor_close(c);
    if (nomem)
        return fail_memory(err);
    return status < 0 ? status : RAS_OK;
}

int tick_draws_put(struct json *j, struct ras_trace *t, uint64_t tick, struct ras_error *err)
{
    const struct scene_draws *of = &t->format->scene->draws;
    struct ras_cursor *c = NULL;
    const struct ras_record *r;
    uint64_t count = 0;
    int status = tick_open(&c, t, of->type, tick, err);
    json_object(j, "draws");
    json_uint(j, "values", of->values);
    json_array(j, "items");
    while (status == RAS_OK && (status = tick_next(c, tick, &r, err)) == RAS_OK)
        if (count++ < TICK_ROWS_MOST) {
            const struct ras_value *caller = ras_value_of(c, of->caller);
            json_array(j, NULL);
            json_int(j, NULL, scene_whole(ras_value_of(c, of->value)));
            if (caller && caller->kind != RAS_NULL)
                json_int(j, NULL, scene_whole(caller));
            else
                json_null(j, NULL);
            json_close(j);
        }
    json_close(j);
    json_uint(j, "count", count);
    json_close(j);
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}
