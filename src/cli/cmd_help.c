/* cmd_help.c - help, for one verb or all. */
#include "cli/command.h"
#include "cli/say.h"

#include <stddef.h>
#include <stdio.h>

struct options {
    struct common common;
    const char *man, *completion;
};

static void put_rows(const struct option_row *rows)
{
    for (; rows->name; rows++) {
        char left[60];
        snprintf(left, sizeof left, "%s%c%s--%s%s%s", rows->letter ? "-" : "  ",
                 rows->letter ? rows->letter : ' ', rows->letter ? ", " : " ", rows->name,
                 rows->argument ? " " : "", rows->argument ? rows->argument : "");
        printf("  %-28s %s\n", left, rows->about);
    }
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

void help_command(const struct command *c)
{
    printf("rastrum %s [OPTIONS]%s%s\n\n  %s.\n\n", c->name, *c->operands ? " " : "", c->operands,
           c->about);
    put_indented(c->text);
    if (c->rows->name) {
        puts("\nOptions:");
        put_rows(c->rows);
    }
    puts("\nCommon options:");
    put_rows(common_rows);
    if (c->alias)
        printf("\nAlso known as: %s\n", c->alias);
    if (c->examples) {
        puts("\nExamples:");
        put_indented(c->examples);
    }
    puts("\nExit status: 0 yes or done; 1 no; 2 trouble; 3 done, but the input was cut or\n"
         "damaged and something was lost.");
}

void help_overview(void)
{
    puts("rastrum VERB [OPTIONS] TRACE...\n\n"
         "Reads, checks and shows the traces of deterministic programs: inputs (Murk), state\n"
         "(CDT), GPU commands (AeroGPU), events (dial9) and calls (ATF). A TRACE is a file, a\n"
         "directory or - for standard input; its format is found by its bytes.\n");
    for (size_t i = 0; commands[i]; i++)
        printf("  %-10s %s\n", commands[i]->name, commands[i]->about);
    puts("\nrastrum help VERB tells more of one; rastrum --version says which this is.");
}

static int run(void *options)
{
    const struct options *o = options;
    if (o->man)
        return help_manual(o->man);
    if (o->completion)
        return help_completion(o->completion);
    if (!o->common.operands.count) {
        help_overview();
        return EXIT_YES;
    }
    const struct command *c = command_find(o->common.operands.items[0]);
    if (!c)
        return trouble("there is no verb '%s'; rastrum help lists them",
                       o->common.operands.items[0]);
    help_command(c);
    return EXIT_YES;
}

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static const struct option_row rows[] = {
    {"man", 0, OPTION_TEXT, "VERB", "print the manual page of a verb (or of rastrum)", NULL,
     offsetof(struct options, man)},
    {"completion", 0, OPTION_TEXT, "SHELL", "print completions for bash, zsh or fish", shells,
     offsetof(struct options, completion)},
    {0},
};

const struct command cmd_help = {
    .name = "help",
    .operands = "[VERB]",
    .about = "tell what a verb does and which options it takes",
    .text = "Without a verb, lists them all.\n",
    .rows = rows,
    .size = sizeof(struct options),
    .run = run,
};
