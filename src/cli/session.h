/* session.h - what a verb does before and after its own work: output, traces. */
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
    bool none;        /* there is no answer: no file is left */
    bool on_terminal; /* it goes to a terminal, perhaps through a pager */
    size_t columns;   /* of that terminal; 0: lines may have any length */
    bool on_screen;   /* a terminal shows it, the one that standard error writes to */
    int pager;        /* process id, 0: none */
    bool array;       /* JSON documents of several traces: one array */
    bool array_open;
    struct ras_json *json; /* NULL: none was asked for */
    bool nomem;            /* for it */
};

/* 0, or EXIT_TROUBLE after saying why. */
int answer_open(struct answer *, const struct common *);
/* The same, on standard error where no file is named: standard output is somebody else's. */
int answer_open_aside(struct answer *, const struct common *);
/* Finish it: the status to exit with, trouble if writing failed. */
int answer_close(struct answer *, int status);
/* What was said so far reaches its reader before anything on standard error does. */
void answer_flush(struct answer *);
/* Ends the program, quietly as a write would, when nobody reads the answer any more. */
void answer_check_reader(const struct answer *);
/* Before each trace's JSON document that goes to the sink. */
void answer_item(struct answer *);
/* printf to the answer. What would control a terminal is escaped, but for tabs and line ends. */
void answer_format(struct answer *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* An escape sequence of our own, where there is colour. */
void answer_paint(struct answer *, const char *color);

/* Text out of a trace: what would control a terminal is escaped (ras_sink_plain()). */
void answer_text(struct answer *, const void *text, size_t len);
void answer_name(struct answer *, const char *name);
/* "3 frames", or "3 PollStartEvent": names of types that are words have a plural. */
void answer_count(struct answer *, const struct ras_count *);
void answer_notes(struct answer *, char *const *notes, size_t count); /* one a line */
/* The writer of JSON documents, the only way in which a verb writes some; in the array of several
 * traces, where there is one. NULL: it failed, and answer_close() reports it. */
struct ras_json *answer_json(struct answer *);

/* The same for a trace's path, and that of a part of it ("": the whole). */
void answer_path(struct answer *, const char *path, const char *part);

/* Whether the operand is a pipe or a device, whose bytes arrive one after the other. */
bool arrives(const char *path);
/* Open one operand ("-" is standard input); says what is wrong. `live`: as it arrives. */
struct ras_trace *open_operand(const struct common *, const char *path, bool live);
/* The worse of two exit statuses: 2 over 3 over 1 over 0. */
int worse(int a, int b);
/* Run `one` on every operand; the worst of its statuses. */
int each_operand(void *options, int (*one)(void *options, const char *path, struct answer *));

/* A progress line on standard error; see docs/commands. */
struct progress {
    bool wanted, percent; /* `percent`: of it, where what is counted differs by format */
    bool threaded, ready, stopped;
    pthread_t thread;
    pthread_cond_t changed;
    double started, last;
    uint64_t done;
    const char *what;
    const char *unit; /* of what is counted; NULL: bytes */
};
/* `hidden`: the line would be drawn into what the terminal shows. */
void progress_start(struct progress *, const struct common *, const char *what, bool hidden);
/* A ras_progress that never cancels: signals end the program by themselves. */
bool progress_at(void *progress, uint64_t done, uint64_t total);
void progress_stop(struct progress *);
/* Draw the line anew; for a verb whose progress is not one number. */
void progress_draw(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The signal that interrupted us since interrupts_watch(); 0: none. */
void interrupts_watch(void);
int interrupted(void);

/* For ras_options; NULL: nothing is to be reported. */
const struct ras_debug *debug_options(void);
#endif
