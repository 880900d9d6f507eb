/* environment.c - RASTRUM_DEBUG: decisions of the library on standard error. */
#include "cli/environment.h"
#include "cli/command.h"
#include "cli/say.h"
#include <rastrum/output.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        chosen.topics = (1u << RAS_DEBUG_COUNT) - 1;
        return EXIT_YES;
    }
    for (int i = 0; (name = ras_debug_topic_name((enum ras_debug_topic)i)) != NULL; i++)
        if (!strcmp(word, name)) {
            chosen.topics |= 1u << i;
            return EXIT_YES;
        }
    return refuse_topic(word);
}

int debug_read_environment(void)
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
