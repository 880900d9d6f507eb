/* condition.c - the file of settings, and what is set when the program starts. */
#include "conditions/condition.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const setting_names[SETTINGS] = {
    [SET_CLOCK] = "clock",     [SET_STEP] = "step",   [SET_RANDOM] = "random",
    [SET_READDIR] = "readdir", [SET_FILES] = "files", [SET_THREADS] = "threads",
    [SET_YIELD] = "yield",     [SET_STACK] = "stack", [SET_FLOAT] = "float",
    [SET_CPUS] = "cpus",       [SET_SINCE] = "since", [SET_MADE] = "made",
    [SET_HEAP] = "heap",       [SET_SLOW] = "slow",   [SET_FILL] = "fill",
    [SET_FIRST] = "first",
};

static uint64_t settings[SETTINGS];

/* ---- locks and memory ----------------------------------------------------------------------- */

void condition_take(struct condition_lock *lock)
{
    while (__atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE))
        syscall(SYS_sched_yield);
}

void condition_give(struct condition_lock *lock)
{
    __atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE);
}

void *condition_memory(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

void condition_memory_free(void *at, size_t size)
{
    if (at)
        munmap(at, size);
}

bool condition_memory_grow(void *items, size_t *room, size_t first, size_t item_size)
{
    void *old, *more = condition_memory((*room ? 2 * *room : first) * item_size);
    if (!more)
        return false;
    memcpy(&old, items, sizeof old);
    if (old)
        memcpy(more, old, *room * item_size);
    condition_memory_free(old, *room * item_size);
    memcpy(items, &more, sizeof more);
    *room = *room ? 2 * *room : first;
    return true;
}

void condition_next(void *function, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

/* ---- settings --------------------------------------------------------------------------- */

extern void *__libc_stack_end;

/* As the kernel puts it on the stack: the constructors of the hooks run before libc has set
 * environ. */
static const char *path_of_settings(void)
{
    static const char name[] = "RASTRUM_CONDITIONS=";
    char *const *words = __libc_stack_end;
    char *const *variables = environ ? environ : words + 1 + *(const long *)__libc_stack_end + 1;
    for (; *variables; variables++)
        if (!strncmp(*variables, name, sizeof name - 1))
            return *variables + sizeof name - 1;
    return NULL;
}

static void take_line(const char *line, size_t len)
{
    for (unsigned i = 0; i < SETTINGS; i++) {
        size_t name = strlen(setting_names[i]);
        if (len > name && line[name] == '=' && !strncmp(line, setting_names[i], name))
            settings[i] = strtoull(line + name + 1, NULL, 10);
    }
}

static void read_settings(void)
{
    char text[1024];
    const char *path = path_of_settings();
    long fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    long got = syscall(SYS_read, fd, text, sizeof text - 1);
    syscall(SYS_close, fd);
    text[got > 0 ? got : 0] = 0;
    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        take_line(line, len);
        line += len + (line[len] == '\n');
    }
}

uint64_t setting(enum setting which)
{
    static uint32_t state; /* 1: being read, 2: read */
    uint32_t fresh = 0;
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 2)
        return settings[which];
    if (__atomic_compare_exchange_n(&state, &fresh, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        read_settings();
        __atomic_store_n(&state, 2, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != 2)
        syscall(SYS_sched_yield);
    return settings[which];
}

/* For the hooks, which carry out two of them. */
WRAP uint64_t rastrum_condition(const char *name);
uint64_t rastrum_condition(const char *name)
{
    for (unsigned i = 0; i < SETTINGS; i++)
        if (!strcmp(setting_names[i], name))
            return setting((enum setting)i);
    return 0;
}

/* ---- our own libraries -------------------------------------------------------------------- */

enum { OWN_MOST = 8 };
static struct {
    uintptr_t from, to;
} own[OWN_MOST];
static size_t own_count;

/* Code alone: a function that the hooks have patched and whose last act is a call returns to one of
 * their thunks, which are data of that library. */
static int note_own(struct dl_phdr_info *info, size_t size, void *user)
{
    uintptr_t from = UINTPTR_MAX, to = 0;
    (void)size, (void)user;
    if (!info->dlpi_name || !strstr(info->dlpi_name, "/librastrum") || own_count == OWN_MOST)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        from = at < from ? at : from;
        to = at + p->p_memsz > to ? at + p->p_memsz : to;
    }
    own[own_count].from = from;
    own[own_count].to = to;
    own_count++;
    return 0;
}

bool condition_is_own(uintptr_t address)
{
    for (size_t i = 0; i < own_count; i++)
        if (address >= own[i].from && address < own[i].to)
            return true;
    return false;
}

/* ---- the start ------------------------------------------------------------------------------ */

enum { STACK_START = 64 << 10 };

/* Where no hooks do it at every call. */
__attribute__((noinline)) static void fill_stack_once(void)
{
    volatile char room[STACK_START];
    static const char values[] = {0, 0, (char)0xa5, 0x5a}; /* as the hooks do */
    const char value = values[setting(SET_STACK) & 3];
    for (size_t i = 0; i < sizeof room; i++)
        room[i] = value;
}

/* The kernel's 16 random bytes: the C library has made its guards of them by now. */
static void replace_random_bytes(void)
{
    char *bytes = (char *)getauxval(AT_RANDOM);
    if (!bytes || !setting(SET_RANDOM))
        return;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t word = condition_mix(setting(SET_RANDOM) + i);
        memcpy(bytes + sizeof word * i, &word, sizeof word);
    }
}

static void *volatile moved;

__attribute__((constructor)) static void condition_load(void)
{
    dl_iterate_phdr(note_own, NULL);
    condition_float();
    replace_random_bytes();
    if (setting(SET_STACK))
        fill_stack_once();
    if (setting(SET_HEAP))
        moved = malloc(setting(SET_HEAP)); /* the program's heap: blocks are elsewhere */
}
