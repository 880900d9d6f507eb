/* symbols.c - names of addresses: by libdw, or else by the file's own symbol table. */
#include "base/elf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "symbols/demangle.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct file {
    char *path;
    struct ras_bytes bytes; /* empty: cannot be read */
    struct elf elf;
    bool good;
    struct debug_file *debug;
};

struct ras_symbols {
    struct debug *debug; /* NULL: none */
    void *cplus;         /* libstdc++; NULL: none */
    char *(*demangle)(const char *, char *, size_t *, int *);
    struct file *files;
    size_t count, room;
    char *shown; /* the last result */
};

/* ---- files ------------------------------------------------------------------------------ */

static struct file *file_of(struct ras_symbols *s, const char *path)
{
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(s->files[i].path, path))
            return &s->files[i];
    if (!array_grow(&s->files, &s->room, s->count + 1, sizeof *s->files))
        return NULL;
    char *copy = text_copy(path, strlen(path));
    if (!copy)
        return NULL;
    struct file *f = &s->files[s->count++];
    *f = (struct file){.path = copy, .bytes = file_map(path)};
    f->good = elf_open(&f->elf, f->bytes);
    if (f->good && s->debug)
        f->debug = debug_file_open(s->debug, path);
    return f;
}

static bool has_build_id(const struct file *f, const char *build_id)
{
    static const char digits[] = "0123456789abcdef";
    struct ras_bytes id = elf_build_id(&f->elf);
    if (!build_id || !*build_id)
        return true;
    if (strlen(build_id) != 2 * id.len)
        return false;
    for (size_t i = 0; i < id.len; i++)
        if (build_id[2 * i] != digits[id.at[i] >> 4] ||
            build_id[2 * i + 1] != digits[id.at[i] & 15])
            return false;
    return true;
}

/* Which of two symbols of one address names it better. */
static bool is_better(const struct elf_symbol *a, const struct elf_symbol *b)
{
    return !b->name || a->value > b->value ||
           (a->value == b->value && (int)b->is_local + (int)b->is_weak > a->is_local + a->is_weak);
}

/* Without libdw the whole table is searched, which a recording does once per function. */
static const char *name_in_table(const struct file *f, uint64_t address)
{
    struct elf_section table;
    struct elf_symbol s, best = {0};
    if (!elf_section_typed(&f->elf, SHT_SYMTAB, &table) &&
        !elf_section_typed(&f->elf, SHT_DYNSYM, &table))
        return NULL;
    for (uint64_t i = 0; elf_symbol_at(&f->elf, &table, i, &s); i++)
        if (s.is_function && s.is_defined && *s.name && address >= s.value &&
            (address == s.value || address - s.value < s.size) && is_better(&s, &best))
            best = s;
    return best.name;
}

const char *ras_symbols_find(struct ras_symbols *s, const char *path, const char *build_id,
                             uint64_t address)
{
    struct file *f = file_of(s, path);
    if (!f || !f->good || !has_build_id(f, build_id))
        return NULL;
    const char *name = f->debug ? debug_name(s->debug, f->debug, address) : NULL;
    if (!name)
        name = name_in_table(f, address);
    return name ? ras_symbols_demangle(s, name) : NULL;
}

const char *ras_symbols_source(struct ras_symbols *s, const char *path, const char *build_id,
                               uint64_t address, uint32_t *line)
{
    struct file *f = file_of(s, path);
    *line = 0;
    if (!f || !f->good || !f->debug || !has_build_id(f, build_id))
        return NULL;
    return debug_source(s->debug, f->debug, address, line);
}

uint64_t ras_symbols_first(struct ras_symbols *s, const char *path)
{
    const struct file *f = file_of(s, path);
    struct elf_segment segment;
    uint64_t first = RAS_NONE;
    for (uint32_t i = 0; f && f->good && elf_segment_at(&f->elf, i, &segment); i++)
        if (segment.type == PT_LOAD && segment.address < first)
            first = segment.address;
    return first;
}

/* ---- languages --------------------------------------------------------------------------- */

const char *ras_symbols_demangle(struct ras_symbols *s, const char *name)
{
    free(s->shown);
    s->shown = rust_demangle(name);
    if (s->shown)
        return s->shown;
    int status = 0;
    if (s->demangle && !strncmp(name, "_Z", 2))
        s->shown = s->demangle(name, NULL, NULL, &status);
    if (!s->shown)
        return name;
    (void)rust_clean(s->shown);
    return s->shown;
}

bool ras_symbols_has_debug(const struct ras_symbols *s)
{
    return s->debug;
}

int ras_symbols_open(struct ras_symbols **out, struct ras_error *err)
{
    struct ras_symbols *s = *out = calloc(1, sizeof *s);
    if (!s)
        return fail_memory(err);
    s->debug = debug_open();
    s->cplus = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    void *found = s->cplus ? dlsym(s->cplus, "__cxa_demangle") : NULL;
    memcpy(&s->demangle, &found, sizeof found);
    return RAS_OK;
}

void ras_symbols_close(struct ras_symbols *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++) {
        debug_file_close(s->debug, s->files[i].debug);
        file_unmap(s->files[i].bytes);
        free(s->files[i].path);
    }
    free(s->files);
    free(s->shown);
    debug_close(s->debug);
    if (s->cplus)
        dlclose(s->cplus);
    free(s);
}

/* ---- instrumentation of a file ------------------------------------------------------------ */

static unsigned hooks_of(const struct elf *elf, uint32_t type)
{
    struct elf_section table;
    struct elf_symbol s;
    unsigned hooks = 0;
    if (!elf_section_typed(elf, type, &table))
        return 0;
    for (uint64_t i = 0; elf_symbol_at(elf, &table, i, &s); i++) {
        if (s.is_defined)
            continue;
        if (!strcmp(s.name, "__cyg_profile_func_enter"))
            hooks |= RAS_HOOK_CYG;
        else if (!strcmp(s.name, "__fentry__"))
            hooks |= RAS_HOOK_FENTRY;
        else if (!strcmp(s.name, "mcount") || !strcmp(s.name, "_mcount"))
            hooks |= RAS_HOOK_MCOUNT;
    }
    return hooks;
}

int ras_binary_inspect(const char *path, struct ras_binary *out, struct ras_error *err)
{
    struct elf elf;
    struct elf_section section;
    struct ras_bytes bytes = file_map(path);
    *out = (struct ras_binary){0};
    if (!bytes.at)
        return fail_os(err, path);
    int status = RAS_OK;
    if (!elf_open(&elf, bytes)) {
        status = fail(err, RAS_EFORMAT, 0, "not a 64-bit ELF file");
    } else {
        out->is_dynamic = elf_is_dynamic(&elf);
        out->hooks = hooks_of(&elf, SHT_DYNSYM);
        if (elf_section_named(&elf, "__patchable_function_entries", &section) && section.size)
            out->hooks |= RAS_HOOK_PATCHABLE;
    }
    file_unmap(bytes);
    return status;
}
