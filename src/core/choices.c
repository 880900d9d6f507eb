/* choices.c - options that some formats have: rows of a driver, and what a caller chose of them. */
#include "core/choices.h"
#include "core/registry.h"

#include <stdlib.h>

bool choice_made(const struct ras_choice *choices, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(choices[i].name, name))
            return true;
    return false;
}

uint64_t choice_value(const struct ras_choice *choices, size_t count, const char *name)
{
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(choices[i].name, name))
            value = choices[i].value;
    return value;
}

static bool has_word(const char *words, const char *word)
{
    size_t len = strlen(word);
    for (const char *p = words; (p = strstr(p, word)); p += len)
        if ((p == words || p[-1] == ' ') && (!p[len] || p[len] == ' '))
            return true;
    return false;
}

/* The row of that name; `verb` NULL: of any verb. */
static const struct ras_format_option *find_option(const struct ras_format *f, const char *verb,
                                                   const char *name)
{
    for (const struct ras_format_option *o = f->about.options; o && o->name; o++)
        if (!strcmp(o->name, name) && (!verb || has_word(o->verbs, verb)))
            return o;
    return NULL;
}

/* The list of all that any format has for the verb is what to choose from. */
static int unknown_choice(const char *verb, const char *name, struct ras_error *err)
{
    struct ras_near near;
    char meant[120], all[160] = "";
    const struct ras_format *f;
    ras_near_start(&near, name);
    for (size_t i = 0, len = 0; (f = registry_at(i)); i++)
        for (const struct ras_format_option *o = f->about.options; o && o->name; o++) {
            if (!has_word(o->verbs, verb))
                continue;
            ras_near_add(&near, o->name);
            if (len < sizeof all)
                len += (size_t)snprintf(all + len, sizeof all - len, " %s", o->name);
        }
    ras_near_text(&near, meant, sizeof meant);
    return fail(err, RAS_EUSAGE, RAS_NONE, "%s has no option '%.60s' of any format%s%shere are:%s",
                verb, name, meant, *meant ? " T" : "; t", all);
}

int choices_check(const struct ras_format *format, const char *verb,
                  const struct ras_choice *choices, size_t count, struct ras_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = choices[i].name;
        const struct ras_format_option *found = find_option(format, verb, name);
        if (found)
            continue;
        const struct ras_format *other;
        for (size_t k = 0; !found && (other = registry_at(k)); k++)
            found = find_option(other, verb, name);
        if (!found)
            return unknown_choice(verb, name, err);
        if (found->refused)
            return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s traces %s", format->about.name,
                        found->refused);
    }
    return RAS_OK;
}

struct ras_choice *choices_copy(const struct ras_format *format, const struct ras_choice *choices,
                                size_t *count)
{
    size_t kept = 0;
    struct ras_choice *copy = malloc((*count + 1) * sizeof *copy);
    for (size_t i = 0; copy && i < *count; i++) {
        const struct ras_format_option *row = find_option(format, NULL, choices[i].name);
        if (row)
            copy[kept++] = (struct ras_choice){row->name, choices[i].value};
    }
    *count = kept;
    return copy;
}
