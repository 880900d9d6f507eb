/* scene_route.c - the routes of Ticks: scene, ticks and tick.
 *
 * The map of a side is that of its state; where there is none, that of its commands. */
#include "ops/rundir/rundir_axes.h"
#include "view/route.h"
#include "view/scene.h"
#include "view/tick_state.h"

#include <rastrum/render.h>

#include <stdlib.h>

/* ---- which trace of a side serves ------------------------------------------------------------ */

static bool has_map(const struct scene_ops *ops)
{
    return ops && ops->kinds;
}

static bool has_state(const struct scene_ops *ops)
{
    return ops && ops->kinds && ops->is_state;
}

static bool has_commands(const struct scene_ops *ops)
{
    return ops && ops->kinds && ops->commands.type;
}

static bool has_draws(const struct scene_ops *ops)
{
    return ops && ops->draws.type;
}

static struct shown_source *side_source(const struct request *r, const struct side *side,
                                        bool (*has)(const struct scene_ops *))
{
    for (unsigned i = side->first; i < side->first + side->count; i++) {
        struct shown_source *s = &r->shown->sources[i];
        if (s->trace && has(s->trace->format->scene))
            return s;
    }
    return NULL;
}

/* The trace that the map shows; NULL with r->err. */
static struct shown_source *map_source(struct request *r, const struct side *side)
{
    struct shown_source *s = side_source(r, side, has_state);
    if (!s)
        s = side_source(r, side, has_map);
    if (!s)
        (void)fail(&r->err, RAS_EUNSUPPORTED, RAS_NONE,
                   "%s has neither a state nor commands to draw on a map", side->origin->name);
    return s;
}

/* ---- scene ------------------------------------------------------------------------------------
 */

static void put_kinds(struct json *j, const struct scene_ops *ops)
{
    static const char *const shapes[SCENE_SHAPES] = {
        [SCENE_DISC] = "disc",       [SCENE_RING] = "ring",     [SCENE_DOT] = "dot",
        [SCENE_DIAMOND] = "diamond", [SCENE_SQUARE] = "square", [SCENE_ARROW] = "arrow",
    };
    json_array(j, "kinds");
    for (unsigned i = 0; i < scene_kind_count(ops); i++) {
        json_object(j, NULL);
        json_text(j, "name", ops->kinds[i].name);
        json_text(j, "shape", shapes[ops->kinds[i].shape]);
        json_text(j, "size", ops->kinds[i].size);
        json_close(j);
    }
    json_close(j);
}

static void put_curve(struct json *j, const char *name, const char *pen,
                      const struct scene_curve *v)
{
    json_object(j, NULL);
    json_text(j, "name", name);
    json_text(j, "pen", pen);
    json_uint(j, "every", v->every);
    json_array(j, "values");
    for (size_t i = 0; i < v->count; i++)
        json_uint(j, NULL, v->at[i]);
    json_close(j);
    json_close(j);
}

/* Records of ticks [from, to) of a pen of a run that marks ticks, in all of its streams. */
static uint64_t run_records(const struct ras_rundir *run, size_t pen, uint64_t from, uint64_t to)
{
    size_t count;
    const struct ras_stream *streams = ras_streams(run->pens[pen].trace, &count);
    uint64_t records = 0;
    for (size_t i = 0; i < count || !i; i++) {
        uint32_t stream = count ? streams[i].id : 0;
        struct ras_span first, last;
        if (ras_rundir_span_of(run, pen, stream, from, false, &first) &&
            ras_rundir_span_of(run, pen, stream, to - 1, false, &last) && last.to != RAS_NONE &&
            last.to > first.from)
            records += last.to - first.from;
    }
    return records;
}

static bool marked_curve(struct scene_curve *v, const struct ras_rundir *run, size_t pen,
                         const struct scene_survey *s)
{
    uint64_t every = (s->last - s->first) / SCENE_CURVE_MOST + 1;
    bool fine = true;
    for (uint64_t t = s->first; fine && t <= s->last; t += every) {
        uint64_t end = s->last - t < every ? s->last + 1 : t + every;
        uint64_t mean = run_records(run, pen, t, end) / (end - t);
        fine = scene_curve_put(v, t - s->first, mean < UINT32_MAX ? (uint32_t)mean : UINT32_MAX);
    }
    return fine;
}

/* The same of a trace whose records have ticks themselves: one pass over their headers. */
static int counted_curve(struct request *r, struct scene_curve *v, const struct ras_rundir *run,
                         struct ras_trace *t, const struct scene_survey *s)
{
    struct ras_cursor *c;
    const struct ras_record *rec;
    uint64_t tick = RAS_NONE;
    uint32_t count = 0;
    bool fine = true;
    int status = ras_cursor_open(&c, t, &(struct ras_scan){.headers_only = true}, &r->err);
    while (status == RAS_OK && fine && (status = ras_next(c, &rec, &r->err)) == RAS_OK) {
        uint64_t at = rec->flags & RAS_HAS_TICK ? rundir_tick_of_axis(run, t, rec->tick) : RAS_NONE;
        if (at == RAS_NONE || at < s->first || at > s->last)
            continue;
        count = at == tick ? count + 1 : 1;
        tick = at;
        fine = scene_curve_put(v, at - s->first, count);
    }
    ras_cursor_close(c);
    return status < 0 ? status : fine ? RAS_OK : fail_memory(&r->err);
}

