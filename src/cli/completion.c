/* completion.c - shell completion from the tables of commands, and the words that options take.
 *
 * Some words are known beforehand; types, fields and tables are read from the trace that the
 * command line already names. */
#include "cli/command.h"
#include "cli/comparison.h"
#include "cli/world_choice.h"
#include "twice/condition_list.h"

#include <rastrum/export.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    RECORDS_MOST = 100000, /* completion must not wait for a long trace */
    SIZE_MOST = 256 << 20
};

/* What the option takes: "type", "table" ..., for help_words(); NULL: row->words, or anything. */
static const char *words_request(const struct command *c, const struct option_row *row)
{
    static const struct {
        const char *verb, *option, *kind; /* verb NULL: any */
    } rows[] = {
        {NULL, "input-format", "format"}, {NULL, "dialect", "dialect"},
        {NULL, "type", "type"},           {NULL, "fields", "field"},
        {"stats", "table", "table"},      {"stats", "sort", "column"},
        {NULL, "channel", "channel"},     {"convert", "to", "dialect"},
        {"export", "to", "target"},       {"twice", "vary", "condition"},
        {"twice", "only", "condition"},   {"diff", "fail-if", "figure"},
        {"help", "man", "verb"},          {"help", "words", "kind"},
    };
    for (size_t i = 0; !row->words && i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].option, row->name) && (!rows[i].verb || !strcmp(rows[i].verb, c->name)))
            return rows[i].kind;
    return NULL;
}

/* The same of the verb's operands. */
static const char *words_of_operands(const struct command *c)
{
    return strstr(c->operands, "WORLD") ? "world" : NULL;
}

/* What the option's argument is: a file, a directory, or neither. */
enum path_kind { PATH_NONE, PATH_FILE, PATH_FOLDER };

static enum path_kind path_of_argument(const struct option_row *row)
{
    if (!strcmp(row->argument, "DIR"))
        return PATH_FOLDER;
    return strstr(row->argument, "FILE") || strstr(row->argument, ".murk") ? PATH_FILE : PATH_NONE;
}

/* A name that would need quotes is not offered. */
static void put_word(const void *text, size_t len)
{
    if (len && ras_plain_prefix(text, len) == len)
        printf("%.*s\n", (int)len, (const char *)text);
}

/* The first word that is a trace; NULL: there is none. */
static struct ras_trace *find_trace(const struct list *words)
{
    for (size_t i = 0; i < words->count; i++) {
        struct ras_trace *trace;
        if (access(words->items[i], R_OK) == 0 && !arrives(words->items[i]) &&
            ras_open(&trace, words->items[i], NULL, NULL) == RAS_OK)
            return trace;
    }
    return NULL;
}

static void put_formats(struct ras_trace *trace)
{
    (void)trace;
    for (size_t i = 0; ras_format_at(i); i++)
        puts(ras_format_at(i)->name);
}

static void put_dialects(struct ras_trace *trace)
{
    const struct ras_format_about *only = trace ? ras_format_of(trace) : NULL;
    for (size_t i = 0; ras_format_at(i); i++)
        for (const char *const *name = ras_format_at(i)->dialects; *name; name++)
            if (!only || !strcmp(only->name, ras_format_at(i)->name))
                puts(*name);
}

static void put_worlds(struct ras_trace *trace)
{
    (void)trace;
    for (const struct ras_world_type *const *w = ras_world_types(); *w; w++)
        puts((*w)->name);
}

static void put_targets(struct ras_trace *trace)
{
    (void)trace;
    for (size_t i = 0; ras_export_target_at(i); i++)
        puts(ras_export_target_at(i)->name);
}

static void words_put_conditions(struct ras_trace *trace)
{
    (void)trace;
    for (unsigned i = 0; i < TWICE_CONDITIONS; i++)
        puts(twice_condition_rows[i].name);
}

