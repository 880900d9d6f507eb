/* say.h - messages on standard error: errors, notes, endings. */
#ifndef CLI_SAY_H
#define CLI_SAY_H

#include <rastrum/rastrum.h>

/* One line on standard error, for any name of a file or trace: control characters in `text` are
 * escaped. A progress line is removed first. */
void say_line(const char *before, const char *text);
/* Remove the progress line, if one is shown, and suspend it. */
void progress_clear(void);
void progress_hold(void);
void progress_release(void);

/* "rastrum: ...", one line; returns EXIT_TROUBLE. */
int trouble(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The text of an error: that of its status if it has none. */
const char *text_of(const struct ras_error *err);
/* "rastrum: text", of the output. */
int trouble_with(const struct ras_error *err);
/* "rastrum: PATH: offset N: text"; returns EXIT_TROUBLE. */
int trouble_at(const char *path, const struct ras_error *err);
/* "rastrum: PATH: VERB supports FORMATS only (this is a LABEL): COMMAND", where the command is
 * what to type instead; returns EXIT_TROUBLE. */
int only_for(const char *verb, const char *formats, const char *path, const struct ras_trace *,
             const char *command, ...) __attribute__((format(printf, 5, 6)));
/* A note that --quiet suppresses. */
void remark(bool quiet, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The separator between the path of a trace and the name of its part. */
const char *slash_between(const char *path, const char *part);
/* Report how the trace ended unless it is complete: EXIT_YES or EXIT_LOSS. Also names traces of
 * other formats in it, which the answer leaves out; say_end() does not. */
int say_ending(const char *path, const struct ras_trace *trace, const struct ras_ending *ending,
               bool quiet);
int say_end(const char *path, const struct ras_trace *trace, const struct ras_ending *ending,
            bool quiet);
/* The same for a closed trace; `part` is the name of the part with this ending. */
int say_ending_of(const char *path, const char *part, const struct ras_ending *ending, bool quiet);
/* "-" becomes "standard input". */
const char *shown_path(const char *path);
#endif
