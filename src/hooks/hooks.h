/* hooks.h - the calls of a program that was built to tell of them, from inside.
 *
 * A compiler calls hooks at the start and end of functions; this library, loaded before
 * the program's own, is those hooks. Function addresses become ids in a table that is only
 * ever replaced; each thread keeps the calls that are open, so that what longjmp() or an
 * exception has ended is told apart from what returned. Nothing here calls the C library's
 * malloc(), or anything else that has a state in the program: own_libc.c. */
#ifndef HOOKS_HOOKS_H
#define HOOKS_HOOKS_H

#include "hooks/hook_thread.h"
#include "record/recorder.h"

/* ---- functions ----------------------------------------------------------------------- */

/* What is known of a function is its id and these, in one word. */
#define CALL_SLOW    (UINT64_C(1) << 63) /* more is to be done than to record it */
#define CALL_IGNORED (UINT64_C(1) << 62) /* it is not to be recorded */
#define CALL_SILENT  (UINT64_C(1) << 61) /* of an open call: no event tells of its end */
#define CALL_LANDED  (UINT64_C(1) << 60) /* an exception is passing through it */
#define CALL_PENDING (UINT64_C(1) << 59) /* no event has told of its start yet */
#define CALL_HOOKED  (UINT64_C(1) << 58) /* its return comes to us by itself */
#define CALL_DETAIL  (UINT64_C(1) << 57) /* with registers and stack */
#define CALL_TRIGGER (UINT64_C(1) << 56) /* it has a flight recorder store a window */
#define CALL_FLAGS   (~UINT64_C(0) << 56)
#define CALL_PLAIN   (UINT64_C(1) << 56) /* below it: no flags */

/* A table by address that is only ever added to, or replaced: who looks takes no lock. */
struct known {
    uintptr_t address; /* 0: none */
    uint64_t id;
};

struct known_table {
    struct known *at;
    size_t mask, count;
    unsigned shift;
};
extern struct known_table *known_table;
extern struct known_table *thunk_table; /* of return addresses: their thunks */

/* 0: not known. */
static inline __attribute__((always_inline)) uint64_t known_in(struct known_table *const *table,
                                                               uintptr_t address)
{
    const struct known_table *t = LOAD_ACQUIRE(table);
    size_t i = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> t->shift);
    for (;; i = (i + 1) & t->mask) {
        uintptr_t there = LOAD_ACQUIRE(&t->at[i].address);
        if (__builtin_expect(there == address, 1))
            return t->at[i].id;
        if (!there)
            return 0;
    }
}

static inline __attribute__((always_inline)) uint64_t known_find(uintptr_t address)
{
    return known_in(&known_table, address);
}

/* known.c: add to a table, with hooks.lock held; false: memory is short. */
bool known_put(struct known_table **, uintptr_t address, uint64_t id);
/* Find out about a function, with its flags; 0: it cannot be told. */
uint64_t known_learn(uintptr_t address);
/* What was known of this stretch of memory is no more. */
void known_forget(uintptr_t from, uintptr_t to);

/* ---- choice.c: which functions are recorded, and how ------------------------------------ */

struct loaded;
enum choice {
    CHOICE_FILTER,  /* only these */
    CHOICE_EXCLUDE, /* not these */
    CHOICE_DETAIL,  /* with registers and stack */
    CHOICE_TRIGGER, /* a flight recorder stores a window */
    CHOICES,
};

/* A pattern is a glob on the whole name or /a regular expression/ on any part of it; then
 * @ and a glob on the module, its path or its name. False: it is no pattern, and is told. */
bool choice_add(enum choice, char *pattern);
/* With hooks.lock held: the id of a function that was not known, with its flags; 0: memory
 * is short. */
uint64_t choice_of(struct loaded *, uintptr_t address);
/* Whether it is not to be recorded, without numbering it. */
bool choice_ignores(struct loaded *, uintptr_t address);

/* plain_name.c: of a mangled name, ns::class::name; false: it is none. */
bool plain_name(const char *mangled, char *to, size_t room);

/* ---- modules --------------------------------------------------------------------------- */

struct elf_names;

struct loaded {
    struct loaded *next;
    uint32_t id;
    uintptr_t from, to; /* where it lies */
    uintptr_t bias;     /* add it to an address of the file */
    bool gone;          /* it was unloaded */
    char build_id[65];
    const char *path;
    struct elf_names *names; /* NULL: not read yet */
    uint32_t function_count;
};

/* A function that was called. */
struct function {
    struct function *next;
    struct loaded *module;
    uint32_t index;
    uint64_t number; /* of all */
    uintptr_t address;
    const char *name; /* NULL: not looked up yet */
};

/* loaded.c: with hooks.lock held. The module of an address; NULL: none. */
struct loaded *loaded_find(uintptr_t address);
/* Modules that are loaded no more are gone, and their functions forgotten. */
void loaded_sweep(void);
/* Number a function; NULL: memory is short. */
struct function *loaded_function(struct loaded *, uintptr_t address);
const char *function_name(struct function *);
/* The recorder's drain: tell it all names that are new. */
void loaded_report(void);
/* A recording begins: a map of addresses beside its manifest, which the drain writes. */
void loaded_map_begin(void);
/* The drain: what is new goes there. */
void loaded_map(void);
/* Wait for that. */
void loaded_map_wait(void);

