/* heap.c - counts allocations; linked with --wrap for malloc and the like. */
#include "trial.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static struct heap heap;
static int64_t held_before;
static uint64_t fails_in = UINT64_MAX; /* allocations until one is refused */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void __real_free(void *at);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
void __wrap_free(void *at);

struct heap heap_now(void)
{
    return (struct heap){heap.calls, heap.live - held_before, heap.peak - held_before};
}

void heap_watch(void)
{
    held_before = heap.peak = heap.live;
}

static void *took(void *at)
{
    heap.calls++;
    if (at)
        heap.live += (int64_t)malloc_usable_size(at);
    if (heap.live > heap.peak)
        heap.peak = heap.live;
    return at;
}

void heap_fail(uint64_t call)
{
    fails_in = call;
}

static bool refused(void)
{
    if (fails_in == UINT64_MAX)
        return false;
    return fails_in-- == 0; /* which leaves none */
}

void *__wrap_malloc(size_t size)
{
    return refused() ? NULL : took(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refused() ? NULL : took(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (refused())
        return NULL;
    int64_t before = old ? (int64_t)malloc_usable_size(old) : 0;
    void *at = __real_realloc(old, size);
    if (at || !size)
        heap.live -= before;
    return at || size ? took(at) : NULL;
}

char *__wrap_strdup(const char *text)
{
    return refused() ? NULL : took(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t size)
{
    return refused() ? NULL : took(__real_strndup(text, size));
}

void __wrap_free(void *at)
{
    if (at)
        heap.live -= (int64_t)malloc_usable_size(at);
    __real_free(at);
}
