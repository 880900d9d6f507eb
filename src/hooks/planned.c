/* planned.c - patching functions of modules that were not built for it, by a plan.
 *
 * `rastrum record` has decided which functions, and made their displaced code (base/patch_plan.h).
 * Here the plan is read to memory near its module, its distances are adjusted, and a jump is
 * written to the start of each function whose bytes are those that the plan expects. Code that
 * calls the entry of the hooks from there is resolved to its function when that is learned. */
#include "base/attach.h"
#include "base/patch_plan.h"
#include "hooks/hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A plan that is in use. */
struct planned {
    struct planned *next;
    uintptr_t from, to, bias; /* of its module */
    const struct patch_plan_head *head;
    const struct patch_plan_entry *entries;
    uint8_t *map; /* the file, in memory; NULL: the module is gone */
    uint8_t *code;
    struct attach_sites *sites; /* NULL: not attached */
};
static struct planned *all_planned; /* guarded by hooks.lock */

/* ---- the file ------------------------------------------------------------------------------- */

static bool is_within(uint64_t at, uint64_t count, uint64_t each, uint64_t size)
{
    return at <= size && count <= (size - at) / each;
}

/* Whether it is a plan of what is loaded here. */
static bool plan_fits(const struct planned *p, uint64_t size)
{
    const struct patch_plan_head *h = p->head;
    return !memcmp(h->magic, PATCH_PLAN_MAGIC, sizeof h->magic) && h->size == size &&
           h->from == p->from - p->bias && h->to == p->to - p->bias &&
           is_within(h->entries_at, h->entry_count, sizeof(struct patch_plan_entry), size) &&
           is_within(h->fixups_at, h->fixup_count, sizeof(struct patch_plan_fixup), size) &&
           h->code_at % PATCH_PLAN_PAGE == 0 && is_within(h->code_at, h->code_size, 1, size) &&
           h->code_size >= PATCH_PLAN_STUB;
}

