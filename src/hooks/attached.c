/* attached.c - hooks that were loaded into a process that was running already.
 *
 * Nothing was intercepted when the process began, and other threads execute the functions that
 * are to be patched. So only what cannot disturb them is done here, in a thread that is started
 * while one of the program loads the library: settings, recorder, displaced code. The jumps are
 * written by the process that attaches, while all threads are stopped. */
#include "base/attach.h"
#include "hooks/hooks.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

HOOK extern struct attach_state rastrum_attached;
HOOK void rastrum_detach(void);
HOOK void rastrum_release(void);

struct attach_state rastrum_attached = {.version = ATTACH_VERSION};
static _Alignas(16) uint8_t detach_stack[ATTACH_STACK];

/* ---- settings ----------------------------------------------------------------------------- */

/* Beside this library, if its name says that it was made to attach. */
static bool settings_path(char *path, size_t room)
{
    static const char name[] = "/" ATTACH_LIBRARY;
    Dl_info info;
    if (!dladdr(&rastrum_attached, &info) || !info.dli_fname)
        return false;
    size_t len = strlen(info.dli_fname);
    if (len < sizeof name - 1 || strcmp(info.dli_fname + len - (sizeof name - 1), name) != 0)
        return false;
    int made = snprintf(path, room, "%.*s/" ATTACH_SETTINGS, (int)(len - (sizeof name - 1)),
                        info.dli_fname);
    return made > 0 && (size_t)made < room;
}

const char *attached_settings(void)
{
    enum { ROOM = 1 << 16 };
    char path[4400];
    int fd = settings_path(path, sizeof path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    char *text = fd >= 0 ? hooks_memory(ROOM) : NULL;
    ssize_t n = 0;
    size_t len = 0;
    while (text && len < ROOM - 1 && (n = read(fd, text + len, ROOM - 1 - len)) != 0) {
        if (n < 0 && errno != EINTR)
            break;
        len += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        close(fd);
    if (!text || n < 0 || len == ROOM - 1)
        return NULL;
    text[len] = 0;
    hooks.attached = true;
    return text;
}

/* ---- those before ----------------------------------------------------------------------- */

/* Called by the next library that is attached, in its own thread: nothing is recorded any more,
 * and calls that are open still return through their thunks, which need no state. */
void rastrum_release(void)
{
    if (LOAD_ACQUIRE(&rastrum_attached.step) != ATTACH_ENDING || !LOAD(&recorder.sealed))
        return;
    thread_release();
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next)
        if (l->hot.ring) /* its memory, not its addresses */
            madvise(l->hot.ring, l->capacity * sizeof *l->hot.ring, MADV_DONTNEED);
}

static int release_other(struct dl_phdr_info *info, size_t size, void *user)
{
    static const char name[] = "/" ATTACH_LIBRARY;
    size_t len = strlen(info->dlpi_name);
    uintptr_t from, to, here = (uintptr_t)&rastrum_attached;
    (void)size, (void)user;
    loaded_measure(info, &from, &to);
    if (len < sizeof name - 1 || strcmp(info->dlpi_name + len - (sizeof name - 1), name) != 0 ||
        (here >= from && here < to))
        return 0;
    void (*release)(void);
    hooks_symbol(info, &release, "rastrum_release");
    if (release)
        release();
    return 0;
}

/* ---- beginning and end ----------------------------------------------------------------- */

void attached_site_list(struct attach_sites *sites)
{
    sites->next = rastrum_attached.sites;
    STORE_RELEASE(&rastrum_attached.sites, (uintptr_t)sites);
}

/* A module was loaded or unloaded. The process that detaches sets `closed`, then waits while this
 * is busy. */
void attached_arrival(void)
{
    EXCHANGE(&rastrum_attached.busy, 1);
    if (!LOAD_ORDERED(&rastrum_attached.closed)) {
        loaded_sweep();
        patch_all(PATCH_ARRIVED);
    }
    STORE_RELEASE(&rastrum_attached.busy, 0);
}

static void *attached_run(void *unused)
{
    (void)unused;
    dl_iterate_phdr(release_other, NULL);
    bool good = hooks_begin();
    if (good) {
        patch_all(PATCH_AT_START);
        arrival_init();
        rastrum_attached.sealed = (uintptr_t)&recorder.sealed;
        rastrum_attached.stack = (uintptr_t)detach_stack;
    }
    STORE_RELEASE(&rastrum_attached.step, good ? ATTACH_READY : ATTACH_FAILED);
    return NULL;
}

/* In a thread of its own, which ends when all is prepared: files and the start of the drain take
 * longer than a thread of the program may be stopped. It takes no signals. */
void attached_begin(void)
{
    int was = errno;
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = NULL;
    pthread_t thread;
    sigset_t all, mask;
    sigfillset(&all);
    hooks_next(&create, "pthread_create");
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    if (!create || create(&thread, NULL, attached_run, NULL))
        STORE_RELEASE(&rastrum_attached.step, ATTACH_FAILED);
    else
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    errno = was;
}

/* Called in any thread, wherever it is: it only requests. Calls that are open still return
 * through their thunks. */
void rastrum_detach(void)
{
    int was = errno;
    STORE_RELEASE(&rastrum_attached.step, ATTACH_ENDING);
    crash_release();
    recorder_end();
    drain_wake();
    errno = was;
}
