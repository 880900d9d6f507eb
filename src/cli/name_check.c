/* name_check.c - names on the command line: which of them a trace has. */
#include "cli/name_check.h"
#include "cli/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the trace has ---------------------------------------------------------------- */

static bool has_type(const struct ras_trace *t, const char *type)
{
    for (size_t i = 0; i < ras_schema_count(t); i++)
        if (ras_schema_matches(ras_schema_at(t, i), type))
            return true;
    return false;
}

/* Whether records of the schema are requested. */
static bool is_requested(const struct list *types, const struct ras_schema *s)
{
    for (size_t i = 0; i < types->count; i++)
        if (ras_schema_matches(s, types->items[i]))
            return true;
    return !types->count;
}

static bool has_field(const struct ras_trace *t, const struct list *types, const char *field)
{
    for (size_t i = 0; i < ras_schema_count(t); i++) {
        const struct ras_schema *s = ras_schema_at(t, i);
        for (size_t k = 0; is_requested(types, s) && k < s->field_count; k++)
            if (!strcmp(s->fields[k].name, field))
                return true;
    }
    return false;
}

/* The pieces of a text between commas, copied to *at. */
static bool add_pieces(struct list *names, const struct ras_trace *t, const char *type, char **at,
                       bool *known)
{
    *known = true;
    for (const char *next; *type; type = *next ? next + 1 : next) {
        next = type + strcspn(type, ",");
        char *piece = *at;
        snprintf(piece, (size_t)(next - type) + 1, "%s", type);
        *at += next - type + 1;
        *known &= has_type(t, piece);
        if (*piece && !list_add(names, piece))
            return false;
    }
    return true;
}

bool names_of_types(struct type_names *a, const struct ras_trace *t, const struct list *types)
{
    size_t room = 1;
    for (size_t i = 0; i < types->count; i++)
        room += strlen(types->items[i]) + 1;
    *a = (struct type_names){.text = malloc(room)};
    char *at = a->text;
    bool ok = at;
    for (size_t i = 0; ok && i < types->count; i++) {
        const char *type = types->items[i];
        bool known = false, whole = !strchr(type, ',') || has_type(t, type);
        if (!whole)
            ok = add_pieces(&a->names, t, type, &at, &known);
        if (ok && !known)
            ok = list_add(&a->names, type);
    }
    if (!ok)
        names_free(a);
    return ok;
}

void names_free(struct type_names *a)
{
    free(a->names.items);
    free(a->text);
    *a = (struct type_names){0};
}

/* ---- which it does not have ------------------------------------------------------------- */

/* Known names: those similar to an unknown one, and all of them if they are few. */
struct known {
    struct ras_near near;
    char all[240];
    size_t len, count;
    struct list seen;
};

static void add_known(struct known *k, const char *name)
{
    for (size_t i = 0; i < k->seen.count; i++)
        if (!strcmp(k->seen.items[i], name))
            return;
    if (!list_add(&k->seen, name))
        return;
    ras_near_add(&k->near, name);
    if (k->len < sizeof k->all)
        k->len += (size_t)snprintf(k->all + k->len, sizeof k->all - k->len, " %s", name);
}

/* "; did you mean 'a'? There are: a b c", or the command that lists them. */
static const char *advice(struct known *k, const char *lister, char *text, size_t size)
{
    char meant[300];
    ras_near_text(&k->near, meant, sizeof meant);
    bool few = k->len < sizeof k->all;
    if (!k->seen.count)
        snprintf(text, size, "; the trace has none");
    else if (few)
        snprintf(text, size, "%s%shere are:%s", meant, *meant ? " T" : "; t", k->all);
    else
        snprintf(text, size, "%s%s%s lists all %zu", meant, *meant ? " " : "; ", lister,
                 k->seen.count);
    free(k->seen.items);
    return text;
}

static int no_type(const char *path, const struct ras_trace *t, const char *type)
{
    struct known known = {0};
    char text[600];
    ras_near_start(&known.near, type);
    for (size_t i = 0; i < ras_schema_count(t); i++)
        add_known(&known, ras_schema_at(t, i)->name);
    return trouble("%s: no record type '%s'%s", shown_path(path), type,
                   advice(&known, "rastrum info", text, sizeof text));
}

static int no_field(const char *path, const struct ras_trace *t, const struct list *types,
                    const char *option, const char *field)
{
    struct known known = {0};
    char text[600];
    ras_near_start(&known.near, field);
    for (size_t i = 0; i < ras_schema_count(t); i++) {
        const struct ras_schema *s = ras_schema_at(t, i);
        bool usual = types->count || !(s->flags & RAS_ON_REQUEST);
        for (size_t k = 0;
             i != RAS_SCHEMA_GAP && usual && is_requested(types, s) && k < s->field_count; k++)
            add_known(&known, s->fields[k].name);
    }
    char quoted[100] = "";
    if (!strcmp(option, "--where") && !known.near.count)
        snprintf(quoted, sizeof quoted, " (a text is written \"%.60s\")", field);
    return trouble("%s: %s: no field '%s'%s%s", shown_path(path), option, field, quoted,
                   advice(&known, "rastrum du --by field", text, sizeof text));
}

/* The first name that the trace does not have; `say` it, or not. */
static int find_unknown(const char *path, const struct ras_trace *t, const struct list *types,
                        const struct given_names *n, bool say)
{
    size_t count = 0;
    const char *const *tested = n->where ? ras_where_fields(n->where, &count) : NULL;
    for (size_t i = 0; i < types->count; i++)
        if (!has_type(t, types->items[i]))
            return say ? no_type(path, t, types->items[i]) : EXIT_TROUBLE;
    for (size_t i = 0; n->fields && i < n->fields->count; i++)
        if (!has_field(t, types, n->fields->items[i]))
            return say ? no_field(path, t, types, "--fields", n->fields->items[i]) : EXIT_TROUBLE;
    for (size_t i = 0; i < count; i++)
        if (!has_field(t, types, tested[i]))
            return say ? no_field(path, t, types, "--where", tested[i]) : EXIT_TROUBLE;
    return EXIT_YES;
}