static void put_verbs(struct ras_trace *trace)
{
    (void)trace;
    for (size_t i = 0; commands[i]; i++)
        puts(commands[i]->name);
}

static void put_channels(struct ras_trace *trace)
{
    (void)trace;
    for (const char *const *name = channel_words; *name; name++)
        puts(*name);
}

/* Some formats define their types between the records. */
static void learn_types(struct ras_trace *trace)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *record;
    struct ras_cursor *cursor;
    if (ras_cursor_open(&cursor, trace, &scan, NULL) != RAS_OK)
        return;
    for (size_t i = 0; i < RECORDS_MOST && ras_next(cursor, &record, NULL) == RAS_OK; i++) {
    }
    ras_cursor_close(cursor);
}

static void put_types(struct ras_trace *trace)
{
    learn_types(trace);
    for (size_t i = 0; i < ras_schema_count(trace); i++)
        put_word(ras_schema_at(trace, i)->name, strlen(ras_schema_at(trace, i)->name));
}

static void words_put_fields(struct ras_trace *trace)
{
    learn_types(trace);
    for (size_t i = 0; i < ras_schema_count(trace); i++)
        for (size_t k = 0; k < ras_schema_at(trace, i)->field_count; k++) {
            const char *name = ras_schema_at(trace, i)->fields[k].name;
            put_word(name, strlen(name));
        }
}

enum stats_words { STATS_TABLES, STATS_COLUMNS, STATS_FIGURES /* TABLE.COLUMN */ };

static void put_columns(const struct ras_value *table, const struct ras_value *name, bool figures)
{
    const struct ras_value *all = ras_value_member(table, "columns");
    for (uint32_t i = 1; i <= all->count; i++) {
        if (figures && ras_plain_prefix(name->at, name->count) == name->count)
            printf("%.*s.", (int)name->count, (const char *)name->at);
        put_word(all[i].at, all[i].count);
    }
}

static void put_stats(struct ras_trace *trace, enum stats_words what)
{
    const struct ras_stats_options how = {.no_rows = true};
    struct ras_stats *stats;
    if (ras_size(trace) > SIZE_MOST || ras_stats(&stats, trace, &how, NULL) < 0)
        return;
    const struct ras_value *tables = stats->tables, *end = ras_value_next(tables);
    for (const struct ras_value *name = tables + 1; name < end;) {
        const struct ras_value *table = name + 1;
        if (what == STATS_TABLES)
            put_word(name->at, name->count);
        else
            put_columns(table, name, what == STATS_FIGURES);
        name = ras_value_next(table);
    }
    ras_stats_free(stats);
}

static void words_put_tables(struct ras_trace *trace)
{
    put_stats(trace, STATS_TABLES);
}

static void words_put_columns(struct ras_trace *trace)
{
    put_stats(trace, STATS_COLUMNS);
}

static void words_put_figures(struct ras_trace *trace)
{
    put_stats(trace, STATS_FIGURES);
}

static void put_kinds(struct ras_trace *);

static const struct {
    const char *kind;
    bool of_trace; /* only the trace has them */
    void (*put)(struct ras_trace *);
} words_kinds[] = {
    {"format", false, put_formats},      {"dialect", false, put_dialects},
    {"world", false, put_worlds},        {"channel", false, put_channels},
    {"target", false, put_targets},      {"condition", false, words_put_conditions},
    {"verb", false, put_verbs},          {"kind", false, put_kinds},
    {"type", true, put_types},           {"field", true, words_put_fields},
    {"table", true, words_put_tables},   {"column", true, words_put_columns},
    {"figure", true, words_put_figures},
};
enum { WORDS_KINDS = sizeof words_kinds / sizeof *words_kinds };

static void put_kinds(struct ras_trace *trace)
{
    (void)trace;
    for (size_t i = 0; i < WORDS_KINDS; i++)
        puts(words_kinds[i].kind);
}

