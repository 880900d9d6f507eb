/* hooks.h - hooks that a compiler puts into a program: private interface.
 *
 * A compiler calls hooks at the start and end of functions; this library, loaded before the
 * others, defines them. Function addresses become ids in a table that is only replaced, never
 * changed; each thread keeps its open calls, so that calls ended by longjmp() or an exception
 * are distinguished from those that returned. Nothing here calls the C library's malloc(), or
 * anything else that shares state with the program: own_libc.c. */
#ifndef HOOKS_HOOKS_H
#define HOOKS_HOOKS_H

#include "base/functions_map.h"
#include "hooks/hook_thread.h"
#include "record/recorder.h"

/* ---- functions ----------------------------------------------------------------------- */

/* A function's id and these flags are one word. */
#define CALL_SLOW    (UINT64_C(1) << 63) /* needs the slow path */
#define CALL_IGNORED (UINT64_C(1) << 62) /* not recorded */
#define CALL_SILENT  (UINT64_C(1) << 61) /* of an open call: emit no event at its end */
#define CALL_LANDED  (UINT64_C(1) << 60) /* an exception is passing through it */
#define CALL_PENDING (UINT64_C(1) << 59) /* its start was not emitted yet */
#define CALL_HOOKED  (UINT64_C(1) << 58) /* its return is intercepted by a thunk */
#define CALL_DETAIL  (UINT64_C(1) << 57) /* with registers and stack */
#define CALL_TRIGGER (UINT64_C(1) << 56) /* triggers a window of a flight recorder */
#define CALL_VARIED  (UINT64_C(1) << 55) /* fill the stack, yield: conditions of the program */
#define CALL_FLAGS   (~UINT64_C(0) << 55)
#define CALL_PLAIN   (UINT64_C(1) << 55) /* below it: no flags */

/* A table by address; entries are only added, or the table replaced: readers take no lock. */
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

/* loaded.c: add to a table, with hooks.lock held; false: memory is short. */
bool known_put(struct known_table **, uintptr_t address, uint64_t id);
/* Find out about a function, with its flags; 0: not possible. */
uint64_t known_learn(uintptr_t address);
/* Forget the functions in this range of memory. */
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

/* A pattern is a glob on the whole name or /a regular expression/ on any part of it; then @ and
 * a glob on the module, its path or its name. False: not a valid pattern. */
bool choice_add(enum choice, char *pattern);
/* With hooks.lock held: the id of a new function, with its flags; 0: memory is short. */
uint64_t choice_of(struct loaded *, uintptr_t address);
/* Whether it is not recorded, without numbering it. */
bool choice_ignores(struct loaded *, uintptr_t address);

/* plain_name.c: of a mangled name, ns::class::name; false: it is not mangled. */
bool plain_name(const char *mangled, char *to, size_t room);

/* ---- modules --------------------------------------------------------------------------- */

struct elf_names;

struct loaded {
    struct loaded *next;
    uint32_t id;
    uintptr_t from, to; /* where it is loaded */
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
    uint64_t number; /* among all functions */
    uintptr_t address;
    const char *name; /* NULL: not looked up yet */
};

/* loaded.c: with hooks.lock held. The module of an address; NULL: none. */
struct loaded *loaded_find(uintptr_t address);
/* Mark modules that were unloaded, and forget their functions. */
void loaded_sweep(void);
/* Number a function; NULL: memory is short. */
struct function *loaded_function(struct loaded *, uintptr_t address);
const char *function_name(struct function *);
/* The id of a mark, whose module is loaded nowhere; 0: memory is short. */
uint64_t loaded_mark(enum map_mark);
/* The drain: report all new names to the recorder. */
void loaded_report(void);
/* A recording begins: the drain writes a map of addresses beside its manifest. */
void loaded_map_begin(void);
/* The recording goes on in another directory: write all of it there. */
void loaded_map_moved(void);
/* The drain: append what is new. */
void loaded_map(void);
/* Wait until it is written. */
void loaded_map_wait(void);

