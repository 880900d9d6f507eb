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

/* A verb under each of its names, as a pattern of shells. */
static void put_names(const struct command *c, const char *between)
{
    printf("%s", c->name);
    if (c->alias)
        printf("%s%s", between, c->alias);
}

static void put_words(const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        printf("%s%s", i ? " " : "", words[i]);
}

static bool takes_verb(const struct command *c)
{
    return strstr(c->operands, "VERB");
}

static void put_verbs(void)
{
    for (size_t i = 0; commands[i]; i++)
        printf("%s%s", i ? " " : "", commands[i]->name);
}

/* ---- bash ------------------------------------------------------------------------ */

static void bash_name(const struct command *c, const struct option_row *row)
{
    (void)c;
    printf(" --%s", row->name);
}

static void bash_words(const struct command *c, const struct option_row *row)
{
    const char *const names[] = {c->name, c->alias};
    if (!row->words)
        return;
    for (size_t i = 0; i < 2 && names[i]; i++) {
        printf("%s%s:--%s", i ? "|" : "        ", names[i], row->name);
        if (row->letter)
            printf("|%s:-%c", names[i], row->letter);
    }
    fputs(") words='", stdout);
    put_words(row->words);
    puts("' ;;");
}

/* One word a line, so that a name with blanks stays one; `filenames` quotes it. */
static const char bash_head[] =
    "# bash completion for rastrum\n"
    "_rastrum_from() {\n"
    "    mapfile -t COMPREPLY < <(compgen \"$@\")\n"
    "}\n"
    "_rastrum() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local verb=${COMP_WORDS[1]} words= verbs=\n"
    "    if [ \"$cur\" = = ]; then cur=; fi\n"
    "    if [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n";

static void bash(void)
{
    fputs(bash_head, stdout);
    fputs("    verbs='", stdout);
    put_verbs();
    puts("'\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "        _rastrum_from -W \"$verbs\" -- \"$cur\"\n"
         "        return\n    fi\n    case $verb:$prev in");
    for (size_t i = 0; commands[i]; i++)
        each_row(commands[i], bash_words);
    puts("    esac\n"
         "    if [ -n \"$words\" ]; then _rastrum_from -W \"$words\" -- \"$cur\"; return; fi\n"
         "    case $verb in");
    for (size_t i = 0; commands[i]; i++) {
        fputs("        ", stdout);
        put_names(commands[i], "|");
        fputs(") words='", stdout);
        each_row(commands[i], bash_name);
        puts(takes_verb(commands[i]) ? "' ;;" : "' verbs= ;;");
    }
    puts("        *) verbs= ;;\n"
         "    esac\n"
         "    case $cur in\n"
         "        -*) _rastrum_from -W \"$words\" -- \"$cur\" ;;\n"
         "        *) if [ -n \"$verbs\" ]; then _rastrum_from -W \"$verbs\" -- \"$cur\"\n"
         "           else _rastrum_from -f -- \"$cur\"; fi ;;\n"
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
            put_words(row->words);
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
        fputs("    ", stdout);
        put_names(commands[i], "|");
        fputs(")\n        _arguments", stdout);
        each_row(commands[i], zsh_row);
        fputs(" \\\n        '*:", stdout);
        if (takes_verb(commands[i])) {
            fputs("verb:(", stdout);
            put_verbs();
            puts(")' ;;");
        } else {
            puts("trace:_files' ;;");
        }
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
    fputs("complete -c rastrum -n '__fish_seen_subcommand_from ", stdout);
    put_names(c, " ");
    printf("' -l %s", row->name);
    if (row->letter)
        printf(" -s %c", row->letter);
    if (row->argument)
        fputs(" -r", stdout);
    if (row->words) {
        fputs(" -f -a '", stdout);
        put_words(row->words);
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