int help_words(const char *kind, const struct list *words)
{
    for (size_t i = 0; i < WORDS_KINDS; i++)
        if (!strcmp(words_kinds[i].kind, kind)) {
            struct ras_trace *trace = find_trace(words);
            if (trace || !words_kinds[i].of_trace)
                words_kinds[i].put(trace);
            ras_close(trace);
            return EXIT_YES;
        }
    return trouble("--words takes no '%s'; rastrum help --words kind lists the kinds", kind);
}

static void each_row(const struct command *c,
                     void (*put)(const struct command *, const struct option_row *))
{
    for (const struct option_row *row = command_rows(c); row->name; row++)
        put(c, row);
    for (const struct option_row *row = common_rows; row->name; row++)
        if (common_option_fits(c, row))
            put(c, row);
}

/* A verb under each of its names, as a pattern of shells; one of two words in quotes. */
static void completion_put_names(const struct command *c, const char *between)
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

/* Each under all of its names. */
static void completion_put_verbs(const struct command *const *verbs)
{
    for (size_t i = 0; verbs[i]; i++)
        printf("%s%s%s%s", i ? " " : "", command_word(verbs[i]), verbs[i]->alias ? " " : "",
               verbs[i]->alias ? verbs[i]->alias : "");
}

/* ---- bash ------------------------------------------------------------------------ */

static void bash_name(const struct command *c, const struct option_row *row)
{
    (void)c;
    printf(" --%s", row->name);
}

static void bash_words(const struct command *c, const struct option_row *row)
{
    const char *const names[] = {c->name, c->alias}, *request = words_request(c, row);
    static const char *const of_path[] = {"", "_rastrum_from -f -- \"$cur\"; ",
                                          "_rastrum_from -d -- \"$cur\"; "};
    if (!row->argument || (row->bare && !row->words && !request))
        return;
    for (size_t i = 0; i < 2 && names[i]; i++) {
        printf("%s'%s:--%s'", i ? "|" : "        ", names[i], row->name);
        if (row->letter)
            printf("|'%s:-%c'", names[i], row->letter);
    }
    if (!row->words && !request) {
        printf(") %sreturn ;;\n", of_path[path_of_argument(row)]);
        return;
    }
    if (request) {
        printf(") _rastrum_words \"$1\" %s \"$cur\"; return ;;\n", request);
        return;
    }
    fputs(") words='", stdout);
    put_words(row->words);
    puts("' ;;");
}

/* One word a line, so that a name with blanks stays one; `filenames` quotes it. The words of a
 * trace are never expanded by the shell. Bash breaks words at colons, which names of types have:
 * they are joined to find the typed word, and the text before the last colon is not repeated. The
 * part of a list after the last comma is completed. */
static const char bash_head[] =
    "# bash completion for rastrum\n"
    "_rastrum_from() {\n"
    "    mapfile -t COMPREPLY < <(compgen \"$@\")\n"
    "}\n"
    "_rastrum_words() {\n"
    "    local word before=${3%\"${3##*,}\"} typed=${3##*,} colons=${3%\"${3##*:}\"}\n"
    "    local -a line=()\n"
    "    for word in \"${COMP_WORDS[@]:2}\"; do\n"
    "        word=${word//[\\\\\\\"\\\']/}\n"
    "        line+=(\"${word/#~\\//$HOME/}\")\n"
    "    done\n"
    "    while IFS= read -r word; do\n"
    "        case $word in \"$typed\"*)\n"
    "            word=$before$word\n"
    "            COMPREPLY+=(\"${word#\"$colons\"}\") ;;\n"
    "        esac\n"
    "    done < <(\"${1:-rastrum}\" help --words \"$2\" -- \"${line[@]}\" 2>/dev/null)\n"
    "}\n"
    "_rastrum() {\n"
    "    local at=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} prev\n"
    "    local verb=${COMP_WORDS[1]} words= verbs=\n"
    "    local inner=2\n"
    "    while [ \"$at\" -gt 2 ] && [[ ${COMP_WORDS[at]} = :* || ${COMP_WORDS[at-1]} = *: ]]; do\n"
    "        at=$((at - 1))\n"
    "        cur=${COMP_WORDS[at]}$cur\n"
    "    done\n"
    "    prev=${COMP_WORDS[at-1]}\n"
    "    if [ \"$cur\" = = ]; then cur=; fi\n"
    "    if [ \"$prev\" = = ]; then prev=${COMP_WORDS[at-2]}; fi\n";