static int with_types(const char *path, const struct ras_trace *t, const struct given_names *n,
                      bool say)
{
    static const struct list none;
    struct type_names types;
    if (!names_of_types(&types, t, n->types ? n->types : &none))
        return trouble("out of memory");
    int status = find_unknown(path, t, &types.names, n, say);
    names_free(&types);
    return status;
}

int learn_names(const char *path, struct ras_trace *t, const struct given_names *n,
                const struct common *common, bool all)
{
    struct ras_scan scan = {
        .headers_only = true, .choices = common->choices, .choice_count = common->choice_count};
    struct ras_cursor *cursor;
    const struct ras_record *record;
    struct ras_error err;
    size_t known = ras_schema_count(t);
    if (!all && !with_types(path, t, n, false))
        return EXIT_YES;
    int status = ras_cursor_open(&cursor, t, &scan, &err);
    if (status == RAS_OK && !all && !with_types(path, t, n, false))
        status = RAS_END;
    while (status == RAS_OK && !interrupted()) {
        status = ras_next(cursor, &record, &err);
        if (all || ras_schema_count(t) == known)
            continue;
        known = ras_schema_count(t);
        if (!with_types(path, t, n, false))
            break;
    }
    ras_cursor_close(cursor);
    return status < 0 ? trouble_at(path, &err) : EXIT_YES;
}

int check_names(const char *path, const struct ras_trace *t, const struct given_names *n,
                bool quiet)
{
    char text[240];
    int status = with_types(path, t, n, true);
    if (!status && n->where && ras_where_mismatch(n->where, t, text, sizeof text))
        remark(quiet, "%s: --where: %s", shown_path(path), text);
    return status;
}

/* ---- streams ------------------------------------------------------------------------------ */

static bool is_stream(const struct ras_trace *t, unsigned long long id)
{
    size_t count;
    const struct ras_stream *streams = ras_streams(t, &count);
    for (size_t i = 0; i < count; i++)
        if (streams[i].id == id)
            return true;
    return !count && !id;
}

/* `any`: the streams are not all known yet, so any number will do. */
static bool find_stream(const struct ras_trace *t, const char *text, bool any, uint32_t *id)
{
    size_t count;
    const struct ras_stream *streams = ras_streams(t, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(streams[i].name, text)) {
            *id = streams[i].id;
            return true;
        }
    *id = 0;
    if (!count && !strcmp(text, "main")) /* the name that info gives to the only one */
        return true;
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    *id = (uint32_t)n;
    return !errno && *text >= '0' && *text <= '9' && !*end && n <= UINT32_MAX &&
           (any || is_stream(t, n));
}

int find_streams(const char *path, struct ras_trace *t, const struct list *names, bool live,
                 uint32_t *ids)
{
    struct ras_info *info;
    struct ras_error err;
    if (names->count && !live) { /* streams of some formats are known only after a walk */
        if (ras_info(&info, t, NULL, NULL, &err) < 0)
            return trouble_at(path, &err);
        ras_info_free(info);
    }
    for (size_t i = 0; i < names->count; i++)
        if (!find_stream(t, names->items[i], live, &ids[i]))
            return trouble("%s: no stream '%s'; rastrum info lists them", shown_path(path),
                           names->items[i]);
    return EXIT_YES;
}

/* ---- streams of a run ----------------------------------------------------------------------- */

/* The streams of one trace; `found` counts for each name. False: memory is short, or a trace cannot
 * be read, which is said. */
static bool streams_of_pen(const struct ras_rundir_pen *pen, const struct list *names,
                           struct ras_export_streams *out, bool *found)
{
    uint32_t *ids = calloc(names->count + 1, sizeof *ids);
    size_t len = strlen(pen->format);
    struct ras_info *info;
    struct ras_error err;
    out->ids = ids;
    if (!ids)
        return trouble("out of memory"), false;
    if (!pen->trace)
        return true;
    if (ras_info(&info, pen->trace, NULL, NULL, &err) < 0)
        return trouble_at(pen->path, &err), false;
    ras_info_free(info);
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->items[i];
        if (!strncmp(name, pen->format, len) && name[len] == ':')
            name += len + 1;
        if (!find_stream(pen->trace, name, false, &ids[out->count]))
            continue;
        out->count++;
        found[i] = true;
    }
    return true;
}

void run_streams_free(struct ras_export_streams *streams, const struct ras_rundir *run)
{
    for (size_t i = 0; streams && i < run->pen_count; i++)
        free((void *)(uintptr_t)streams[i].ids);
    free(streams);
}

struct ras_export_streams *find_run_streams(const char *path, struct ras_rundir *run,
                                            const struct list *names)
{
    struct ras_export_streams *streams = calloc(run->pen_count + 1, sizeof *streams);
    bool *found = calloc(names->count + 1, sizeof *found);
    bool ok = streams && found;
    if (!ok)
        trouble("out of memory");
    for (size_t i = 0; ok && i < run->pen_count; i++)
        ok = streams_of_pen(&run->pens[i], names, &streams[i], found);
    for (size_t i = 0; ok && i < names->count; i++)
        if (!found[i]) {
            trouble("%s: no trace of the run has a stream '%s'; rastrum info lists them",
                    shown_path(path), names->items[i]);
            ok = false;
        }
    free(found);
    if (ok)
        return streams;
    run_streams_free(streams, run);
    return NULL;
}
