/* comparison.h - what the comparing verbs share: their options, reports and failures. */
#ifndef CLI_COMPARISON_H
#define CLI_COMPARISON_H

#include "cli/session.h"

#include <stddef.h>

struct compare_choice {
    struct integer tick_start, tick_end, from, to;
    bool keep_going, paranoid, outside;
    const char *png, *size;
    struct list channels, ignored, tolerances;
};

/* The channels of a CDT tick. */
extern const char *const channel_words[];

#define JSON_OUT_ROW(type)                                                                         \
    {                                                                                              \
        "json-out", 0, OPTION_TEXT, "FILE", "also write the report there, as indented JSON", NULL, \
            offsetof(type, json_out)                                                               \
    }

#define TICK_RANGE_ROWS(type, start, end)                                                          \
    {"tick-start",         0, OPTION_INTEGER, "N", "compare from this tick on", NULL,              \
     offsetof(type, start)},                                                                       \
    {                                                                                              \
        "tick-end", 0, OPTION_INTEGER, "N", "compare up to this tick, included", NULL,             \
            offsetof(type, end)                                                                    \
    }

#define COMPARE_ROWS(type, member)                                                                 \
    TICK_RANGE_ROWS(type, member.tick_start, member.tick_end), {"from",                            \
                                                                0,                                 \
                                                                OPTION_INTEGER,                    \
                                                                "N",                               \
                                                                "the same as --tick-start",        \
                                                                NULL,                              \
                                                                offsetof(type, member.from)},      \
        {"to",                                                                                     \
         0,                                                                                        \
         OPTION_INTEGER,                                                                           \
         "N",                                                                                      \
         "compare up to this tick, excluded",                                                      \
         NULL,                                                                                     \
         offsetof(type, member.to)},                                                               \
        {"channel",                                                                                \
         0,                                                                                        \
         OPTION_LIST,                                                                              \
         "NAME",                                                                                   \
         "compare only this channel; may be repeated",                                             \
         NULL,                                                                                     \
         offsetof(type, member.channels)},                                                         \
        {"ignore",                                                                                 \
         0,                                                                                        \
         OPTION_NAMES,                                                                             \
         "PATH",                                                                                   \
         "ignore this field and everything below it",                                              \
         NULL,                                                                                     \
         offsetof(type, member.ignored)},                                                          \
        {"tolerance",                                                                              \
         0,                                                                                        \
         OPTION_NAMES,                                                                             \
         "PATH=EPS",                                                                               \
         "numbers at PATH may differ by at most EPS",                                              \
         NULL,                                                                                     \
         offsetof(type, member.tolerances)},                                                       \
        {"paranoid",                                                                               \
         0,                                                                                        \
         OPTION_FLAG,                                                                              \
         NULL,                                                                                     \
         "decode everything, even where checksums are equal",                                      \
         NULL,                                                                                     \
         offsetof(type, member.paranoid)},                                                         \
    {                                                                                              \
        "outside", 0, OPTION_FLAG, NULL, "run directories: also compare calls between ticks",      \
            NULL, offsetof(type, member.outside)                                                   \
    }

/* The options as the library takes them; `tolerances` is freed by the caller. 0, or
 * EXIT_TROUBLE after saying why. */
int compare_read_options(const struct common *, const struct compare_choice *,
                         struct ras_compare_options *, struct ras_tolerance **tolerances);

/* Open the two operands; reports errors. */
int open_sides(const struct common *, const char *verb, struct ras_trace **sides);
/* Report the endings and notes of both; returns the exit status. */
int say_endings(const struct common *, struct ras_trace *const *sides,
                const struct ras_ending *endings, int status);

/* Report why the comparison failed: because of this trace, or of the two. */
int compare_failed(const char *path, const char *other, const struct ras_error *);
/* Report an unknown field, and the verb that lists all fields with --paths. */
int unknown_name(const char *verb, const char *path, const struct ras_error *);
/* The same for a verb of dbg: "dbg VERB failed: ..." and EXIT_NO where the format's own tool would
 * refuse. */
int compat_failed(const char *verb, const char *path, const char *other, const struct ras_error *);
/* 0 when all of these traces, one or two, are CDT; else EXIT_TROUBLE after saying so.
 * `instead` is the command for others, without their paths. */
int only_cdt(const char *verb, const char *const *paths, struct ras_trace *const *traces,
             size_t count, const char *instead);
/* Print the paths of the first operand's fields, a line each. */
int list_paths(const struct common *, const enum ras_paths *kinds, size_t count);
/* One value as text: None, True, 1.0. */
void put_value(struct answer *, const struct ras_value *);
/* A line for the first difference of each channel, by tick, then one for each diagnostic. */
void put_channel_firsts(struct answer *a, const struct ras_diff *d);
/* How many keys a map has. */
size_t map_size(const struct ras_value *map);

/* The result, its options, and the printers of both. */
struct compared {
    const void *found, *how;
    int (*json)(struct ras_sink *, const struct compared *, enum ras_json_layout,
                struct ras_error *);
    void (*text)(struct answer *, const struct compared *);
    int verdict; /* exit status if all was written */
};
/* Write the result of a verb: the file of --json-out (NULL: none), then a line of JSON or text. */
int put_compared(const struct common *, const char *json_out, const struct compared *);

/* Open the file of --json-out; missing directories are created. */
int report_open(struct ras_sink **, const char *path);
/* Close it, and print "json_report=PATH". Returns the exit status of the answer. */
int report_close(struct ras_sink *, const char *path, struct answer *, const struct ras_error *,
                 int status);
#endif