static void bash_options(const struct command *c)
{
    each_row(c, bash_words);
}

static void bash_command(const struct command *c)
{
    fputs("        ", stdout);
    completion_put_names(c, "|");
    fputs(") words='", stdout);
    each_row(c, bash_name);
    const char *request = words_of_operands(c);
    if (request)
        printf("' verbs=$(\"${1:-rastrum}\" help --words %s) ;;\n", request);
    else if (takes_verb(c))
        puts(c->verbs ? "' ;;" : "' verbs=\"$verbs options\" ;;");
    else
        puts("' verbs= ;;");
}

/* The second word of a verb that has verbs of its own. */
static void bash_inner(void)
{
    puts("    case $verb in");
    for (size_t i = 0; commands[i]; i++)
        if (commands[i]->verbs) {
            printf("        %s) verbs='", commands[i]->name);
            completion_put_verbs(commands[i]->verbs);
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
    completion_put_verbs(commands);
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

static void zsh_argument(const struct command *c, const struct option_row *row)
{
    static const char *const of_path[] = {" ", "_files", "_files -/"};
    const char *request = words_request(c, row);
    fputs(row->bare ? "::" : ":", stdout);
    zsh_text(row->argument);
    putchar(':');
    if (row->words) {
        putchar('(');
        put_words(row->words);
        putchar(')');
    } else if (request) {
        printf(" _rastrum_words %s", request);
    } else {
        fputs(of_path[path_of_argument(row)], stdout);
    }
}

/* An argument follows the letter, at once or as the next word, and the name's `=`. */
static void zsh_row(const struct command *c, const struct option_row *row)
{
    const char *value = row->argument ? "=" : "";
    if (row->letter)
        printf(" \\\n        '*'{-%c%s,--%s%s}'[", row->letter, row->argument ? "+" : "", row->name,
               value);
    else
        printf(" \\\n        '*--%s%s[", row->name, value);
    zsh_text(row->about);
    putchar(']');
    if (row->argument)
        zsh_argument(c, row);
    putchar('\'');
}

static void zsh_verbs(const struct command *const *verbs)
{
    for (size_t i = 0; verbs[i]; i++) {
        const char *const names[] = {command_word(verbs[i]), verbs[i]->alias};
        for (size_t k = 0; k < 2 && names[k]; k++) {
            printf("        '%s:", names[k]);
            zsh_text(verbs[i]->about);
            puts("'");
        }
    }
}

static void zsh_command(const struct command *c)
{
    fputs("    ", stdout);
    completion_put_names(c, "|");
    fputs(")\n        _arguments", stdout);
    each_row(c, zsh_row);
    fputs(" \\\n        '*:", stdout);
    if (takes_verb(c)) {
        fputs("verb:(", stdout);
        completion_put_verbs(c->verbs ? c->verbs : commands);
        puts(c->verbs ? ")' ;;" : " options)' ;;");
    } else if (words_of_operands(c)) {
        printf("%s: _rastrum_words %s' ;;\n", words_of_operands(c), words_of_operands(c));
    } else {
        puts("trace:_files' ;;");
    }
}

static void zsh(void)
{
    puts("#compdef rastrum\n"
         "_rastrum_words() {\n"
         "    local -a line found\n"
         "    line=(\"${(@Q)words[3,-1]}\")\n"
         "    line=(\"${(@)line/#\\~\\//$HOME/}\")\n"
         "    found=(\"${(@f)$(rastrum help --words $1 -- $line 2>/dev/null)}\")\n"
         "    compset -P '*,'\n"
         "    compadd -- $found\n"
         "}\n_rastrum() {\n    local -a verbs\n    local verb=${words[2]}\n"
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

/* A condition of the verb; of both words of one that belongs to another. */
static void fish_when(const struct command *c)
{
    const char *word = command_word(c);
    fputs("complete -c rastrum -n '__rastrum_verb ", stdout);
    if (word != c->name)
        printf("%.*s; and __rastrum_inner %s'", (int)(word - c->name - 1), c->name, word);
    else
        printf("%s%s%s'", c->name, c->alias ? " " : "", c->alias ? c->alias : "");
}

static void fish_argument(const struct command *c, const struct option_row *row)
{
    const char *request = words_request(c, row);
    fputs(row->bare ? "" : " -r", stdout);
    if (row->words) {
        fputs(" -f -a '", stdout);
        put_words(row->words);
        putchar('\'');
    } else if (request) {
        printf(row->kind == OPTION_LIST ? " -f -a '(__fish_complete_list , \"__rastrum_words %s\")'"
                                        : " -f -a '(__rastrum_words %s)'",
               request);
    } else if (path_of_argument(row) == PATH_FOLDER) {
        fputs(" -f -a '(__fish_complete_directories)'", stdout);
    } else if (path_of_argument(row) == PATH_NONE) {
        fputs(" -f", stdout);
    }
}

static void fish_row(const struct command *c, const struct option_row *row)
{
    fish_when(c);
    printf(" -l %s", row->name);
    if (row->letter)
        printf(" -s %c", row->letter);
    if (row->argument)
        fish_argument(c, row);
    fputs(" -d '", stdout);
    fish_text(row->about);
    puts("'");
}

static void fish_command(const struct command *c)
{
    const char *word = command_word(c);
    const char *const names[] = {word, c->alias};
    for (size_t i = 0; i < 2 && names[i]; i++) {
        if (word != c->name)
            printf("complete -c rastrum -n '__rastrum_verb %.*s; and __rastrum_words_are 2' "
                   "-f -a %s -d '",
                   (int)(word - c->name - 1), c->name, names[i]);
        else
            printf("complete -c rastrum -n __fish_use_subcommand -f -a %s -d '", names[i]);
        fish_text(c->about);
        puts("'");
    }
    if (words_of_operands(c)) {
        fish_when(c);
        printf(" -f -a '(__rastrum_words %s)'\n", words_of_operands(c));
    } else if (takes_verb(c) && !c->verbs) {
        fish_when(c);
        puts(" -f -a '(__rastrum_words verb) options'");
    }
}

static void fish_options(const struct command *c)
{
    each_row(c, fish_row);
}

static const char fish_head[] = "# fish completion for rastrum\n"
                                "function __rastrum_words_are\n"
                                "    test (count (commandline -opc)) -eq $argv[1]\n"
                                "end\n"
                                "function __rastrum_verb\n"
                                "    set -l words (commandline -opc)\n"
                                "    test (count $words) -ge 2; and contains -- $words[2] $argv\n"
                                "end\n"
                                "function __rastrum_inner\n"
                                "    set -l words (commandline -opc)\n"
                                "    test (count $words) -ge 3; and contains -- $words[3] $argv\n"
                                "end\n"
                                "function __rastrum_words\n"
                                "    set -l words (commandline -opc)\n"
                                "    set -e words[1..2]\n"
                                "    set words (string unescape -- $words)\n"
                                "    set words (string replace -r '^~/' $HOME/ -- $words)\n"
                                "    rastrum help --words $argv[1] -- $words 2>/dev/null\n"
                                "end\n";

static void fish(void)
{
    fputs(fish_head, stdout);
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
