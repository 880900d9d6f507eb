/* asked.c - names on the command line: what they mean to a trace, and which it does not have. */
#include "cli/asked.h"
#include "cli/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names for a remark, cut off where it grows too long. */
struct names {
    char text[300];
    size_t len;
};

static void add_name(struct names *n, const char *name)
{
    if (n->len < sizeof n->text)
        n->len += (size_t)snprintf(n->text + n->len, sizeof n->text - n->len, " %s", name);
}

static bool has_item(const struct list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i], name))
            return true;
    return false;
}

static int no_type(const char *path, const struct ras_trace *t, const char *type)
{
    struct names names = {0};
    for (size_t i = 0; i < ras_schema_count(t); i++)
        add_name(&names, ras_schema_at(t, i)->name);
    trouble("%s: no record type '%s'; there are:%s", shown_path(path), type, names.text);
    return EXIT_NO;
}

static bool has_type(const struct ras_trace *t, const char *type)
{
    for (size_t i = 0; i < ras_schema_count(t); i++)
        if (!strcmp(ras_schema_at(t, i)->name, type))
            return true;
    return false;
}

/* Whether a type that was asked for, or any when none was, has the field; tells them in names. */
static bool has_field(const struct ras_trace *t, const struct list *types, const char *field,
                      struct names *names)
{
    for (size_t i = 0; i < ras_schema_count(t); i++) {
        const struct ras_schema *s = ras_schema_at(t, i);
        if (types->count && !has_item(types, s->name))
            continue;
        for (size_t k = 0; k < s->field_count; k++) {
            if (!strcmp(s->fields[k].name, field))
                return true;
            add_name(names, s->fields[k].name);
        }
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

bool asked_types(struct asked *a, const struct ras_trace *t, const struct list *types)
{
    size_t room = 1;
    for (size_t i = 0; i < types->count; i++)
        room += strlen(types->items[i]) + 1;
    *a = (struct asked){.text = malloc(room)};
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
        asked_free(a);
    return ok;
}

void asked_free(struct asked *a)
{
    free(a->names.items);
    free(a->text);
    *a = (struct asked){0};
}

static int check_names(const char *path, const struct ras_trace *t, const struct list *types,
                       const struct list *fields)
{
    for (size_t i = 0; i < types->count; i++)
        if (!has_type(t, types->items[i]))
            return no_type(path, t, types->items[i]);
    for (size_t i = 0; i < fields->count; i++) {
        struct names names = {0};
        if (has_field(t, types, fields->items[i], &names))
            continue;
        trouble("%s: no field '%s'; there are:%s", shown_path(path), fields->items[i], names.text);
        return EXIT_NO;
    }
    return EXIT_YES;
}

int check_asked(const char *path, const struct ras_trace *t, const struct list *types,
                const struct list *fields)
{
    struct asked asked;
    if (!asked_types(&asked, t, types))
        return trouble("out of memory");
    int status = check_names(path, t, &asked.names, fields);
    asked_free(&asked);
    return status;
}

int check_where(const char *path, const struct ras_trace *t, const struct list *types,
                const struct ras_where *where)
{
    struct asked asked;
    size_t count;
    const char *const *fields = ras_where_fields(where, &count);
    int status = EXIT_YES;
    if (!asked_types(&asked, t, types))
        return trouble("out of memory");
    for (size_t i = 0; status == EXIT_YES && i < count; i++) {
        struct names names = {0};
        if (has_field(t, &asked.names, fields[i], &names))
            continue;
        trouble("%s: --where: no field '%s' (a text is written \"%s\"); there are:%s",
                shown_path(path), fields[i], fields[i], names.text);
        status = EXIT_NO;
    }
    asked_free(&asked);
    return status;
}
