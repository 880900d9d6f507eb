/* manual.c - manual pages from the tables of commands. */
#include "cli/command.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Text for roff: a dash is a minus, a backslash is escaped, a dot never leads. */
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
         "rastrum \\- read, check and show traces of deterministic programs\n"
         ".SH SYNOPSIS\n"
         ".B rastrum\n"
         "\\fIVERB\\fP [\\fIOPTIONS\\fP] \\fITRACE\\fP...\n"
         ".SH DESCRIPTION\n"
         "A trace is a file, a directory or \\- for standard input. Its format is detected\n"
         "from its content; gzip and zstd files are decompressed automatically.\n"
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

int help_manual(const char *name)
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
