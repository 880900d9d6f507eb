/* format_options.c - options that formats have for a verb, as rows of the command line. */
#include "cli/command.h"
#include "cli/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_SIZE = 80, VERBS_MOST = 64 };

static const struct ras_format_option *option_of(const struct ras_format_about *f,
                                                 const struct command *c, const char *name)
{
    for (const struct ras_format_option *o = f->options; o && o->name; o++)
        if (ras_option_has_verb(o, c->name) && !strcmp(o->name, name))
            return o;
    return NULL;
}

/* "atf, dial9: what it does": the formats that have the option. NULL: memory is short. */
static const char *about_option(const struct command *c, const struct ras_format_option *o)
{
    char names[NAMES_SIZE] = "";
    const struct ras_format_about *f;
    for (size_t i = 0, len = 0; (f = ras_format_at(i)) && len < sizeof names; i++)
        if (option_of(f, c, o->name))
            len +=
                (size_t)snprintf(names + len, sizeof names - len, "%s%s", len ? ", " : "", f->name);
    size_t size = strlen(names) + strlen(o->about) + 3;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s: %s", names, o->about);
    return text;
}

static bool is_option_there(const struct option_row *rows, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(rows[i].name, name))
            return true;
    return false;
}

/* The verb's own rows, then those of formats, each once. */
static struct option_row *make_rows(const struct command *c)
{
    const struct ras_format_about *f;
    size_t count = 0, room = 1;
    while (c->rows[count].name)
        count++;
    for (size_t i = 0; (f = ras_format_at(i)); i++)
        for (const struct ras_format_option *o = f->options; o && o->name; o++)
            room++;
    struct option_row *rows = calloc(count + room, sizeof *rows);
    if (!rows)
        return NULL;
    memcpy(rows, c->rows, count * sizeof *rows);
    for (size_t i = 0; (f = ras_format_at(i)); i++)
        for (const struct ras_format_option *o = f->options; o && o->name; o++) {
            if (!ras_option_has_verb(o, c->name) || is_option_there(rows, count, o->name))
                continue;
            rows[count] = (struct option_row){.name = o->name,
                                              .kind = OPTION_CHOICE,
                                              .argument = o->argument,
                                              .about = about_option(c, o)};
            count += rows[count].about != NULL;
        }
    return rows;
}

const struct option_row *command_rows(const struct command *c)
{
    static struct {
        const struct command *command;
        struct option_row *rows;
    } made[VERBS_MOST];
    for (size_t i = 0; i < VERBS_MOST; i++) {
        if (!made[i].command) {
            made[i].command = c;
            made[i].rows = make_rows(c);
        }
        if (made[i].command == c)
            return made[i].rows ? made[i].rows : c->rows;
    }
    return c->rows;
}

bool has_choice(const struct common *common, const char *name)
{
    for (size_t i = 0; i < common->choice_count; i++)
        if (!strcmp(common->choices[i].name, name))
            return true;
    return false;
}

int choose(struct common *common, const struct option_row *row, const char *text)
{
    struct ras_choice chosen = {row->name, 0};
    struct ras_error err;
    if (row->argument && ras_time_parse(NULL, text, &chosen.value, &err) < 0)
        return trouble_with(&err);
    size_t count = common->choice_count + 1;
    struct ras_choice *bigger = realloc(common->choices, count * sizeof *bigger);
    if (!bigger)
        return trouble("out of memory");
    bigger[count - 1] = chosen;
    common->choices = bigger;
    common->choice_count = count;
    return 0;
}
