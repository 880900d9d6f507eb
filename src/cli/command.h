/* command.h - a verb of the command line as a row of a table.
 *
 * Parsing, help, manual pages and shell completion all come from these rows. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <rastrum/rastrum.h>

/* Exit statuses: see docs/errors.md. */
enum { EXIT_YES = 0, EXIT_NO = 1, EXIT_TROUBLE = 2, EXIT_LOSS = 3 };

/* A list is split at commas, names are not; both may be repeated. */
enum option_kind {
    OPTION_FLAG,
    OPTION_ALL, /* also takes no argument: a number without limit */
    OPTION_TEXT,
    OPTION_NUMBER,
    OPTION_INTEGER,
    OPTION_LIST,
    OPTION_NAMES,
    OPTION_CHOICE /* of a format; with an argument it takes a length of time */
};

struct list {
    const char **items;
    size_t count, room;
};

/* `at` is the offset of its value in the command's options: bool, const char *,
 * struct number, struct integer or struct list. */
struct option_row {
    const char *name;
    char letter; /* 0: none */
    enum option_kind kind;
    const char *argument; /* the argument's name in help; NULL for flags */
    const char *about;
    const char *const *words; /* allowed words, for checking and completion; NULL: anything */
    size_t at;
    const char *bare; /* its value if no argument follows; NULL: the argument is required */
};

bool list_add(struct list *, const char *item);

struct number {
    bool given;
    uint64_t value;
};

struct integer {
    bool given;
    int64_t value;
};

/* The common options; the first member of each verb's options. */
struct common {
    bool help, json, quiet, no_progress, exit_zero, pager, force;
    const char *color, *input_format, *dialect, *out;
    const char *about_format;   /* the command's; NULL: any */
    struct list operands;       /* TRACE... */
    struct ras_choice *choices; /* options of formats */
    size_t choice_count;
    size_t before_dashes; /* operands before `--`; all if there is none */
};

/* A verb may have verbs of its own (`dbg diff`); the name of one of those is both words. */
struct command {
    const char *name, *alias;
    const char *operands;          /* "TRACE...", as help shows it; "" for none */
    const char *about;             /* one line */
    const char *text;              /* paragraphs for help and manual */
    const char *examples;          /* lines, may be NULL */
    const char *exits;             /* what its exit statuses mean: "0 same; 1 ..." */
    const char *refuses;           /* common options that this verb does not take */
    const struct option_row *rows; /* its own; ends with a row without name */
    size_t size;                   /* of its options */
    const char *format; /* the only format it supports: of a run directory it takes that trace */
    bool reads;         /* its operands are files */
    bool out_is_shared; /* -o names a directory whose other files are kept */
    bool absent;        /* it refuses to run, whatever its options: absent_verb.h */
    const struct command *const *verbs; /* its own, ends with NULL */
    int (*run)(void *options);
};

extern const struct option_row common_rows[];
/* The verb's own rows, and those that formats have for it; ends with a row without name. */
const struct option_row *command_rows(const struct command *);
/* Whether an option of a format was given; one that is. 0, or EXIT_TROUBLE after saying why. */
bool has_choice(const struct common *, const char *name);
int choose(struct common *, const struct option_row *, const char *text);
extern const struct command *const commands[]; /* ends with NULL */
extern const struct command cmd_formats, cmd_info, cmd_du, cmd_cat, cmd_verify, cmd_repair,
    cmd_blob, cmd_slice, cmd_merge, cmd_convert, cmd_diff, cmd_bisect, cmd_export, cmd_finalize,
    cmd_focus, cmd_tick, cmd_entity, cmd_query, cmd_health, cmd_record, cmd_reduce, cmd_replay,
    cmd_report, cmd_run, cmd_sql, cmd_stats, cmd_tree, cmd_twice, cmd_view, cmd_dbg, cmd_help,
    cmd_mcp;

/* The verb that the first `count` words name, and how many of them do; NULL after saying why: the
 * verb is unknown, or the second word is missing. */
const struct command *command_of(const char *const *words, size_t count, size_t *used);
/* The last word of a verb's name. */
const char *command_word(const struct command *);
/* Call `each` on every verb, those of a verb after it. */
void each_command(void (*each)(const struct command *));
/* A whole number, in decimal or 0x hexadecimal. */
enum number_parsed { NUMBER_FINE, NUMBER_TOO_LARGE, NUMBER_NONE };
enum number_parsed number_parse(const char *text, uint64_t *value);
/* The same, perhaps negative; false: not a valid number. */
bool integer_parse(const char *text, int64_t *value);
/* Bytes, such as 256M, at least 1M: 0, or EXIT_TROUBLE after saying why. */
int size_parse(const char *option, const char *text, uint64_t *bytes);
/* Whether the verb takes this one of common_rows. */
bool common_option_fits(const struct command *, const struct option_row *);
/* The number of words of a common option, itself included; 0: it is not one. */
int common_option_words(const char *word, const char *next);
/* Parse argv (after the verb) into options. 0, or EXIT_TROUBLE after saying why. */
int options_parse(const struct command *, void *options, int argc, char **argv);
void options_free(const struct command *, void *options);

/* Before exec() of another program: restore the limits and signals that we inherited. */
void as_started(void);

void help_command(const struct command *);
void help_overview(void);
int help_completion(const char *shell);
/* Print the words of that kind, one per line; those that depend on a trace come from the first of
 * `words` that is one. */
int help_words(const char *kind, const struct list *words);
#endif
