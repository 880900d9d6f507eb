/* heap.h - what a program can see of its own process: its heap to the byte, and small state.
 *
 * Addresses are absolute: the programs run without randomisation. Memory that the allocator maps
 * apart from the heap is counted by mallinfo2() only, for mappings may lie elsewhere. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((noinline, unused))

static uint64_t digest = 14695981039346656037u;
static uintptr_t heap_start;

PLAIN static void mix(uint64_t word)
{
    digest = (digest ^ word) * 1099511628211u;
}

PLAIN static void *note(void *at)
{
    uintptr_t address = (uintptr_t)at;
    if (address >= heap_start && address < (uintptr_t)sbrk(0))
        mix(address - heap_start);
    return at;
}

PLAIN static void heap_use(unsigned rounds)
{
    void *kept[64] = {0};
    for (unsigned i = 0; i < rounds; i++) {
        unsigned at = i * 7 % 64;
        free(kept[at]);
        kept[at] = note(malloc(16 + i * 37 % 3000));
        memset(kept[at], (int)i, 16);
    }
    for (unsigned i = 0; i < 64; i += 2)
        free(kept[i]);
    free(note(strdup("a word")));
}

PLAIN static void *sym(void *library, const char *name)
{
    void *found = library ? dlsym(library, name) : 0;
    if (!found) {
        printf("no %s: %s\n", name, library ? dlerror() : "no library");
        exit(77);
    }
    return found;
}

/* The library by its bare name; a program that needs one that is not there cannot be run. */
PLAIN static void *library(const char *name)
{
    void *opened = dlopen(name, RTLD_NOW);
    if (!opened)
        exit(77);
    note(opened);
    return opened;
}

#define CALL(library, type, name, ...) ((type(*) __VA_ARGS__)sym(library, name))

static void body(void);

PLAIN static void report(void)
{
    struct mallinfo2 m = mallinfo2();
    pthread_key_t key;
    sigset_t mask;
    int fd = open("/dev/null", O_RDONLY);
    pthread_sigmask(SIG_SETMASK, 0, &mask);
    printf("digest %016llx heap %ld\n", (unsigned long long)digest,
           (long)((uintptr_t)sbrk(0) - heap_start));
    printf("arena %zu ordinary %zu small %zu used %zu free %zu top %zu mapped %zu in %zu\n",
           m.arena, m.ordblks, m.smblks, m.uordblks, m.fordblks, m.keepcost, m.hblkhd, m.hblks);
    printf("file %d key %d blocked %d errno %d single %d\n", fd,
           pthread_key_create(&key, 0) ? -1 : (int)key, sigismember(&mask, SIGUSR1), errno,
           (int)__libc_single_threaded);
    printf("locale %s zone %ld error %s\n", setlocale(LC_ALL, 0), timezone,
           dlerror() ? "left" : "none");
}

int main(void)
{
    heap_start = (uintptr_t)sbrk(0);
    free(malloc(1)); /* the heap begins here, unless a constructor was first */
    if (heap_start == (uintptr_t)sbrk(0))
        heap_start -= heap_start % (1 << 20);
    errno = 0;
    heap_use(200);
    body();
    heap_use(300);
    report();
    return 3;
}