struct dl_phdr_info;
void loaded_measure(const struct dl_phdr_info *, uintptr_t *from, uintptr_t *to);
/* Whether a module lies there now. */
bool loaded_is_there(uintptr_t from, uintptr_t to);
bool loaded_path(const struct dl_phdr_info *, char *path, size_t room);
/* patch.c: enable the entries of modules that were not looked at yet. */
void patch_all(void);
void patch_sweep(void);
/* A page near [from, to) with a jump to `target`, for a call reaches two gigabytes; NULL: none. */
uint8_t *patch_stub(uintptr_t from, uintptr_t to, void (*target)(void));
/* arrival.c: be told of modules before their constructors run. */
void arrival_init(void);
/* elf_names.c: a file in memory, to be unmapped; empty: cannot. */
struct ras_bytes elf_names_map(const char *path);
/* The name of an address in a file; NULL: it has none. */
const char *elf_name_of(struct loaded *, uintptr_t address);

/* hooks_memory.c: memory that is never given back; NULL: there is none. */
void *hooks_memory(size_t size);

/* ---- open calls ------------------------------------------------------------------------ */

struct frame {
    uint64_t id;
    uintptr_t at;     /* the function, or with CALL_HOOKED where it returns to */
    uintptr_t sp;     /* its place on the stack; UINTPTR_MAX: no frame */
    uint64_t time_ns; /* of its start, with CALL_PENDING */
};

struct calls {
    struct frame *top; /* the next one; top[-1] is the innermost open call */
    struct frame *end; /* beyond is the slow way */
    struct frame *base, *last;
    uintptr_t stack_from, stack_to; /* of the thread's own stack */
};
extern const struct calls calls_none; /* of a thread that has none yet */
extern const struct calls calls_busy; /* while the hooks are at work for it */

static inline bool calls_has(const struct calls *c)
{
    return c != &calls_none && c != &calls_busy;
}

/* A handler that comes between finds nobody's frame on top. */
static inline __attribute__((always_inline)) struct frame *calls_push(struct calls *c, uint64_t id,
                                                                      uintptr_t at, uintptr_t sp)
{
    struct frame *f = c->top;
    c->top = f + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    f->sp = sp;
    f->id = id;
    f->at = at;
    return f;
}

static inline __attribute__((always_inline)) struct frame calls_pop(struct calls *c)
{
    struct frame *f = c->top - 1, was = *f;
    f->sp = UINTPTR_MAX;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    c->top = f;
    return was;
}

/* calls.c: those of the calling thread; NULL: nothing is recorded now. */
struct calls *calls_get(void);
/* End every call above `keep` as one that did not return. */
void calls_unwind(struct calls *, struct frame *keep);
/* The first frame, from the innermost on, that lies at `sp` or above on the same stack,
 * or on another stack; what is above that was left. */
void calls_leave(struct calls *, uintptr_t sp);
/* The slow ways of a call and its end. `registers` are those that fentry.S has saved; NULL:
 * not known. */
void calls_enter(uintptr_t function, uintptr_t sp);
/* The same of one that returns by a thunk: whether it is open now. `origin` is where it
 * returns to. */
bool calls_enter_hooked(uintptr_t function, uintptr_t slot, uintptr_t origin,
                        const uint64_t *registers);
void calls_leave_hooked(uintptr_t slot, const uint64_t *registers);
/* telling.c: the events of a call's start and its end. */
void emit_start(struct calls *, struct frame *, const uint64_t *registers);
void emit_end(struct calls *, const struct frame *, uint64_t more_flags, const uint64_t *registers);
void calls_exit(uintptr_t function);
void calls_init(void);
/* The thread has left its first function: what is open was ended. Later, nothing is called. */
void calls_thread_ends(struct calls *);
void calls_thread_gone(struct calls *);

static inline bool calls_are_on(const struct calls *c, uintptr_t sp)
{
    return sp >= c->stack_from && sp < c->stack_to;
}

/* ---- the whole ----------------------------------------------------------------------- */

enum hooks_state { HOOKS_UNREAD, HOOKS_READING, HOOKS_NEW, HOOKS_STARTING, HOOKS_ON, HOOKS_OFF };

struct hooks {
    uint32_t state; /* enum hooks_state */
    int pid;        /* that records; a child of vfork() has another */
    struct lock lock;
    struct ras_record_options options;
    size_t max_depth;      /* 0: any */
    uint64_t min_duration; /* ns; 0: any */
    uint64_t trigger_ns;   /* after the start; 0: none */
    int trigger_signal;    /* 0: none */
};
extern struct hooks hooks;

/* hooks.c: begin with the first event; false: nothing is recorded. */
bool hooks_begin(void);
/* Hold the lock; no signal comes meanwhile, and what is called is not recorded. */
struct held {
    int error; /* errno */
    sigset_t mask;
    struct hook_thread *mine;
    struct calls *calls;
};
void hooks_lock(struct held *);
void hooks_unlock(const struct held *);
/* next.c: the next definition of a name into *function, also where its library is not everybody's;
 * NULL: there is none. */
void hooks_next(void *function, const char *name);
/* Thunks, then the addresses they stand for, as far apart: fentry.S. */
enum { THUNK_SIZE = 16, THUNKS_SIZE = 1 << 26 };
extern uint8_t hooks_thunks[2 * THUNKS_SIZE] __attribute__((aligned(4096)));
/* thunk.c: the thunk of a return address; 0: there are no more. */
uintptr_t thunk_make(uintptr_t origin);
bool thunk_is(uintptr_t address);
uintptr_t thunk_origin(uintptr_t thunk);
void thunk_init(void);
/* ends.c */
void ends_init(void);
/* thread.c: who created the calling thread; "": not known. */
const char *thread_path(void);
/* In a child of fork(): it is the first thread of its process. */
void thread_is_first(void);
/* drain_thread.c: run the drain in a thread of its own; 0, or an errno. Wait for its end. */
int drain_thread_start(void *(*run)(void *));
void drain_thread_join(void);
/* own_libc.c: nobody is in the middle of the recorder's memory while a fork() copies it. */
void own_memory_lock(void);
void own_memory_unlock(void);

#define HOOK __attribute__((visibility("default")))
#endif
