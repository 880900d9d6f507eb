/* options.c - option rows to values: long and short, in any order. */
#include "cli/command.h"
#include "cli/say.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const color_words[] = {"auto", "always", "never", NULL};

const struct option_row common_rows[] = {
    {"json", 0, OPTION_FLAG, NULL, "print JSON", NULL, offsetof(struct common, json)},
    {"input-format", 0, OPTION_TEXT, "NAME", "read as this format instead of detecting it", NULL,
     offsetof(struct common, input_format)},
    {"dialect", 0, OPTION_TEXT, "NAME", "use the rules of this dialect (see rastrum formats)", NULL,
     offsetof(struct common, dialect)},
    {"out", 'o', OPTION_TEXT, "FILE",
     "write to FILE, atomically (x.gz, x.zst: compressed); - is stdout", NULL,
     offsetof(struct common, out)},
    {"output", 0, OPTION_TEXT, "FILE", "the same as --out", NULL, offsetof(struct common, out)},
    {"force", 'f', OPTION_FLAG, NULL, "replace an existing output of rastrum", NULL,
     offsetof(struct common, force)},
    {"color", 0, OPTION_TEXT, "WHEN", "auto, always (if no WHEN follows) or never", color_words,
     offsetof(struct common, color), "always"},
    {"colour", 0, OPTION_TEXT, "WHEN", "the same as --color", color_words,
     offsetof(struct common, color), "always"},
    {"pager", 0, OPTION_FLAG, NULL, "show the output in $PAGER", NULL,
     offsetof(struct common, pager)},
    {"quiet", 'q', OPTION_FLAG, NULL, "no notes and no progress", NULL,
     offsetof(struct common, quiet)},
    {"no-progress", 0, OPTION_FLAG, NULL, "no progress line", NULL,
     offsetof(struct common, no_progress)},
    {"exit-zero", 0, OPTION_FLAG, NULL, "exit 0 whatever the result", NULL,
     offsetof(struct common, exit_zero)},
    {"help", 'h', OPTION_FLAG, NULL, "show this help", NULL, offsetof(struct common, help)},
    {0},
};

static void *value_at(void *options, const struct option_row *row)
{
    return (char *)options + row->at;
}

static const struct option_row *option_find_in(const struct option_row *rows, const char *name,
                                               size_t len, char letter)
{
    for (; rows->name; rows++)
        if (letter ? rows->letter == letter : !strncmp(rows->name, name, len) && !rows->name[len])
            return rows;
    return NULL;
}

bool common_option_fits(const struct command *c, const struct option_row *row)
{
    size_t len = strlen(row->name);
    for (const char *p = c->refuses; p && *p; p += strspn(p, " ")) {
        size_t word = strcspn(p, " ");
        if (word == len && !strncmp(p, row->name, len))
            return false;
        p += word;
    }
    return true;
}

static const struct option_row *find(const struct command *c, const char *name, size_t len,
                                     char letter)
{
    const struct option_row *row = option_find_in(command_rows(c), name, len, letter);
    if (row)
        return row;
    row = option_find_in(common_rows, name, len, letter);
    return row && common_option_fits(c, row) ? row : NULL;
}

bool list_add(struct list *list, const char *item)
{
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 8;
        const char **bigger = realloc(list->items, room * sizeof *bigger);
        if (!bigger)
            return false;
        list->items = bigger;
        list->room = room;
    }
    list->items[list->count++] = item;
    return true;
}

/* Split at commas, in place: argv is ours. */
static bool list_add_all(struct list *list, char *text)
{
    while (text) {
        char *comma = strchr(text, ',');
        if (comma)
            *comma = 0;
        if (*text && !list_add(list, text))
            return false;
        text = comma ? comma + 1 : NULL;
    }
    return true;
}

enum number_parsed number_parse(const char *text, uint64_t *value)
{
    char *end;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    errno = 0;
    *value = strtoull(text, &end, hex ? 16 : 10);
    if (*end || *text < '0' || *text > '9' || (hex && !text[2]))
        return NUMBER_NONE;
    return errno ? NUMBER_TOO_LARGE : NUMBER_FINE;
}

static int set_number(struct number *number, const struct option_row *row, const char *text)
{
    number->given = true;
    switch (number_parse(text, &number->value)) {
    case NUMBER_FINE:
        return 0;
    case NUMBER_TOO_LARGE:
        return trouble("--%s: %s is too large; the largest is %" PRIu64, row->name, text,
                       UINT64_MAX);
    default:
        return trouble("--%s takes a whole number, not '%s'", row->name, text);
    }
}

int size_parse(const char *option, const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    char *end;
    double value = strtod(text, &end);
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    double scale = 1;
    for (const char *u = units; unit && u <= unit; u++)
        scale *= 1024;
    end += unit != NULL;
    end += unit && !strncmp(end, "iB", 2) ? 2 : unit && *end == 'B' ? 1 : 0;
    if (*end || !(value * scale >= 1 << 20) || value * scale > 1e15)
        return trouble("%s takes bytes such as 256M or 4G, at least 1M, not '%s'", option, text);
    *bytes = (uint64_t)(value * scale);
    return 0;
}

bool integer_parse(const char *text, int64_t *value)
{
    uint64_t number;
    bool minus = *text == '-';
    if (number_parse(text + (minus || *text == '+'), &number) != NUMBER_FINE ||
        number > (uint64_t)INT64_MAX + minus)
        return false;
    *value = minus ? (int64_t)(0 - number) : (int64_t)number;
    return true;
}

static int set_integer(struct integer *integer, const struct option_row *row, const char *text)
{
    integer->given = true;
    return integer_parse(text, &integer->value)
               ? 0
               : trouble("--%s takes a whole number, not '%s'", row->name, text);
}

