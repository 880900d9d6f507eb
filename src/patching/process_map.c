/* process_map.c - what is where in the memory of another process: its modules, by /proc/PID/maps,
 * and what of the C library is needed to call it. */
#include "patching/process_map.h"
#include "base/elf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *process_map_file(const struct process_region *r)
{
    const char *slash = strrchr(r->path, '/');
    return slash ? slash + 1 : r->path;
}

static bool begins_with(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The address of a dynamic symbol in a file; 0: none. */
static uint64_t symbol_in(struct ras_bytes bytes, const char *name)
{
    struct elf elf;
    struct elf_section table;
    struct elf_symbol s;
    if (!bytes.at || !elf_open(&elf, bytes) || !elf_section_typed(&elf, SHT_DYNSYM, &table))
        return 0;
    for (uint64_t i = 0; elf_symbol_at(&elf, &table, i, &s); i++)
        if (s.is_defined && !strcmp(s.name, name))
            return s.value;
    return 0;
}

static const struct process_region *first_of(const struct process_map *m, const char *path)
{
    for (size_t i = 0; i < m->count; i++)
        if (!strcmp(m->regions[i].path, path))
            return &m->regions[i];
    return NULL;
}

uint64_t process_map_symbol(const struct process_map *m, const char *path, const char *name)
{
    const struct process_region *r = first_of(m, path);
    struct ras_bytes bytes = r ? file_map(path) : (struct ras_bytes){0};
    uint64_t value = symbol_in(bytes, name);
    file_unmap(bytes);
    return value ? r->base + value : 0; /* a library is loaded from address 0 on */
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static enum process_region_kind kind_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (begins_with(name, "ld-linux") || begins_with(name, "ld-2.") || begins_with(name, "ld.so"))
        return REGION_LINKER;
    if (begins_with(name, "libc.so") || begins_with(name, "libc-2.") || *name == '[')
        return REGION_LIBRARY;
    struct ras_bytes bytes = file_map(path);
    bool allocates = symbol_in(bytes, "malloc");
    file_unmap(bytes);
    return allocates ? REGION_LIBRARY : REGION_OTHER;
}

/* `mov $15, %rax; syscall`: rt_sigreturn(), to which handlers return. */
static void find_restorer(struct process_map *m, const struct process_region *libc)
{
    static const uint8_t code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    enum { SYSCALL_AT = 7 };
    struct ras_bytes bytes = file_map(libc->path);
    const uint8_t *found = bytes.at ? memmem(bytes.at, bytes.len, code, sizeof code) : NULL;
    uint64_t address = found ? libc->base + (uint64_t)(found - bytes.at) : 0;
    const struct process_region *at = process_map_at(m, address);
    if (at && !strcmp(at->path, libc->path)) { /* text is loaded at its offset in the file */
        m->restorer = address;
        m->syscall = address + SYSCALL_AT;
    }
    file_unmap(bytes);
}

static void find_functions(struct process_map *m, const struct process_region *libc)
{
    const struct {
        const char *name;
        uint64_t *to;
    } functions[] = {{"dlopen", &m->dlopen},
                     {"__errno_location", &m->errno_location},
                     {"pthread_create", &m->pthread_create},
                     {"pthread_detach", &m->pthread_detach},
                     {"munmap", &m->munmap}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        *functions[i].to = process_map_symbol(m, libc->path, functions[i].name);
}

static void find_library(struct process_map *m)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct process_region *r = &m->regions[i];
        const char *name = process_map_file(r);
        if (!begins_with(name, "libc.so") && !begins_with(name, "libc-2."))
            continue;
        find_functions(m, r);
        find_restorer(m, r);
        return;
    }
}

/* ---- reading ----------------------------------------------------------------------------------
 */

static enum process_region_kind kind_as_before(const struct process_map *before, const char *path)
{
    const struct process_region *known = first_of(before, path);
    return known ? known->kind : kind_of(path);
}

static bool take_line(struct process_map *m, const struct process_map *before, char *line)
{
    struct process_region r = {0};
    uint64_t offset;
    char rights[5];
    int at = 0;
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &r.from, &r.to, rights,
               &offset, &at) < 4)
        return true;
    const char *path = at ? line + at : "";
    const struct process_region *known = *path ? first_of(m, path) : NULL;
    r.code = rights[2] == 'x';
    if (!r.code && (known || *path != '/' || offset))
        return true;
    r.base = known && r.from >= known->base ? known->base : r.from - offset;
    if (known && offset == 0)
        r.base = r.from; /* loaded again */
    r.kind = known                    ? known->kind
             : r.code || *path == '/' ? kind_as_before(before, path)
                                      : REGION_OTHER;
    r.path = text_copy(path, strlen(path));
    if (!r.path || !array_grow(&m->regions, &m->room, m->count + 1, sizeof r)) {
        free(r.path);
        return false;
    }
    m->regions[m->count++] = r;
    return true;
}

void process_map_free(struct process_map *m)
{
    for (size_t i = 0; i < m->count; i++)
        free(m->regions[i].path);
    free(m->regions);
    *m = (struct process_map){0};
}

int process_map_read(struct process_map *m, pid_t pid, struct ras_error *err)
{
    char path[64], *line = NULL;
    size_t room = 0;
    bool good = true;
    struct process_map before = *m;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return fail_os(err, path);
    m->regions = NULL;
    m->count = m->room = 0;
    while (good && getline(&line, &room, file) > 0)
        good = take_line(m, &before, line);
    free(line);
    fclose(file);
    if (good && !m->restorer)
        find_library(m);
    process_map_free(&before);
    return good ? RAS_OK : fail_memory(err);
}

const struct process_region *process_map_at(const struct process_map *m, uint64_t address)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->regions[i].code && address >= m->regions[i].from && address < m->regions[i].to)
            return &m->regions[i];
    return NULL;
}
