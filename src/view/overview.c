/* overview.c - the route open: what is shown, before anything of it is read. */
#include "view/viewer.h"

static const char *overview_kind(const struct shown *shown)
{
    if (!shown->side_count)
        return "none";
    if (shown->side_count > 1)
        return "pair";
    return shown->sides[0].run ? "run" : "trace";
}

static void put_side(struct json *j, const struct side *s)
{
    json_object(j, NULL);
    json_text(j, "name", s->origin->name);
    json_text(j, "kind", s->run ? "run" : "trace");
    json_array(j, "sources");
    for (unsigned i = s->first; i < s->first + s->count; i++)
        json_uint(j, NULL, i);
    json_close(j);
    json_close(j);
}

static void put_source(struct json *j, const struct source *s, unsigned i)
{
    json_object(j, NULL);
    json_uint(j, "src", i);
    json_uint(j, "side", s->side);
    json_text(j, "pen", s->pen);
    json_text(j, "name", s->name);
    json_text(j, "error", s->trace ? NULL : s->err->text);
    json_close(j);
}

static int answer_open(struct request *r)
{
    const struct shown *shown = r->shown;
    struct json j = request_json(r);
    json_text(&j, "version", ras_version());
    json_text(&j, "kind", overview_kind(shown));
    json_bool(&j, "follow", r->options->follow);
    json_array(&j, "sides");
    for (unsigned i = 0; i < shown->side_count; i++)
        put_side(&j, &shown->sides[i]);
    json_close(&j);
    json_array(&j, "sources");
    for (unsigned i = 0; i < shown->source_count; i++)
        put_source(&j, &shown->sources[i], i);
    json_close(&j);
    return request_end(r, &j);
}

const struct route open_routes[] = {
    {.path = "open", .answer = answer_open},
    {0},
};