/* Read, not mapped: the session may be where no code can be executed. */
static bool read_all(int fd, uint8_t *to, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = read(fd, to + done, size - done);
        if (n <= 0 && (n == 0 || errno != EINTR))
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static void free_plan(struct planned *p, size_t size)
{
    munmap(p->map, size);
    p->map = NULL;
}

/* False: there is none, or no room for it. */
static bool map_plan(struct planned *p, const char *name)
{
    char path[4400];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s/" PATCH_PLAN_FILE, hooks.plans, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t size = fstat(fd, &st) == 0 && st.st_size > 0 ? (size_t)st.st_size : 0;
    if (size >= sizeof *p->head)
        p->map = patch_near(p->from, p->to, size);
    bool whole = p->map && read_all(fd, p->map, size);
    close(fd);
    p->head = (const struct patch_plan_head *)p->map;
    if (p->map && (!whole || !plan_fits(p, size)))
        free_plan(p, size);
    if (!p->map)
        return false;
    p->entries = (const struct patch_plan_entry *)(p->map + p->head->entries_at);
    p->code = p->map + p->head->code_at;
    return true;
}

/* ---- displaced code ------------------------------------------------------------------------- */

/* Distances are as if the code lay at address 0 of the module's file. */
static void fix_distance(const struct planned *p, uint8_t *at)
{
    uint32_t distance;
    memcpy(&distance, at, sizeof distance);
    distance += (uint32_t)(p->bias - (uintptr_t)p->code);
    memcpy(at, &distance, sizeof distance);
}

static void fix_return(const struct planned *p, uint8_t *at)
{
    uint32_t low, high;
    memcpy(&low, at + PATCH_PLAN_LOW, sizeof low);
    memcpy(&high, at + PATCH_PLAN_HIGH, sizeof high);
    uint64_t address = ((uint64_t)high << 32 | low) + p->bias;
    low = (uint32_t)address;
    high = (uint32_t)(address >> 32);
    memcpy(at + PATCH_PLAN_LOW, &low, sizeof low);
    memcpy(at + PATCH_PLAN_HIGH, &high, sizeof high);
}

/* Make the code executable where it is. */
static bool settle_code(const struct planned *p)
{
    const struct patch_plan_fixup *f =
        (const struct patch_plan_fixup *)(p->map + p->head->fixups_at);
    for (uint64_t i = 0; i < p->head->fixup_count; i++) {
        bool is_return = f[i].kind == PATCH_PLAN_RETURN;
        if (!is_within(f[i].at, 1, is_return ? PATCH_PLAN_PUSH : 4, p->head->code_size))
            return false;
        (is_return ? fix_return : fix_distance)(p, p->code + f[i].at);
    }
    patch_write_stub(p->code, hooks_entry);
    return mprotect(p->map, p->head->code_at, PROT_READ) == 0 &&
           mprotect(p->code, p->head->code_size, PROT_READ | PROT_EXEC) == 0;
}

/* ---- functions ------------------------------------------------------------------------------ */

static bool is_as_planned(const struct planned *p, const struct patch_plan_entry *e)
{
    uintptr_t at = p->bias + e->function + e->jump;
    return e->size >= PATCH_PLAN_JUMP && e->size <= sizeof e->original && at >= p->from &&
           at < p->to && p->to - at >= e->size && e->code < p->head->code_size &&
           !memcmp((const void *)at, e->original, e->size);
}

static void make_jump(uint8_t code[PATCH_PLAN_JUMP], uintptr_t at, const uint8_t *to)
{
    int32_t far = (int32_t)((intptr_t)to - (intptr_t)(at + PATCH_PLAN_JUMP));
    code[0] = 0xe9;
    memcpy(code + 1, &far, sizeof far);
}
_Static_assert((int)ATTACH_JUMP == (int)PATCH_PLAN_JUMP, "the same jump");

/* What patch_functions() writes, for the process that attaches or detaches. */
static void list_functions(struct planned *p, struct loaded *module)
{
    struct attach_sites *sites =
        hooks_memory(sizeof *sites + p->head->entry_count * sizeof *sites->at);
    if (!sites)
        return;
    sites->count = 0;
    for (uint64_t i = 0; i < p->head->entry_count; i++) {
        const struct patch_plan_entry *e = &p->entries[i];
        uintptr_t function = p->bias + e->function, at = function + e->jump;
        if (!is_as_planned(p, e) || choice_ignores(module, function))
            continue;
        struct attach_site *site = &sites->at[sites->count++];
        *site = (struct attach_site){.at = at};
        memcpy(site->original, (const void *)at, ATTACH_JUMP);
        make_jump(site->jump, at, p->code + e->code);
    }
    p->sites = sites;
    attached_site_list(sites);
}

static void patch_functions(const struct planned *p, struct loaded *module)
{
    struct patch_pages pages = {0};
    for (uint64_t i = 0; i < p->head->entry_count; i++) {
        const struct patch_plan_entry *e = &p->entries[i];
        uintptr_t function = p->bias + e->function, at = function + e->jump;
        if (is_as_planned(p, e) && !choice_ignores(module, function) &&
            patch_open_pages(&pages, at, PATCH_PLAN_JUMP))
            make_jump((uint8_t *)at, at, p->code + e->code);
    }
    patch_close_pages(&pages);
}

/* By build id; a file that has none by its path. */
static void name_plan(const struct dl_phdr_info *info, const char *path, char *name, size_t room)
{
    loaded_build_id(info, name, room);
    if (!*name)
        patch_plan_name(path, name, room);
}

/* For the report of `rastrum record`: not patched. */
static void note_unplanned(const char *path)
{
    char list[4400], line[4100];
    snprintf(list, sizeof list, "%s/" PATCH_PLAN_UNPLANNED, hooks.plans);
    int len = snprintf(line, sizeof line, "%s\n", path);
    int fd = open(list, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    if (len > 0 && (size_t)len < sizeof line)
        (void)!write(fd, line, (size_t)len);
    close(fd);
}

static bool use_plan(struct planned *p, const struct dl_phdr_info *info, const char *path,
                     enum patch_when when)
{
    char name[80];
    *p = (struct planned){.from = p->from, .to = p->to, .bias = info->dlpi_addr};
    name_plan(info, path, name, sizeof name);
    if (!map_plan(p, name))
        return false;
    struct loaded *module = loaded_find(p->from);
    if (!module || !settle_code(p)) {
        free_plan(p, p->head->size);
        return false;
    }
    p->next = all_planned;
    all_planned = p;
    if (hooks.attached)
        list_functions(p, module);
    if (!hooks.attached || (when == PATCH_ARRIVED && p->sites))
        patch_functions(p, module);
    return true;
}

/* Other threads may execute the code of a module that was loaded before. */
void planned_patch(const struct dl_phdr_info *info, const char *path, uintptr_t from, uintptr_t to,
                   enum patch_when when)
{
    struct planned *p = hooks.plans ? hooks_memory(sizeof *p) : NULL;
    if (!p)
        return;
    p->from = from;
    p->to = to;
    bool used = when != PATCH_LOADED && use_plan(p, info, path, when);
    if (!used && when != PATCH_AT_START)
        note_unplanned(path);
}

/* The last entry whose code begins at the address or before. */
static const struct patch_plan_entry *entry_of(const struct planned *p, uint64_t at)
{
    size_t low = 0, high = p->head->entry_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->entries[middle].code <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &p->entries[low - 1] : NULL;
}

uintptr_t planned_function(uintptr_t address)
{
    for (const struct planned *p = all_planned; p; p = p->next) {
        if (!p->map || address - (uintptr_t)p->code >= p->head->code_size)
            continue;
        const struct patch_plan_entry *e = entry_of(p, address - (uintptr_t)p->code);
        return e ? p->bias + e->function : address;
    }
    return address;
}

void planned_sweep(void)
{
    for (struct planned *p = all_planned; p; p = p->next) {
        if (!p->map || loaded_is_there(p->from, p->to))
            continue;
        known_forget((uintptr_t)p->code, (uintptr_t)p->code + p->head->code_size);
        if (p->sites)
            STORE_RELEASE(&p->sites->count, 0);
        free_plan(p, p->head->size);
    }
}
