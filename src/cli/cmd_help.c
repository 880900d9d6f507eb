/* cmd_help.c - help and manual pages from the tables of commands. */
#include "cli/agents_page.h"
#include "cli/command.h"
#include "cli/session.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Escape text for roff: dashes, backslashes and leading dots. */
static void put_roff(const char *text)
{
    bool start = true;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
        start = *text == '\n';
    }
}

static void put_title(const char *name)
{
    fputs(".TH ", stdout);
    for (; *name; name++)
        putchar(toupper((unsigned char)*name));
    printf(" 1 2026-11-15 \"rastrum %s\" Rastrum\n", ras_version());
}

static void manual_put_rows(const struct option_row *rows)
{
    for (; rows->name; rows++) {
        puts(".TP");
        fputs(".B ", stdout);
        if (rows->letter)
            printf("\\-%c, ", rows->letter);
        fputs("\\-\\-", stdout);
        put_roff(rows->name);
        if (rows->argument)
            printf(" \\fI%s\\fP", rows->argument);
        putchar('\n');
        put_roff(rows->about);
        putchar('\n');
    }
}

/* The options of every verb that this one takes, by name. */
static void manual_put_common(const struct command *c)
{
    const char *comma = "";
    for (const struct option_row *row = common_rows; row->name; row++)
        if (common_option_fits(c, row)) {
            printf("%s\\fB\\-\\-", comma);
            put_roff(row->name);
            fputs("\\fP", stdout);
            comma = ",\n";
        }
    puts(".");
}

static void put_synopsis(const struct command *c)
{
    printf("rastrum %s\n[\\fIOPTIONS\\fP]", c->name);
    if (*c->operands) {
        fputs(" \\fI", stdout);
        put_roff(c->operands);
        fputs("\\fP", stdout);
    }
    putchar('\n');
}

/* The verbs of a verb, each with its own options. */
static void manual_put_verbs(const struct command *const *verbs)
{
    puts(".SH VERBS");
    for (size_t i = 0; verbs[i]; i++) {
        printf(".SS %s\n.B ", command_word(verbs[i]));
        put_synopsis(verbs[i]);
        puts(".PP");
        put_roff(verbs[i]->text);
        manual_put_rows(command_rows(verbs[i]));
    }
}

static void manual_put_command(const struct command *c)
{
    char name[64];
    snprintf(name, sizeof name, "rastrum-%s", c->name);
    put_title(name);
    printf(".SH NAME\nrastrum\\-%s", c->name);
    if (c->alias)
        printf(", rastrum\\-%s", c->alias);
    fputs(" \\- ", stdout);
    put_roff(c->about);
    fputs("\n.SH SYNOPSIS\n.B ", stdout);
    put_synopsis(c);
    puts(".SH DESCRIPTION");
    put_roff(c->text);
    if (c->verbs)
        manual_put_verbs(c->verbs);
    puts(".SH OPTIONS");
    manual_put_rows(command_rows(c));
    puts(".SH COMMON OPTIONS\nThese are described in\n.BR rastrum (1):");
    manual_put_common(c);
    if (c->examples) {
        puts(".SH EXAMPLES\n.nf");
        put_roff(c->examples);
        puts(".fi");
    }
    puts(".SH EXIT STATUS");
    put_roff(c->exits);
    puts(".\n.SH SEE ALSO\n.BR rastrum (1)");
}

static void put_overview(void)
{
    put_title("rastrum");
    puts(".SH NAME\n"
         "rastrum \\- read, check, repair, compare and replay execution traces\n"
         ".SH SYNOPSIS\n"
         ".B rastrum\n"
         "\\fIVERB\\fP [\\fIOPTIONS\\fP] \\fITRACE\\fP...\n"
         ".SH DESCRIPTION\n"
         "A trace is a file, a directory, a URL or \\- for standard input. Its format is\n"
         "detected from its content; gzip and zstd files are decompressed automatically.\n"
         ".SH VERBS");
    for (size_t i = 0; commands[i]; i++) {
        printf(".TP\n.BR rastrum\\-%s (1)\n", commands[i]->name);
        put_roff(commands[i]->about);
        putchar('\n');
    }
    puts(".SH COMMON OPTIONS\nMost verbs take these:");
    manual_put_rows(common_rows);
    puts(".SH EXIT STATUS\n0 success; 1 the answer is no (differs, invalid, no match); 2 error; 3 "
         "success, but the\ninput was truncated or damaged. The page of a verb says what it does.");
}