/* How many records the other traces of a run have in each tick. */
static int put_run_curves(struct json *j, struct request *r, const struct side *side,
                          const struct shown_source *map, const struct scene_survey *s)
{
    int status = RAS_OK;
    for (unsigned i = side->first; side->run && s->any && i < side->first + side->count; i++) {
        const struct shown_source *other = &r->shown->sources[i];
        struct scene_curve v = {0};
        if (other == map || !other->trace || status < 0)
            continue;
        if (other->trace->format->about.axes >> RAS_AXIS_TICK & 1)
            status = counted_curve(r, &v, side->run, other->trace, s);
        else if (!marked_curve(&v, side->run, other->run_pen, s))
            status = fail_memory(&r->err);
        if (status >= 0)
            put_curve(j, "records", other->pen, &v);
        free(v.at);
        if (status >= 0 && !request_goes_on(r, 1, 1))
            status = fail_canceled(&r->err);
    }
    return status;
}

static int answer_scene(struct request *r)
{
    const struct side *side = request_side(r, 0);
    const struct shown_source *map = map_source(r, side);
    struct scene_survey s = {0};
    int status = map ? scene_survey(&s, map->trace, r->progress, r->user, &r->err) : r->err.status;
    if (status == RAS_OK) {
        const struct scene_ops *ops = map->trace->format->scene;
        struct json j = request_json(r);
        json_uint(&j, "src", (uint64_t)(map - r->shown->sources));
        json_bool(&j, "is_state", ops->is_state);
        json_uint_or_null(&j, "first", s.any ? s.first : RAS_NONE);
        json_uint_or_null(&j, "last", s.any ? s.last : RAS_NONE);
        put_kinds(&j, ops);
        json_array(&j, "bounds");
        for (unsigned i = 0; s.placed && i < 4; i++)
            json_f64(&j, NULL, s.box[i]);
        json_close(&j);
        json_array(&j, "curves");
        for (unsigned i = 0; i < scene_kind_count(ops); i++)
            put_curve(&j, ops->kinds[i].name, map->pen, &s.curves[i]);
        status = put_run_curves(&j, r, side, map, &s);
        json_close(&j);
        if (status >= 0)
            status = request_end(r, &j);
    }
    scene_survey_free(&s);
    return status;
}

/* ---- ticks, tick ------------------------------------------------------------------------------
 */

static int answer_ticks(struct request *r)
{
    const struct shown_source *map = map_source(r, request_side(r, 0));
    if (!map)
        return r->err.status;
    r->type = "application/octet-stream";
    return scene_pack(r->out, map->trace, r->args[1].value, (uint32_t)r->args[2].value,
                      (uint32_t)r->generation, &r->err);
}

static int answer_tick(struct request *r)
{
    const struct side *side = request_side(r, 0);
    const struct shown_source *map = map_source(r, side);
    const struct shown_source *commands = side_source(r, side, has_commands);
    const struct shown_source *draws = side_source(r, side, has_draws);
    uint64_t tick = r->args[1].value;
    if (!map)
        return r->err.status;
    struct json j = request_json(r);
    json_uint(&j, "tick", tick);
    int status = tick_state_put(&j, map->trace, tick, &r->err);
    if (status == RAS_OK)
        status =
            tick_things_put(&j, map->trace, tick, r->args[2].given ? r->args[2].value : RAS_NONE,
                            r->args[3].value, &r->err);
    if (status == RAS_OK && commands)
        status = tick_commands_put(&j, commands->trace, tick, &r->err);
    if (status == RAS_OK && draws)
        status = tick_draws_put(&j, draws->trace, tick, &r->err);
    return status < 0 ? status : request_end(r, &j);
}

const struct route scene_routes[] = {
    {.path = "scene", .job = true, .args = {{"side", ARG_SIDE}}, .answer = answer_scene},
    {.path = "ticks",
     .args = {{"side", ARG_SIDE},
              {"from", ARG_NUMBER},
              {"n", ARG_NUMBER, .optional = true, .most = SCENE_TICKS_MOST, .value = 1}},
     .answer = answer_ticks},
    {.path = "tick",
     .args = {{"side", ARG_SIDE},
              {"n", ARG_NUMBER},
              {"kind", ARG_NUMBER, .optional = true},
              {"id", ARG_NUMBER, .optional = true}},
     .answer = answer_tick},
    {0},
};