struct dl_phdr_info;
void loaded_measure(const struct dl_phdr_info *, uintptr_t *from, uintptr_t *to);
/* Whether a module is loaded there. */
bool loaded_is_there(uintptr_t from, uintptr_t to);
bool loaded_path(const struct dl_phdr_info *, char *path, size_t room);
/* The build id in hexadecimal; "": it has none. */
void loaded_build_id(const struct dl_phdr_info *, char *to, size_t room);
/* patch.c: patch the functions of modules that are new. */
enum patch_when {
    PATCH_AT_START, /* those that the program is linked with */
    PATCH_ARRIVED,  /* loaded later: no code of them has run */
    PATCH_LOADED,   /* the same, and it may have */
};
void patch_all(enum patch_when);
void patch_sweep(void);
/* Memory near [from, to) for `size` bytes; NULL: none. */
uint8_t *patch_near(uintptr_t from, uintptr_t to, size_t size);
/* A jump to any address. */
void patch_write_stub(uint8_t *at, void (*to)(void));
/* Pages of code that are writable while they are patched, one stretch at a time: functions are
 * mostly patched in the order of their addresses. */
struct patch_pages {
    uintptr_t from, to; /* 0: none */
};
bool patch_open_pages(struct patch_pages *, uintptr_t at, size_t size);
void patch_close_pages(struct patch_pages *);
/* planned.c: patch functions of a module that was not built for it, if it has a plan. With
 * hooks.lock held, as all of these. */
void planned_patch(const struct dl_phdr_info *, const char *path, uintptr_t from, uintptr_t to,
                   enum patch_when);
/* The function that displaced code belongs to; the same address if it is not displaced code. */
uintptr_t planned_function(uintptr_t address);
/* Forget modules that were unloaded. */
void planned_sweep(void);
/* fentry.S: what the start of a function calls, by a name that no other library can define. */
void hooks_entry(void);
/* A page near [from, to) with a jump to `target`, since a call reaches two gigabytes; NULL:
 * none. */
uint8_t *patch_stub(uintptr_t from, uintptr_t to, void (*target)(void));
/* Intercept the loading of modules, before their constructors run; in a process that is attached
 * to, list the function for that. */
void arrival_init(void);
/* loaded.c: map a file into memory; empty: not possible. */
struct ras_bytes elf_names_map(const char *path);
/* The name of an address in a file; NULL: it has none. */
const char *elf_name_of(struct loaded *, uintptr_t address);

/* own_libc.c: memory that is never freed; NULL: none left. */
void *hooks_memory(size_t size);

/* ---- open calls ------------------------------------------------------------------------ */

struct frame {
    uint64_t id;
    uintptr_t at; /* the function, or with CALL_HOOKED where it returns to */
    uintptr_t sp; /* its place on the stack; UINTPTR_MAX: no frame */
    union {
        uint64_t time_ns; /* of its start, with CALL_SLOW */
        uintptr_t site;   /* where it returns to, without CALL_HOOKED and CALL_SLOW */
    };
};

/* What the stack below the stack pointer is filled with, at the start and the end of each call:
 * functions that read variables that they have not set read this. fentry.S does it last. */
enum stack_fill { FILL_NONE, FILL_ZERO, FILL_NEGATIVE, FILL_POSITIVE }; /* 0xa5, 0x5a */
enum { FILL_SIZE = 4096 };

struct calls {
    struct frame *top; /* the next one; top[-1] is the innermost open call */
    struct frame *end; /* beyond: the slow path */
    struct frame *base, *last;
    uintptr_t stack_from, stack_to; /* of the thread's own stack */
    uint32_t varied;                /* calls of functions with CALL_VARIED */
};
extern const struct calls calls_none; /* of a thread that has none yet */
extern const struct calls calls_busy; /* while the hooks work for it */

static inline bool calls_has(const struct calls *c)
{
    return c != &calls_none && c != &calls_busy;
}

/* A handler that interrupts this finds a frame of no function on top. */
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

/* calls.c: those of the calling thread; NULL: it is not recorded now. */
struct calls *calls_get(void);
/* End every call above `keep` as one that did not return. */
void calls_unwind(struct calls *, struct frame *keep);
/* Unwind to the first frame, from the innermost on, at `sp` or above on the same stack, or on
 * another stack. */
void calls_leave(struct calls *, uintptr_t sp);
/* Conditions that a function with CALL_VARIED is called in: yield, and fill the stack below `sp`.
 */
