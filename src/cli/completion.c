/* completion.c - shell completion from the tables of commands. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

static void each_row(const struct command *c,
                     void (*put)(const struct command *, const struct option_row *))
{
    for (const struct option_row *row = c->rows; row->name; row++)
        put(c, row);
    for (const struct option_row *row = common_rows; row->name; row++)
        put(c, row);
}

/* ---- bash ------------------------------------------------------------------------ */

static void bash_name(const struct command *c, const struct option_row *row)
{
    (void)c;
    printf(" --%s", row->name);
}

static void bash_words(const struct command *c, const struct option_row *row)
{
    if (!row->words)
        return;
    printf("        %s:--%s) words='", c->name, row->name);
    for (size_t i = 0; row->words[i]; i++)
        printf("%s%s", i ? " " : "", row->words[i]);
    puts("' ;;");
}

static void bash(void)
{
    puts("# bash completion for rastrum\n_rastrum() {\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
         "    local verb=${COMP_WORDS[1]} words=\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    fputs("        COMPREPLY=($(compgen -W '", stdout);
    for (size_t i = 0; commands[i]; i++)
        printf("%s%s", i ? " " : "", commands[i]->name);
    puts("' -- \"$cur\"))\n        return\n    fi\n    case $verb:$prev in");
    for (size_t i = 0; commands[i]; i++)
        each_row(commands[i], bash_words);
    puts("    esac\n"
         "    if [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")); return; "
         "fi\n"
         "    case $verb in");
    for (size_t i = 0; commands[i]; i++) {
        printf("        %s) words='", commands[i]->name);
        each_row(commands[i], bash_name);
        puts("' ;;");
    }
    puts("    esac\n"
         "    case $cur in\n"
         "        -*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
         "        *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
         "    esac\n}\ncomplete -o filenames -F _rastrum rastrum");
}

/* ---- zsh ------------------------------------------------------------------------- */

/* Text inside single quotes and zsh's brackets. */
static void zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr("[]:\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void zsh_row(const struct command *c, const struct option_row *row)
{
    (void)c;
    printf(" \\\n        '*--%s%s[", row->name, row->argument ? "=" : "");
    zsh_text(row->about);
    putchar(']');
    if (row->argument) {
        printf(":%s:", row->argument);
        if (row->words) {
            putchar('(');
            for (size_t i = 0; row->words[i]; i++)
                printf("%s%s", i ? " " : "", row->words[i]);
            putchar(')');
        } else {
            fputs(strcmp(row->argument, "FILE") ? "" : "_files", stdout);
        }
    }
    putchar('\'');
}

static void zsh(void)
{
    puts("#compdef rastrum\n_rastrum() {\n    local -a verbs\n    verbs=(");
    for (size_t i = 0; commands[i]; i++) {
        printf("        '%s:", commands[i]->name);
        zsh_text(commands[i]->about);
        puts("'");
    }
    puts("    )\n    if (( CURRENT == 2 )); then _describe verb verbs; return; fi\n"
         "    case ${words[2]} in");
    for (size_t i = 0; commands[i]; i++) {
        printf("    %s)\n        _arguments", commands[i]->name);
        each_row(commands[i], zsh_row);
        puts(" \\\n        '*:trace:_files' ;;");
    }
    puts("    esac\n}\n_rastrum \"$@\"");
}

/* ---- fish ------------------------------------------------------------------------ */

static void fish_text(const char *text)
{
    for (; *text; text++)
        printf(*text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
}

static void fish_row(const struct command *c, const struct option_row *row)
{
    printf("complete -c rastrum -n '__fish_seen_subcommand_from %s' -l %s", c->name, row->name);
    if (row->letter)
        printf(" -s %c", row->letter);
    if (row->argument)
        fputs(" -r", stdout);
    if (row->words) {
        fputs(" -f -a '", stdout);
        for (size_t i = 0; row->words[i]; i++)
            printf("%s%s", i ? " " : "", row->words[i]);
        putchar('\'');
    }
    fputs(" -d '", stdout);
    fish_text(row->about);
    puts("'");
}

static void fish(void)
{
    puts("# fish completion for rastrum");
    for (size_t i = 0; commands[i]; i++) {
        printf("complete -c rastrum -n __fish_use_subcommand -f -a %s -d '", commands[i]->name);
        fish_text(commands[i]->about);
        puts("'");
    }
    for (size_t i = 0; commands[i]; i++)
        each_row(commands[i], fish_row);
}

int help_completion(const char *shell)
{
    if (!strcmp(shell, "bash"))
        bash();
    else if (!strcmp(shell, "zsh"))
        zsh();
    else
        fish();
    return EXIT_YES;
}