static int help_manual(const char *name)
{
    if (!strcmp(name, "rastrum")) {
        put_overview();
        return EXIT_YES;
    }
    size_t used;
    const struct command *c = command_of(&name, 1, &used);
    if (!c)
        return EXIT_TROUBLE;
    manual_put_command(c);
    return EXIT_YES;
}

struct options {
    struct common common;
    bool agents;
    const char *man, *completion, *words;
};

enum { HELP_WIDTH = 88 };

static void help_put_rows(const struct option_row *rows)
{
    for (; rows->name; rows++) {
        char left[60];
        snprintf(left, sizeof left, "%s%c%s--%s%s%s", rows->letter ? "-" : "  ",
                 rows->letter ? rows->letter : ' ', rows->letter ? ", " : " ", rows->name,
                 rows->argument ? " " : "", rows->argument ? rows->argument : "");
        printf("  %-28s %s\n", left, rows->about);
    }
}

/* The common options of the verb, by name only: they are the same everywhere. */
static void help_put_common(const struct command *c)
{
    size_t column = 0;
    for (const struct option_row *row = common_rows; row->name; row++) {
        char word[60];
        if (!common_option_fits(c, row))
            continue;
        int len = snprintf(word, sizeof word, "%.*s%c%s--%s%s%s", row->letter ? 1 : 0, "-",
                           row->letter ? row->letter : ' ', row->letter ? ", " : "", row->name,
                           row->argument ? " " : "", row->argument ? row->argument : "");
        const char *shown = word + (row->letter ? 0 : 1);
        if (column && column + (size_t)len + 2 > HELP_WIDTH) {
            putchar('\n');
            column = 0;
        }
        column += (size_t)printf("  %s", shown);
    }
    puts("\n  rastrum help options describes them.");
}

static void help_options(void)
{
    puts("rastrum VERB [OPTIONS]\n\n"
         "Options that several verbs have; rastrum help VERB lists those of one verb.\n");
    help_put_rows(common_rows);
    puts("\n"
         "The argument of a long option follows a blank or =; that of a short one may be joined\n"
         "(-n5). -- ends the options. The items of a list are separated by commas, and an option\n"
         "that takes a list may be repeated.");
}

static void put_indented(const char *text)
{
    for (bool start = true; *text; text++) {
        if (start)
            fputs("  ", stdout);
        putchar(*text);
        start = *text == '\n';
    }
}

static void help_put_verbs(const struct command *const *verbs)
{
    for (size_t i = 0; verbs[i]; i++)
        printf("  %-10s %s\n", command_word(verbs[i]), verbs[i]->about);
}

void help_command(const struct command *c)
{
    printf("rastrum %s [OPTIONS]%s%s\n\n  %c%s.\n\n", c->name, *c->operands ? " " : "", c->operands,
           c->about[0] - 'a' + 'A', c->about + 1);
    put_indented(c->text);
    if (c->verbs) {
        puts("\nVerbs:");
        help_put_verbs(c->verbs);
        printf("\nrastrum help %s VERB describes one.\n", c->name);
    }
    if (command_rows(c)->name) {
        puts("\nOptions:");
        help_put_rows(command_rows(c));
    }
    puts("\nCommon options:");
    help_put_common(c);
    if (c->alias)
        printf("\nAlso known as: %s\n", c->alias);
    if (c->examples) {
        puts("\nExamples:");
        put_indented(c->examples);
    }
    printf("\nExit status: %s.\n", c->exits);
}

void help_overview(void)
{
    puts("rastrum VERB [OPTIONS] TRACE...\n\n"
         "Reads, checks, repairs, compares and replays execution traces: events (dial9), calls\n"
         "(ATF), state (CDT), inputs (Murk) and GPU commands (AeroGPU). A TRACE is a file, a\n"
         "directory, a URL or - for standard input; its format is detected from its content.\n");
    help_put_verbs(commands);
    puts("\n"
         "rastrum help VERB describes a verb, rastrum help options the common options;\n"
         "rastrum --version prints the version.");
}

/* ---- as JSON ------------------------------------------------------------------------- */