enum stack_fill calls_vary(struct calls *, uintptr_t sp);
/* The slow paths of a call and its end. `registers` are those that fentry.S has saved; NULL: not
 * known. */
enum stack_fill calls_enter(uintptr_t function, uintptr_t sp, uintptr_t site);
/* The same for a call that returns through a thunk: whether it is open now. `origin` is its
 * return address. */
bool calls_enter_hooked(uintptr_t function, uintptr_t slot, uintptr_t origin,
                        const uint64_t *registers);
void calls_leave_hooked(uintptr_t slot, const uint64_t *registers);
void emit_start(struct calls *, struct frame *, const uint64_t *registers);
void emit_end(struct calls *, const struct frame *, uint64_t more_flags, const uint64_t *registers);
enum stack_fill calls_exit(uintptr_t function, uintptr_t sp);
/* fentry.S: the same, then fill the stack below the caller's frame. */
void cyg_enter_slow(uintptr_t function, uintptr_t sp, uintptr_t site);
void cyg_exit_slow(uintptr_t function, uintptr_t sp);
/* Emit the starts of open calls that were delayed: an event inside them is emitted next. */
void calls_emit_pending(struct calls *);
void calls_init(void);
/* The open calls of the calling thread, which is in a handler. */
void calls_list(struct crash_info *);
/* mark.c: the last tick that was marked. */
void mark_last_tick(struct crash_info *);
/* Where the stack of the calling thread is; unchanged: not known. */
void calls_stack(uint64_t range[2]);
/* The thread has returned from its first function: end its open calls. Later, free the memory. */
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
    int pid;        /* of the process that records; a child of vfork() has another */
    struct lock lock;
    struct ras_record_options options;
    const char *plans;     /* a directory of plans by build id; NULL: none */
    size_t max_depth;      /* 0: any */
    uint64_t min_duration; /* ns; 0: any */
    uint64_t trigger_ns;   /* after the start; 0: none */
    int trigger_signal;    /* 0: none */
    bool attached;         /* to a process that was running: attached.c */
    enum stack_fill fill;
    uint32_t apart; /* memory of our own is far from the program's */
    uint32_t yield; /* in every call of this number; 0: never */
};
extern struct hooks hooks;

/* hooks.c: start with the first event; false: not recording. */
bool hooks_begin(void);
/* Take the lock; signals are blocked meanwhile, and calls are not recorded. */
struct held {
    int error; /* errno */
    sigset_t mask;
    struct hook_thread *mine;
    struct calls *calls;
};
void hooks_lock(struct held *);
void hooks_unlock(const struct held *);
/* dl.c: store the next definition of a name in *function, also if its library was loaded
 * privately; NULL: none. */
void hooks_next(void *function, const char *name);
/* The same of one module. */
void hooks_symbol(const struct dl_phdr_info *, void *function, const char *name);
/* Thunks, then their return addresses, at the same distance: fentry.S. */
enum { THUNK_SIZE = 16, THUNKS_SIZE = 1 << 26 };
extern uint8_t hooks_thunks[2 * THUNKS_SIZE] __attribute__((aligned(4096)));
/* thunk.c: the thunk of a return address; 0: none left. */
uintptr_t thunk_make(uintptr_t origin);
bool thunk_is(uintptr_t address);
uintptr_t thunk_origin(uintptr_t thunk);
void thunk_init(void);
/* ends.c */
void ends_init(void);
/* attached.c: what RASTRUM_RECORD is for a process that was running already; NULL: it is not one.
 * Begin to record it. A module has these functions to be patched. */
const char *attached_settings(void);
void attached_begin(void);
struct attach_sites;
void attached_site_list(struct attach_sites *);
/* The dynamic linker has loaded or unloaded a module of it. */
void attached_arrival(void);
/* hook_thread.c: which thread created the calling thread; "": not known. */
const char *thread_path(void);
/* In a forked child: it is the first thread of its process. */
void thread_is_first(void);
/* drain_thread.c: run the drain in a thread of its own; 0, or an errno. Wait for its end. */
int drain_thread_start(void *(*run)(void *));
void drain_thread_join(void);
/* own_libc.c: lock the recorder's heap while a fork() copies it. */
void own_memory_lock(void);
void own_memory_unlock(void);

#define HOOK __attribute__((visibility("default")))
#endif
