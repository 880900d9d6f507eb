/* traced.h - the threads of another process under ptrace: private to inject.h. */
#ifndef PATCHING_TRACED_H
#define PATCHING_TRACED_H

#include "patching/inject.h"
#include "patching/process_map.h"

#include <sys/user.h>

#define TRACED_STOP_NS UINT64_C(10000000)    /* give up if threads do not stop, and try again */
#define TRACED_TRY_NS  UINT64_C(10000000000) /* for as long as this */

struct thread {
    pid_t tid;
    bool stopped, group_stop;
    int signal; /* to be delivered when it goes on */
    uint64_t since_ns;
    struct user_regs_struct regs; /* while stopped */
};

struct inject {
    pid_t pid;
    int memory; /* /proc/PID/mem */
    struct thread *threads;
    size_t count, room;
    uint64_t stopped_ns;
    bool gone;    /* the process has ended, or is another program */
    int priority; /* ours before */
    struct process_map map;
};

uint64_t traced_now_ns(void);
void traced_pause_us(long us);

/* A thread that is known, or becomes so; NULL: memory is short. */
struct thread *traced_thread(struct inject *, pid_t);
/* Note that a thread has stopped, and why; one that has ended is forgotten. */
void traced_take_stop(struct inject *, pid_t, int status);
/* Take what has happened; threads but `stay` go on. */
enum { STAY_NONE = 0, STAY_ALL = -1 };
void traced_events(struct inject *, pid_t stay);
void traced_go_on(struct inject *, struct thread *);
void traced_go_on_all(struct inject *);
/* Stop every thread, or none: one that does not stop (in vfork(), or asleep in a driver) must not
 * let the others wait. */
bool traced_stop_all(struct inject *);
/* The others go on. NULL: it does not stop, or has ended. */
struct thread *traced_stop_one(struct inject *, pid_t);
#endif
