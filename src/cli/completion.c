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

/* A verb under each of its names, as a pattern of shells; one of two words in quotes. */
static void put_names(const struct command *c, const char *between)
{
    printf(strchr(c->name, ' ') ? "'%s'" : "%s", c->name);
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

static void put_verbs(const struct command *const *verbs)
{
    for (size_t i = 0; verbs[i]; i++)
        printf("%s%s", i ? " " : "", command_word(verbs[i]));
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
        printf("%s'%s:--%s'", i ? "|" : "        ", names[i], row->name);
        if (row->letter)
            printf("|'%s:-%c'", names[i], row->letter);
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
    "    local inner=2\n"
    "    if [ \"$cur\" = = ]; then cur=; fi\n"
    "    if [ \"$prev\" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n";

static void bash_options(const struct command *c)
{
    each_row(c, bash_words);
}

static void bash_command(const struct command *c)
{
    fputs("        ", stdout);
    put_names(c, "|");
    fputs(") words='", stdout);
    each_row(c, bash_name);
    puts(takes_verb(c) ? "' ;;" : "' verbs= ;;");
}

/* The second word of a verb that has verbs of its own. */
static void bash_inner(void)
{
    puts("    case $verb in");
    for (size_t i = 0; commands[i]; i++)
        if (commands[i]->verbs) {
            printf("        %s) verbs='", commands[i]->name);
            put_verbs(commands[i]->verbs);
            puts("' ;;");
        }
    puts("        *) inner=0 ;;\n"
         "    esac\n"
         "    if [ \"$inner\" -gt 0 ] && [ \"$COMP_CWORD\" -gt 2 ]; then\n"
         "        verb=\"$verb ${COMP_WORDS[2]}\"\n"
         "    fi");
}

static void bash(void)
{
    fputs(bash_head, stdout);
    fputs("    verbs='", stdout);
    put_verbs(commands);
    puts("'\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "        _rastrum_from -W \"$verbs\" -- \"$cur\"\n"
         "        return\n    fi");
    bash_inner();
    puts("    case $verb:$prev in");
    each_command(bash_options);
    puts("    esac\n"
         "    if [ -n \"$words\" ]; then _rastrum_from -W \"$words\" -- \"$cur\"; return; fi\n"
         "    case $verb in");
    each_command(bash_command);
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

static void zsh_verbs(const struct command *const *verbs)
{
    for (size_t i = 0; verbs[i]; i++) {
        printf("        '%s:", command_word(verbs[i]));
        zsh_text(verbs[i]->about);
        puts("'");
    }
}

static void zsh_command(const struct command *c)
{
    fputs("    ", stdout);
    put_names(c, "|");
    fputs(")\n        _arguments", stdout);
    each_row(c, zsh_row);
    fputs(" \\\n        '*:", stdout);
    if (takes_verb(c)) {
        fputs("verb:(", stdout);
        put_verbs(c->verbs ? c->verbs : commands);
        puts(")' ;;");
    } else {
        puts("trace:_files' ;;");
    }
}

static void zsh(void)
{
    puts("#compdef rastrum\n_rastrum() {\n    local -a verbs\n    local verb=${words[2]}\n"
         "    verbs=(");
    zsh_verbs(commands);
    puts("    )\n    if (( CURRENT == 2 )); then _describe verb verbs; return; fi\n"
         "    case $verb in");
    for (size_t i = 0; commands[i]; i++)
        if (commands[i]->verbs) {
            printf(
                "    %s)\n        if (( CURRENT > 3 )); then verb=\"$verb ${words[3]}\"; fi ;;\n",
                commands[i]->name);
        }
    puts("    esac\n    case $verb in");
    each_command(zsh_command);
    puts("    esac\n}\n_rastrum \"$@\"");
}

/* ---- fish ------------------------------------------------------------------------ */

static void fish_text(const char *text)
{
    for (; *text; text++)
        printf(*text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
}

/* Behind the verb; behind both words of one that belongs to another. */
static void fish_when(const struct command *c)
{
    const char *word = command_word(c);
    fputs("complete -c rastrum -n '", stdout);
    if (word != c->name)
        printf("__fish_seen_subcommand_from %.*s; and __fish_seen_subcommand_from %s'",
               (int)(word - c->name - 1), c->name, word);
    else
        printf("__fish_seen_subcommand_from %s%s%s'", c->name, c->alias ? " " : "",
               c->alias ? c->alias : "");
}

static void fish_row(const struct command *c, const struct option_row *row)
{
    fish_when(c);
    printf(" -l %s", row->name);
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

static void fish_command(const struct command *c)
{
    const char *word = command_word(c);
    if (word != c->name)
        printf("complete -c rastrum -n '__fish_seen_subcommand_from %.*s' -f -a %s -d '",
               (int)(word - c->name - 1), c->name, word);
    else
        printf("complete -c rastrum -n __fish_use_subcommand -f -a %s -d '", word);
    fish_text(c->about);
    puts("'");
}

static void fish_options(const struct command *c)
{
    each_row(c, fish_row);
}

static void fish(void)
{
    puts("# fish completion for rastrum");
    each_command(fish_command);
    each_command(fish_options);
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
