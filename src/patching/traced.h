/* traced.h - the threads of another process under ptrace: private to inject.h. */
#ifndef PATCHING_TRACED_H
#define PATCHING_TRACED_H

#include "patching/inject.h"
#include "patching/process_map.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#define TRACED_STOP_NS UINT64_C(10000000)    /* give up if threads do not stop, and try again */
#define TRACED_MOST_NS UINT64_C(25000000)    /* the same, after several tries */
#define TRACED_TRY_NS  UINT64_C(10000000000) /* for as long as this */

/* Options of ptrace: those of every thread, and of one that is diverted, whose new thread is not
 * to be traced. */
enum {
    TRACED_OPTIONS = PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC,
    TRACED_DIVERTED = PTRACE_O_TRACEEXEC,
};

/* How a thread is scheduled. */
struct urgency {
    uint32_t size, policy; /* as struct sched_attr of the kernel */
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
    bool changed;
};

struct thread {
    pid_t tid;
    bool stopped, group_stop;
    int signal;        /* to be delivered when it goes on */
    uint64_t since_ns; /* when it was last seen running, or before */
    struct urgency before;
    struct user_regs_struct regs; /* while stopped */
};

struct inject {
    pid_t pid;
    int memory; /* /proc/PID/mem */
    struct thread *threads;
    size_t count, room;
    uint64_t stopped_ns;
    uint64_t looked_ns;    /* when nothing had happened */
    bool gone;             /* the process has ended, or is another program */
    struct urgency before; /* of this thread */
    sigset_t mask;         /* the same */
    struct process_map map;
};

uint64_t traced_now_ns(void);
void traced_pause_us(long us);
enum { WAIT_US = 1000, REST_US = 30000 };
void traced_wait_us(long us);
/* A thread of any process, 0 the calling one, runs before others: in real time where that is
 * permitted, else in short slices, which a scheduler by deadlines prefers (Linux 6.12), and false
 * is returned. */
bool traced_hurry(pid_t, struct urgency *before);
void traced_relax(pid_t, struct urgency *before);

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
 * let the others wait for longer than `limit_ns`. */
bool traced_stop_all(struct inject *, uint64_t limit_ns);
/* Wait this long; threads that stop meanwhile go on. */
void traced_rest(struct inject *, long us);
/* What is done next is done in a hurry, up to traced_relax(0, &before). */
void traced_get_ready(struct inject *);
/* The others go on. NULL: it does not stop, or has ended. */
struct thread *traced_stop_one(struct inject *, pid_t);
#endif
