/* main.c - the command rastrum: find the verb, parse its options, run it. */
#include "cli/command.h"
#include "cli/host.h"
#include "cli/output_guard.h"
#include "cli/say.h"
#include "cli/session.h"
#include <rastrum/output.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void write_debug_line(void *user, enum ras_debug_topic topic, const char *text)
{
    char before[64];
    (void)user;
    snprintf(before, sizeof before, "rastrum: debug: %s: ", ras_debug_topic_name(topic));
    say_line(before, text);
}

static struct ras_debug chosen = {.write = write_debug_line};

const struct ras_debug *debug_options(void)
{
    return chosen.topics ? &chosen : NULL;
}

static int refuse_topic(const char *word)
{
    struct ras_near near;
    char meant[120], all[120] = "all";
    size_t len = strlen(all);
    const char *name;
    ras_near_start(&near, word);
    for (int i = 0; (name = ras_debug_topic_name((enum ras_debug_topic)i)) != NULL; i++) {
        ras_near_add(&near, name);
        len += (size_t)snprintf(all + len, sizeof all - len, " %s", name);
    }
    ras_near_text(&near, meant, sizeof meant);
    return trouble("RASTRUM_DEBUG: unknown topic '%s'%s%she topics are: %s", word, meant,
                   *meant ? " T" : "; t", all);
}

/* One topic; all of them for "all". */
static int choose_topic(const char *word)
{
    const char *name;
    if (!strcmp(word, "all")) {
        chosen.topics = (1u << RAS_DEBUG_TOPICS) - 1;
        return EXIT_YES;
    }
    for (int i = 0; (name = ras_debug_topic_name((enum ras_debug_topic)i)) != NULL; i++)
        if (!strcmp(word, name)) {
            chosen.topics |= 1u << i;
            return EXIT_YES;
        }
    return refuse_topic(word);
}

/* Read RASTRUM_DEBUG, once, when the program starts; EXIT_TROUBLE for an unknown topic. */
static int debug_read_environment(void)
{
    const char *list = getenv("RASTRUM_DEBUG");
    int status = EXIT_YES;
    while (list && *list && status == EXIT_YES) {
        char word[40];
        size_t len = strcspn(list, ",");
        snprintf(word, sizeof word, "%.*s", (int)(len < sizeof word ? len : sizeof word), list);
        status = *word ? choose_topic(word) : EXIT_YES;
        list += len + (list[len] == ',');
    }
    return status;
}

const struct command *const commands[] = {
    &cmd_formats, &cmd_info,   &cmd_stats,  &cmd_tree,     &cmd_sql,    &cmd_du,      &cmd_cat,
    &cmd_blob,    &cmd_verify, &cmd_repair, &cmd_slice,    &cmd_merge,  &cmd_convert, &cmd_export,
    &cmd_diff,    &cmd_bisect, &cmd_report, &cmd_finalize, &cmd_focus,  &cmd_tick,    &cmd_entity,
    &cmd_query,   &cmd_health, &cmd_record, &cmd_twice,    &cmd_reduce, &cmd_replay,  &cmd_run,
    &cmd_view,    &cmd_mcp,    &cmd_dbg,    &cmd_help,     NULL};

static int guard_and_run(const struct command *c, struct common *options)
{
    if (c->reads)
        guard_private(options);
    int status = c->reads && !c->out_is_shared ? guard_output(options) : 0;
    leftovers_watch(options);
    return status ? status : c->run(options);
}

static int command_run(const struct command *c, int argc, char **argv)
{
    struct common *options = calloc(1, c->size);
    if (!options)
        return trouble("out of memory");
    options->about_format = c->format;
    int status = options_parse(c, options, argc, argv);
    bool understood = !status;
    if (understood && options->help)
        help_command(c);
    else if (understood)
        status = guard_and_run(c, options);
    if (understood && options->exit_zero)
        status = EXIT_YES;
    options_free(c, options);
    free(options);
    return status;
}

static int find_and_run(int argc, char **argv)
{
    if (argc < 2)
        return trouble("missing command; try 'rastrum help'");
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V") || !strcmp(argv[1], "-v")) {
        printf("rastrum %s\n", ras_version());
        return EXIT_YES;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        help_overview();
        return EXIT_YES;
    }
    int verb = 1; /* common options may come before the verb */
    for (int words = 1; words && verb < argc; verb += words)
        words = common_option_words(argv[verb], argv[verb + 1]);
    if (verb >= argc)
        return trouble("missing command; try 'rastrum help'");
    if (argv[verb][0] == '-')
        return trouble("%s cannot be given before the verb; try 'rastrum help'", argv[verb]);
    size_t used;
    const struct command *c =
        command_of((const char *const *)(argv + verb), (size_t)(argc - verb), &used);
    if (!c)
        return EXIT_TROUBLE;
    memmove(argv + 1 + used, argv + 1, (size_t)(verb - 1) * sizeof *argv);
    return command_run(c, argc - 1 - (int)used, argv + 1 + used);
}

/* Other users see the words of a command, and messages have the names of traces. What follows `--`
 * are the words of another program. */
static int refuse_passwords(char *const *argv)
{
    for (; *argv && strcmp(*argv, "--") != 0; argv++) {
        const char *host = !strncasecmp(*argv, "http", 4) ? strstr(*argv, "://") : NULL;
        if (host && memchr(host + 3, '@', strcspn(host + 3, "/?#")))
            return trouble("a URL with a user or password is visible to other users of this "
                           "machine: put them into ~/.netrc, and leave them out of the URL");
    }
    return 0;
}

int main(int argc, char **argv)
{
    host_begin();
    int status = debug_read_environment();
    if (status == 0)
        status = refuse_passwords(argv);
    if (status == 0)
        status = find_and_run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout))
        return trouble("cannot write to standard output");
    return status;
}
