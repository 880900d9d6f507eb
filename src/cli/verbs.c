/* verbs.c - find a verb by the words of a command line. */
#include "cli/command.h"
#include "cli/say.h"

#include <stdio.h>
#include <string.h>

const char *command_word(const struct command *c)
{
    const char *space = strrchr(c->name, ' ');
    return space ? space + 1 : c->name;
}

static const struct command *verb_find_in(const struct command *const *verbs, const char *word)
{
    for (size_t i = 0; verbs[i]; i++)
        if (!strcmp(command_word(verbs[i]), word) ||
            (verbs[i]->alias && !strcmp(verbs[i]->alias, word)))
            return verbs[i];
    return NULL;
}

static const struct command *command_find(const char *name)
{
    return verb_find_in(commands, name);
}

void each_command(void (*each)(const struct command *))
{
    for (size_t i = 0; commands[i]; i++) {
        each(commands[i]);
        for (size_t k = 0; commands[i]->verbs && commands[i]->verbs[k]; k++)
            each(commands[i]->verbs[k]);
    }
}

/* None of these verbs has this name. */
static const struct command *unknown(const struct command *const *verbs, const char *above,
                                     const char *word)
{
    struct ras_near near;
    char text[120];
    ras_near_start(&near, word);
    for (size_t i = 0; verbs[i]; i++) {
        ras_near_add(&near, command_word(verbs[i]));
        if (verbs[i]->alias)
            ras_near_add(&near, verbs[i]->alias);
    }
    ras_near_text(&near, text, sizeof text);
    trouble("unknown verb '%s%s%s'%s%s rastrum help%s%s lists them", above, *above ? " " : "", word,
            text, *text ? "" : ";", *above ? " " : "", above);
    return NULL;
}

const struct command *command_of(const char *const *words, size_t count, size_t *used)
{
    const struct command *c = count ? command_find(words[0]) : NULL;
    *used = 1;
    if (!c)
        return count ? unknown(commands, "", words[0]) : NULL;
    if (!c->verbs || count < 2 || words[1][0] == '-')
        return c;
    *used = 2;
    const struct command *inner = verb_find_in(c->verbs, words[1]);
    return inner ? inner : unknown(c->verbs, c->name, words[1]);
}
