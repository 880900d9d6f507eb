/* patch.c - patching calls into functions that were built with room for one at their start.
 *
 * -fpatchable-function-entry=5 leaves five bytes of NOPs, and a section that lists them. A
 * module is patched before its code runs: those that the program was linked with before all
 * constructors, others when the dynamic linker has mapped them (below) or, if that cannot be
 * intercepted, when dlopen() returns. */
#include "base/attach.h"
#include "base/elf.h"
#include "hooks/hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CALL = 5, JUMP = 5, PAGE = 4096, REACH = 1 << 29, STEP = 1 << 20 };

/* A module that was patched or has nothing to patch. */
struct patched {
    struct patched *next;
    uintptr_t from, to;
};
static struct patched *patched; /* guarded by hooks.lock */

/* ---- one module ------------------------------------------------------------------------- */

/* jmp *0(%rip), then the target. */
void patch_write_stub(uint8_t *at, void (*to)(void))
{
    static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
    memcpy(at, jump, sizeof jump);
    memcpy(at + sizeof jump, &to, sizeof to);
}

static uint8_t *map_at(uintptr_t at, size_t size)
{
    void *got = mmap((void *)at, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED || (uintptr_t)got == at)
        return got == MAP_FAILED ? NULL : got;
    munmap(got, size); /* a kernel that does not know the flag */
    return NULL;
}