static void json_rows(struct ras_json *j, const char *key, const struct option_row *rows)
{
    static const char *const kinds[] = {
        [OPTION_FLAG] = "flag",     [OPTION_ALL] = "flag",        [OPTION_TEXT] = "text",
        [OPTION_NUMBER] = "number", [OPTION_INTEGER] = "integer", [OPTION_LIST] = "list",
        [OPTION_NAMES] = "names",   [OPTION_CHOICE] = "flag"};
    ras_json_array(j, key);
    for (const struct option_row *row = rows; row->name; row++) {
        const char letter[2] = {row->letter};
        if (row > rows)
            ras_json_line(j, 3);
        ras_json_object(j, NULL);
        ras_json_text(j, "name", row->name);
        ras_json_text(j, "letter", row->letter ? letter : NULL);
        bool choice = row->kind == OPTION_CHOICE && row->argument;
        ras_json_text(j, "takes", choice ? "text" : kinds[row->kind]);
        ras_json_text(j, "argument", row->argument);
        ras_json_text(j, "about", row->about);
        ras_json_array(j, "words");
        for (size_t i = 0; row->words && row->words[i]; i++)
            ras_json_text(j, NULL, row->words[i]);
        ras_json_end(j);
        ras_json_end(j);
    }
    ras_json_end(j);
}

static void json_command(struct ras_json *j, const struct command *c);

static void json_commands(struct ras_json *j, const struct command *const *verbs)
{
    ras_json_array(j, "verbs");
    for (size_t i = 0; verbs[i]; i++) {
        if (i)
            ras_json_line(j, 2);
        json_command(j, verbs[i]);
    }
    ras_json_end(j);
}

static void json_command(struct ras_json *j, const struct command *c)
{
    ras_json_object(j, NULL);
    ras_json_text(j, "name", c->name);
    ras_json_text(j, "alias", c->alias);
    ras_json_text(j, "operands", c->operands);
    ras_json_text(j, "about", c->about);
    ras_json_text(j, "text", c->text);
    ras_json_text(j, "examples", c->examples);
    ras_json_text(j, "exits", c->exits);
    json_rows(j, "options", command_rows(c));
    if (c->verbs)
        json_commands(j, c->verbs);
    ras_json_end(j);
}

static int help_json(const struct common *common, const struct command *only)
{
    struct answer a;
    int status = answer_open(&a, common);
    if (status)
        return status;
    struct ras_json *j = answer_json(&a);
    if (only) {
        json_command(j, only);
    } else {
        ras_json_object(j, NULL);
        ras_json_text(j, "version", ras_version());
        json_rows(j, "common_options", common_rows);
        ras_json_line(j, 1);
        json_commands(j, commands);
        ras_json_end(j);
    }
    ras_json_newline(j);
    return answer_close(&a, EXIT_YES);
}

static int help_run(void *options)
{
    const struct options *o = options;
    if (o->man)
        return help_manual(o->man);
    if (o->agents)
        return fwrite(agents_page, 1, agents_page_size, stdout) == agents_page_size
                   ? EXIT_YES
                   : trouble("cannot write to standard output");
    if (o->completion)
        return help_completion(o->completion);
    if (o->words)
        return help_words(o->words, &o->common.operands);
    if (!o->common.operands.count && o->common.json)
        return help_json(&o->common, NULL);
    if (!o->common.operands.count) {
        help_overview();
        return EXIT_YES;
    }
    if (o->common.operands.count == 1 && !strcmp(o->common.operands.items[0], "options") &&
        !o->common.json) {
        help_options();
        return EXIT_YES;
    }
    size_t used;
    const struct command *c = command_of(o->common.operands.items, o->common.operands.count, &used);
    if (!c)
        return EXIT_TROUBLE;
    if (o->common.operands.count > used)
        return trouble("help takes one verb, not %zu", o->common.operands.count);
    if (o->common.json)
        return help_json(&o->common, c);
    help_command(c);
    return EXIT_YES;
}

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static const struct option_row rows[] = {
    {"man", 0, OPTION_TEXT, "VERB", "print the manual page of a verb (or of rastrum)", NULL,
     offsetof(struct options, man)},
    {"completion", 0, OPTION_TEXT, "SHELL", "print completions for bash, zsh or fish", shells,
     offsetof(struct options, completion)},
    {"agents", 0, OPTION_FLAG, NULL, "print how an agent uses rastrum", NULL,
     offsetof(struct options, agents)},
    {"words", 0, OPTION_TEXT, "KIND", "for completion: the words of a kind, one per line", NULL,
     offsetof(struct options, words)},
    {0},
};

const struct command cmd_help = {
    .name = "help",
    .operands = "[VERB | options]",
    .about = "show what a verb does and which options it takes",
    .text = "Without a verb, lists all verbs; `options` describes the common options.\n",
    .exits = "0; 2 unknown verb",
    .refuses = "input-format dialect out output force pager",
    .rows = rows,
    .size = sizeof(struct options),
    .run = help_run,
};