static bool is_word(const struct option_row *row, const char *text)
{
    for (size_t i = 0; row->words && row->words[i]; i++)
        if (!strcmp(row->words[i], text))
            return true;
    return false;
}

static int check_word(const struct option_row *row, const char *text)
{
    if (!row->words || is_word(row, text))
        return 0;
    char all[200] = "";
    size_t len = 0;
    for (size_t i = 0; row->words[i] && len < sizeof all; i++)
        len += (size_t)snprintf(all + len, sizeof all - len, "%s%s", i ? ", " : "", row->words[i]);
    return trouble("--%s takes one of %s, not '%s'", row->name, all, text);
}

static int set_value(void *options, const struct option_row *row, char *text)
{
    void *value = value_at(options, row);
    int status;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)value = true;
        return 0;
    case OPTION_ALL:
        *(struct number *)value = (struct number){true, UINT64_MAX};
        return 0;
    case OPTION_NUMBER:
        return set_number(value, row, text);
    case OPTION_INTEGER:
        return set_integer(value, row, text);
    case OPTION_LIST:
        if (!*text)
            return trouble("--%s takes a list, not ''", row->name);
        return list_add_all(value, text) ? 0 : trouble("out of memory");
    case OPTION_NAMES:
        return list_add(value, text) ? 0 : trouble("out of memory");
    case OPTION_CHOICE:
        return choose(options, row, text);
    case OPTION_TEXT:
        status = check_word(row, text);
        *(const char **)value = text;
        return status;
    }
    return 0;
}

/* Similar names of the verb's options, and the command that lists all. */
static int no_option(const struct command *c, const char *name, size_t len)
{
    char word[64], meant[200], dashed[64][40];
    struct ras_near near;
    size_t count = 0;
    snprintf(word, sizeof word, "--%.*s", (int)len, name);
    ras_near_start(&near, word);
    const struct option_row *const tables[] = {command_rows(c), common_rows};
    for (size_t i = 0; i < 2; i++)
        for (const struct option_row *row = tables[i]; row->name && count < 64; row++, count++) {
            snprintf(dashed[count], sizeof dashed[count], "--%s", row->name);
            if (i == 0 || common_option_fits(c, row))
                ras_near_add(&near, dashed[count]);
        }
    ras_near_text(&near, meant, sizeof meant);
    return trouble("%s has no option --%.*s%s%s rastrum help %s lists them", c->name, (int)len,
                   name, meant, *meant ? "" : ";", c->name);
}

static int parse_long(const struct command *c, void *options, int argc, char **argv, int *i)
{
    char *name = argv[*i] + 2;
    char *equals = strchr(name, '=');
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    const struct option_row *row = find(c, name, len, 0);
    if (!row)
        return c->absent ? c->run(NULL) : no_option(c, name, len);
    if (!row->argument)
        return equals ? trouble("--%s takes no argument", row->name)
                      : set_value(options, row, NULL);
    if (!equals && row->bare && !(*i + 1 < argc && is_word(row, argv[*i + 1])))
        return set_value(options, row, (char *)(uintptr_t)row->bare);
    if (!equals && *i + 1 >= argc)
        return trouble("--%s needs %s", row->name, row->argument);
    return set_value(options, row, equals ? equals + 1 : argv[++*i]);
}

static int parse_short(const struct command *c, void *options, int argc, char **argv, int *i)
{
    for (char *p = argv[*i] + 1; *p; p++) {
        const struct option_row *row = find(c, "", 0, *p);
        if (!row && c->absent)
            return c->run(NULL);
        if (!row)
            return trouble("%s has no option -%c; rastrum help %s lists them", c->name, *p,
                           c->name);
        if (!row->argument) {
            set_value(options, row, NULL);
            continue;
        }
        if (!p[1] && *i + 1 >= argc)
            return trouble("-%c needs %s", *p, row->argument);
        return set_value(options, row, p[1] ? p + 1 : argv[++*i]);
    }
    return 0;
}

int common_option_words(const char *word, const char *next)
{
    const struct option_row *row = NULL;
    const char *equals = strchr(word, '=');
    if (word[0] == '-' && word[1] == '-')
        row = option_find_in(common_rows, word + 2,
                             (equals ? (size_t)(equals - word) : strlen(word)) - 2, 0);
    else if (word[0] == '-' && word[1])
        row = option_find_in(common_rows, "", 0, word[1]);
    if (!row)
        return 0;
    bool joined = equals || (word[1] != '-' && word[2]);
    if (!row->argument || joined)
        return 1;
    return row->bare && !(next && is_word(row, next)) ? 1 : 2;
}

int options_parse(const struct command *c, void *options, int argc, char **argv)
{
    struct common *common = options;
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        int status = 0;
        if (only_operands || argv[i][0] != '-' || !argv[i][1])
            status = list_add(&common->operands, argv[i]) ? 0 : trouble("out of memory");
        else if (!strcmp(argv[i], "--"))
            only_operands = true;
        else if (argv[i][1] == '-')
            status = parse_long(c, options, argc, argv, &i);
        else
            status = parse_short(c, options, argc, argv, &i);
        if (status)
            return status;
        if (!only_operands)
            common->before_dashes = common->operands.count;
    }
    return 0;
}

void options_free(const struct command *c, void *options)
{
    struct common *common = options;
    free(common->operands.items);
    free(common->choices);
    for (const struct option_row *row = c->rows; row->name; row++)
        if (row->kind == OPTION_LIST || row->kind == OPTION_NAMES)
            free(((struct list *)value_at(options, row))->items);
}
