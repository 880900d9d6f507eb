/* patch.c - functions that were built with room for a call at their start: it is put there.
 *
 * -fpatchable-function-entry=5 leaves five bytes of nothing, and a section that lists where.
 * A module is patched before its code runs: those of the program before its own constructors,
 * others when dlopen() has loaded them. */
#include "base/elf.h"
#include "hooks/choice.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CALL = 5, PAGE = 4096, REACH = 1 << 30, STEP = 1 << 20 };

extern void __fentry__(void);

/* A module that was looked at. */
struct patched {
    struct patched *next;
    uintptr_t from, to;
};
static struct patched *patched; /* guarded by hooks.lock */

/* ---- one module ------------------------------------------------------------------------- */

/* jmp *0(%rip), then where to. */
static void write_stub(uint8_t *at)
{
    static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
    void (*to)(void) = __fentry__;
    memcpy(at, jump, sizeof jump);
    memcpy(at + sizeof jump, &to, sizeof to);
}

/* A page near the module, with a jump to us, for a call reaches two gigabytes. NULL: none. */
static uint8_t *make_stub(uintptr_t from, uintptr_t to)
{
    for (uintptr_t away = STEP; away < REACH; away += STEP)
        for (unsigned above = 0; above < 2; above++) {
            uintptr_t at = (above ? to + away : from - away) & ~(uintptr_t)(PAGE - 1);
            void *got = mmap((void *)at, PAGE, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
            if (got == MAP_FAILED)
                continue;
            if ((uintptr_t)got == at) {
                write_stub(got);
                return mprotect(got, PAGE, PROT_READ | PROT_EXEC) == 0 ? got : NULL;
            }
            munmap(got, PAGE);
        }
    return NULL;
}

static bool is_room(const uint8_t *at)
{
    static const uint8_t forms[][CALL] = {{0x90, 0x90, 0x90, 0x90, 0x90},
                                          {0x0f, 0x1f, 0x44, 0x00, 0x00},
                                          {0x0f, 0x1f, 0x44, 0x00, 0x08}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!memcmp(at, forms[i], CALL))
            return true;
    return false;
}

/* Where the room of an entry begins, behind what must come first; 0: it has none. */
static uintptr_t room_of(uintptr_t entry)
{
    static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
    const uint8_t *at = (const uint8_t *)entry;
    if (!memcmp(at, landing, sizeof landing))
        at += sizeof landing;
    return is_room(at) ? (uintptr_t)at : 0;
}

static void write_call(uintptr_t room, const uint8_t *stub)
{
    int32_t far = (int32_t)((intptr_t)stub - (intptr_t)(room + CALL));
    uint8_t code[CALL] = {0xe8};
    memcpy(code + 1, &far, sizeof far);
    memcpy((void *)room, code, sizeof code);
}

static bool unlock(uintptr_t from, uintptr_t to)
{
    return mprotect((void *)from, to - from, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
}

/* Entries are in the order of the code, mostly: pages are opened one after the other. */
static void patch_entries(struct loaded *module, const uintptr_t *entries, size_t count,
                          const uint8_t *stub)
{
    uintptr_t from = 0, to = 0;
    for (size_t i = 0; i < count; i++) {
        if (entries[i] < module->from || entries[i] + 16 > module->to)
            continue;
        uintptr_t room = room_of(entries[i]);
        if (!room || choice_ignores(module, room))
            continue;
        uintptr_t page = room & ~(uintptr_t)(PAGE - 1);
        uintptr_t end = (room + CALL + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
        if (page < from || end > to) {
            if (to)
                mprotect((void *)from, to - from, PROT_READ | PROT_EXEC);
            from = page;
            to = end;
            if (!unlock(from, to))
                return;
        }
        write_call(room, stub);
    }
    if (to)
        mprotect((void *)from, to - from, PROT_READ | PROT_EXEC);
}

/* The section as it lies in memory, where its addresses are the true ones. */
static void patch(const char *path, uintptr_t bias, uintptr_t from, uintptr_t to)
{
    struct elf elf;
    struct elf_section s;
    struct ras_bytes file = elf_names_map(path);
    if (!file.at)
        return;
    bool there = elf_open(&elf, file) &&
                 elf_section_named(&elf, "__patchable_function_entries", &s) && s.size;
    munmap((void *)(uintptr_t)file.at, file.len);
    uintptr_t at = there ? bias + s.address : 0;
    if (!there || at < from || at > to || to - at < s.size)
        return;
    struct loaded *module = loaded_find(at);
    uint8_t *stub = module ? make_stub(from, to) : NULL;
    if (stub)
        patch_entries(module, (const uintptr_t *)at, s.size / sizeof(uintptr_t), stub);
}

/* ---- all of them ------------------------------------------------------------------------- */

static bool is_new(uintptr_t from, uintptr_t to)
{
    for (const struct patched *p = patched; p; p = p->next)
        if (p->from == from && p->to == to)
            return false;
    struct patched *p = hooks_memory(sizeof *p);
    if (!p)
        return false;
    *p = (struct patched){patched, from, to};
    patched = p;
    return true;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *user)
{
    uintptr_t from, to;
    char path[4096];
    (void)size, (void)user;
    loaded_measure(info, &from, &to);
    if (from < to && is_new(from, to) && loaded_path(info, path, sizeof path))
        patch(path, info->dlpi_addr, from, to);
    return 0;
}

void patch_all(void)
{
    struct held held;
    hooks_lock(&held);
    dl_iterate_phdr(look_at, NULL);
    hooks_unlock(&held);
}

/* With hooks.lock held. */
void patch_sweep(void)
{
    for (struct patched *p = patched; p; p = p->next)
        if (p->to && !loaded_is_there(p->from, p->to))
            p->from = p->to = 0;
}
