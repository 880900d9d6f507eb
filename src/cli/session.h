/* session.h - what the verbs share: the output, opening traces, interrupts. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "cli/command.h"
#include "cli/say.h"

#include <pthread.h>

/* Where the answer goes: a file written atomically, a pager, or standard output. */
struct answer {
    struct ras_sink *sink;
    bool color;
    bool to_file;
    bool none;        /* the verb failed: the file is removed */
    bool on_terminal; /* it goes to a terminal, perhaps through a pager */
    size_t columns;   /* of that terminal; 0: lines may have any length */
    bool on_screen;   /* a terminal shows it, the one that standard error writes to */
    int pager;        /* process id, 0: none */
    bool array;       /* JSON documents of several traces: one array */
    bool array_open;
    struct ras_json *json; /* NULL: not used yet */
    bool nomem;            /* for it */
};

/* 0, or EXIT_TROUBLE after saying why. */
int answer_open(struct answer *, const struct common *);
/* The same, on standard error if no file is named: standard output belongs to another program. */
int answer_open_aside(struct answer *, const struct common *);
/* Close it; returns the exit status, EXIT_TROUBLE if writing failed. */
int answer_close(struct answer *, int status);
/* Flush, so that the output so far precedes messages on standard error. */
void answer_flush(struct answer *);
/* Ends the program as SIGPIPE would if the output has no reader any more. */
void answer_check_reader(const struct answer *);
/* Before each trace's JSON document that goes to the sink. */
void answer_item(struct answer *);
/* printf to the answer. Control characters other than tabs and line ends are escaped. */
void answer_format(struct answer *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* An escape sequence of our own, where there is colour. */
void answer_paint(struct answer *, const char *color);

/* Text from a trace: control characters are escaped (ras_sink_plain()). */
void answer_text(struct answer *, const void *text, size_t len);
void answer_name(struct answer *, const char *name);
/* "3 frames", or "3 PollStartEvent": names of types that are words have a plural. */
void answer_count(struct answer *, const struct ras_count *);
void answer_notes(struct answer *, char *const *notes, size_t count); /* one per line */
/* The JSON writer that all verbs use; inside the array if there are several traces. NULL: it
 * failed, and answer_close() reports it. */
struct ras_json *answer_json(struct answer *);

/* The same for a trace's path, and that of a part of it ("": the whole). */
void answer_path(struct answer *, const char *path, const char *part);

/* Whether the operand is a pipe or a device, whose bytes arrive one after the other. */
bool arrives(const char *path);
/* As ras_options.progress: until a signal, or the end of the time for transfers. */
bool transfer_goes_on(void *user, uint64_t done, uint64_t total);
/* Open one operand ("-" is standard input); reports errors. `live`: as it arrives. */
struct ras_trace *open_operand(const struct common *, const char *path, bool live);
/* Transfers from servers end after this time, from now on; 0: they have none. They also end when a
 * signal interrupts us. */
void transfers_limit(uint64_t ms);
/* Whether one was ended by that limit. */
bool transfers_expired(void);
/* The worse of two exit statuses: 2 over 3 over 1 over 0. */
int worse(int a, int b);
/* Run `one` on every operand; the worst of its statuses. */
int each_operand(void *options, int (*one)(void *options, const char *path, struct answer *));

/* A progress line on standard error; see docs/commands. */
struct progress {
    bool wanted, percent; /* `percent`: show a percentage, because the unit differs by format */
    bool threaded, ready, stopped;
    pthread_t thread;
    pthread_cond_t changed;
    double started, last;
    uint64_t done;
    const char *what;
    const char *unit; /* of what is counted; NULL: bytes */
};
/* `hidden`: the line would overwrite the output on the terminal. */
void progress_start(struct progress *, const struct common *, const char *what, bool hidden);
/* A ras_progress that never cancels: signals end the program by themselves. */
bool progress_at(void *progress, uint64_t done, uint64_t total);
void progress_stop(struct progress *);
/* Draw the line again; for a verb whose progress is not one number. */
void progress_draw(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The signal that interrupted us since interrupts_watch(); 0: none. */
void interrupts_watch(void);
int interrupted(void);
/* End with that signal's default action, as a program does that does not catch it. */
void end_if_interrupted(void);
/* It was heeded: at a prompt, which goes on. */
void interrupts_forget(void);

/* For ras_options; NULL: no debug output. */
const struct ras_debug *debug_options(void);
#endif
