/* own_libc.c - replacements for functions of the C library that share state with the program.
 *
 * Linked into the hooks, these hidden functions replace the C library's: the recorder has its
 * own heap, and the program's heap is the same as without it. Blocks are powers of two, with a
 * free list per size; large ones are mappings of their own. */
#include "hooks/hooks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { HEAD = 16, CLASS_FIRST = 5, CLASS_LAST = 17, CLASS_MAPPED = 63, CHUNK = 1 << 20 };
enum { HOOKS_CHUNK = 256 << 10 };

/* Before each block. */
struct block {
    size_t size; /* with the head */
    unsigned class;
    struct block *next; /* in a free block, over its contents */
};
_Static_assert(offsetof(struct block, next) == HEAD, "the contents of a block follow its head");

static struct {
    struct lock lock;
    struct block *free[CLASS_LAST + 1];
    char *at;
    size_t left;
} memory;

void own_memory_lock(void)
{
    lock_take(&memory.lock);
}

void own_memory_unlock(void)
{
    lock_give(&memory.lock);
}

static void *map(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static struct block *mapped(size_t size)
{
    size_t whole = (size + HEAD + 4095) / 4096 * 4096;
    struct block *b = whole > size ? map(whole) : NULL;
    if (b)
        *b = (struct block){.size = whole, .class = CLASS_MAPPED};
    return b;
}

/* With the lock held: a new block of a class. */
static struct block *carve(unsigned class)
{
    size_t size = (size_t)1 << class;
    if (memory.left < size) {
        char *more = map(CHUNK);
        if (!more)
            return NULL;
        memory.at = more;
        memory.left = CHUNK;
    }
    struct block *b = (struct block *)(void *)memory.at;
    memory.at += size;
    memory.left -= size;
    b->size = size;
    b->class = class;
    return b;
}

static struct block *take(size_t size)
{
    unsigned class = CLASS_FIRST;
    while (class <= CLASS_LAST && ((size_t)1 << class) - HEAD < size)
        class ++;
    if (class > CLASS_LAST)
        return mapped(size);
    lock_take(&memory.lock);
    struct block *b = memory.free[class];
    if (b)
        memory.free[class] = b->next;
    else
        b = carve(class);
    lock_give(&memory.lock);
    return b;
}

void *malloc(size_t size)
{
    struct block *b = take(size);
    return b ? (char *)b + HEAD : NULL;
}

void free(void *at)
{
    if (!at)
        return;
    struct block *b = (struct block *)(void *)((char *)at - HEAD);
    if (b->class == CLASS_MAPPED) {
        munmap(b, b->size);
        return;
    }
    lock_take(&memory.lock);
    b->next = memory.free[b->class];
    memory.free[b->class] = b;
    lock_give(&memory.lock);
}

void *calloc(size_t count, size_t size)
{
    if (size && count > (size_t)PTRDIFF_MAX / size)
        return NULL;
    struct block *b =
        take(count * size); /* malloc() and memset() would be compiled to a calloc() */
    return b ? memset((char *)b + HEAD, 0, count * size) : NULL;
}

void *realloc(void *at, size_t size)
{
    if (!at)
        return malloc(size);
    size_t room = ((struct block *)(void *)((char *)at - HEAD))->size - HEAD;
    if (size <= room)
        return at;
    void *more = malloc(size);
    if (!more)
        return NULL;
    memcpy(more, at, room);
    free(at);
    return more;
}

/* The C library's would load a translation from files onto the heap. */
char *strerror_r(int code, char *buffer, size_t room)
{
    const char *text = strerrordesc_np(code);
    (void)buffer, (void)room;
    return (char *)(uintptr_t)(text ? text : "unknown error");
}

/* libzstd calls these if they exist: not those of the program. */
unsigned long long ZSTD_trace_compress_begin(const void *context);
void ZSTD_trace_compress_end(unsigned long long context, const void *trace);

unsigned long long ZSTD_trace_compress_begin(const void *context)
{
    (void)context;
    return 0;
}

void ZSTD_trace_compress_end(unsigned long long context, const void *trace)
{
    (void)context, (void)trace;
}

/* That of the C library, also where librastrum-conditions has replaced the program's. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int (*real)(clockid_t, struct timespec *);
    int (*now)(clockid_t, struct timespec *) = LOAD_ACQUIRE(&real);
    if (!now) {
        hooks_next(&now, "clock_gettime");
        STORE_RELEASE(&real, now);
    }
    return now(clock, time);
}

/* Where `rastrum twice` pins addresses, our memory is far from the program's: what the drain maps,
 * and when, does not move what the program maps. */
#define APART_FROM UINT64_C(0x200000000000)
#define APART_STEP UINT64_C(0x200000)

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    static uint64_t next = APART_FROM;
    if (!at && LOAD(&hooks.apart)) {
        uint64_t room = (size / APART_STEP + 2) * APART_STEP;
        at = (void *)(uintptr_t)ADD(&next, room);
    }
    return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

/* ---- memory that is never freed -------------------------------------------------- */

/* With hooks.lock held. */
void *hooks_memory(size_t size)
{
    static char *at;
    static size_t left;
    size = (size + 15) / 16 * 16;
    if (size > left) {
        size_t chunk = size > HOOKS_CHUNK ? size : HOOKS_CHUNK;
        void *more = mmap(NULL, chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED)
            return NULL;
        at = more;
        left = chunk;
    }
    void *got = at;
    at += size;
    left -= size;
    return got;
}