/* Below, as near as possible; else far above, since the heap grows after a program. */
uint8_t *patch_near(uintptr_t from, uintptr_t to, size_t size)
{
    uint8_t *at = NULL;
    if (to - from > REACH || size > REACH)
        return NULL;
    size = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
    uintptr_t low = from & ~(uintptr_t)(PAGE - 1), high = (to + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    for (uintptr_t away = STEP; !at && away < REACH && low > size + away; away += STEP)
        at = map_at(low - away - size, size);
    for (uintptr_t away = REACH; !at && away > STEP; away -= STEP)
        at = map_at(high + away, size);
    return at;
}

uint8_t *patch_stub(uintptr_t from, uintptr_t to, void (*target)(void))
{
    uint8_t *at = patch_near(from, to, PAGE);
    if (!at)
        return NULL;
    patch_write_stub(at, target);
    return mprotect(at, PAGE, PROT_READ | PROT_EXEC) == 0 ? at : NULL;
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

/* Where the NOPs of an entry begin, after an endbr64; 0: it has none. */
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

bool patch_open_pages(struct patch_pages *p, uintptr_t at, size_t size)
{
    uintptr_t page = at & ~(uintptr_t)(PAGE - 1);
    uintptr_t end = (at + size + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    if (page >= p->from && end <= p->to)
        return true;
    patch_close_pages(p);
    if (mprotect((void *)page, end - page, PROT_READ | PROT_WRITE | PROT_EXEC))
        return false;
    p->from = page;
    p->to = end;
    return true;
}

void patch_close_pages(struct patch_pages *p)
{
    if (p->to)
        mprotect((void *)p->from, p->to - p->from, PROT_READ | PROT_EXEC);
    p->from = p->to = 0;
}

struct patching {
    struct loaded *module;
    const uint8_t *stub;
    struct patch_pages pages;
};

static void patch_entry(struct patching *p, uintptr_t entry)
{
    uintptr_t room = room_of(entry);
    if (room && !choice_ignores(p->module, room) && patch_open_pages(&p->pages, room, CALL))
        write_call(room, p->stub);
}

static bool is_inside(const struct loaded *module, uintptr_t entry)
{
    return entry >= module->from && entry < module->to && module->to - entry >= 16;
}

/* The section in memory, whose addresses are absolute, or will be in a module that is not
 * relocated yet. False: some are still zero. */
static bool patch_listed(struct patching *p, const uintptr_t *entries, size_t count)
{
    bool whole = true;
    for (size_t i = 0; i < count; i++) {
        uintptr_t entry = entries[i], later = entry + p->module->bias;
        if (is_inside(p->module, entry))
            patch_entry(p, entry);
        else if (entry && is_inside(p->module, later))
            patch_entry(p, later);
        whole = whole && entry;
    }
    return whole;
}

/* Entries that are still zero are found in the relocations. */
static void patch_relocated(struct patching *p, const struct elf *elf,
                            const struct elf_section *list)
{
    struct elf_section s;
    struct elf_relocation r;
    for (uint32_t i = 0; elf_section_at(elf, i, &s); i++)
        for (uint64_t k = 0; elf_relocation_at(elf, &s, k, &r); k++) {
            uintptr_t entry = p->module->bias + r.addend;
            if (r.is_relative && r.address - list->address < list->size &&
                is_inside(p->module, entry))
                patch_entry(p, entry);
        }
}

static void patch_file(const struct elf *elf, uintptr_t bias, uintptr_t from, uintptr_t to)
{
    struct elf_section s;
    if (!elf_section_named(elf, "__patchable_function_entries", &s) || !s.size)
        return;
    uintptr_t at = bias + s.address;
    if (at < from || at > to || to - at < s.size)
        return;
    struct patching p = {.module = loaded_find(at)};
    p.stub = p.module ? patch_stub(from, to, hooks_entry) : NULL;
    if (!p.stub)
        return;
    if (!patch_listed(&p, (const uintptr_t *)at, s.size / sizeof(uintptr_t)))
        patch_relocated(&p, elf, &s);
    patch_close_pages(&p.pages);
}

static void patch_module(const char *path, uintptr_t bias, uintptr_t from, uintptr_t to)
{
    struct elf elf;
    struct ras_bytes file = elf_names_map(path);
    if (!file.at)
        return;
    if (elf_open(&elf, file))
        patch_file(&elf, bias, from, to);
    munmap((void *)(uintptr_t)file.at, file.len);
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

static int patch_if_new(struct dl_phdr_info *info, size_t size, void *user)
{
    uintptr_t from, to;
    char path[4096];
    (void)size;
    loaded_measure(info, &from, &to);
    if (from < to && is_new(from, to) && loaded_path(info, path, sizeof path)) {
        if (!hooks.attached) /* its plan has these functions, too */
            patch_module(path, info->dlpi_addr, from, to);
        planned_patch(info, path, from, to, *(const enum patch_when *)user);
    }
    return 0;
}

void patch_all(enum patch_when when)
{
    struct held held;
    hooks_lock(&held);
    dl_iterate_phdr(patch_if_new, &when);
    hooks_unlock(&held);
}

/* With hooks.lock held. */
void patch_sweep(void)
{
    for (struct patched *p = patched; p; p = p->next)
        if (p->to && !loaded_is_there(p->from, p->to))
            p->from = p->to = 0;
    planned_sweep();
}

/* ---- modules that are loaded later ----------------------------------------------- */

void hooks_arrival(void); /* fentry.S: preserves all registers */
void arrival(void);

static const struct r_debug *list;

static void arrival_patch(void)
{
    patch_all(PATCH_ARRIVED);
}

void arrival(void)
{
    int was = errno;
    if (list->r_state == RT_CONSISTENT)
        (hooks.attached ? attached_arrival : arrival_patch)();
    errno = was;
}

/* A ret, possibly after an endbr64, with only padding in the bytes that the jump overwrites. */
static bool does_nothing(uintptr_t at)
{
    static const uint8_t forms[][JUMP] = {{0xf3, 0x0f, 0x1e, 0xfa, 0xc3},  /* endbr64; ret */
                                          {0xc3, 0x66, 0x66, 0x2e, 0x0f},  /* ret; nopw */
                                          {0xc3, 0x66, 0x2e, 0x0f, 0x1f},  /* the same, shorter */
                                          {0xc3, 0x0f, 0x1f, 0x80, 0x00},  /* ret; nopl */
                                          {0xc3, 0x90, 0x90, 0x90, 0x90}}; /* ret; nop */
    for (size_t i = 0; at % 16 == 0 && i < sizeof forms / sizeof *forms; i++)
        if (!memcmp((const void *)at, forms[i], JUMP))
            return true;
    return false;
}

/* Other threads may execute it. */
static void list_arrival(uintptr_t at, const uint8_t jump[JUMP])
{
    struct attach_sites *sites = hooks_memory(sizeof *sites + sizeof *sites->at);
    if (!sites)
        return;
    sites->count = 1;
    sites->at[0] = (struct attach_site){.at = at, .is_linker = 1};
    memcpy(sites->at[0].original, (const void *)at, JUMP);
    memcpy(sites->at[0].jump, jump, JUMP);
    attached_site_list(sites);
}

void arrival_init(void)
{
    list = &_r_debug;
    uintptr_t at = list->r_brk;
    if (!at || !does_nothing(at))
        return;
    uintptr_t page = at & ~(uintptr_t)(PAGE - 1);
    uint8_t *stub = patch_stub(page, page + PAGE, hooks_arrival);
    if (!stub)
        return;
    int32_t far = (int32_t)((intptr_t)stub - (intptr_t)(at + JUMP));
    uint8_t code[JUMP] = {0xe9};
    memcpy(code + 1, &far, sizeof far);
    if (hooks.attached) {
        list_arrival(at, code);
    } else if (!mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC)) {
        memcpy((void *)at, code, sizeof code);
        mprotect((void *)page, PAGE, PROT_READ | PROT_EXEC);
    }
}
