/* next.c - the definition of a function that ours stands before.
 *
 * dlsym() would do, but it has a state: what dlerror() tells the program is gone, and a name that
 * is not found takes memory from its heap. So the tables of the modules behind ours are read here.
 */
#include "hooks/hooks.h"

#include <elf.h>
#include <link.h>
#include <string.h>

enum { VERSION_HIDDEN = 0x8000 };

/* What the dynamic section of a module leads to. */
struct tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *hash;
    const uint16_t *versions; /* NULL: it has none */
};

struct search {
    const char *name;
    uint32_t hash;
    bool passed; /* our own module */
    void *found;
};

/* The dynamic linker has made them addresses, but not in every module. */
static const void *address_of(const struct dl_phdr_info *info, ElfW(Addr) at)
{
    return (const void *)(at < info->dlpi_addr ? at + info->dlpi_addr : at);
}

static struct tables tables_of(const struct dl_phdr_info *info)
{
    struct tables t = {0};
    const ElfW(Dyn) *d = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            t.symbols = address_of(info, d->d_un.d_ptr);
        else if (d->d_tag == DT_STRTAB)
            t.names = address_of(info, d->d_un.d_ptr);
        else if (d->d_tag == DT_GNU_HASH)
            t.hash = address_of(info, d->d_un.d_ptr);
        else if (d->d_tag == DT_VERSYM)
            t.versions = address_of(info, d->d_un.d_ptr);
    }
    return t;
}

/* Symbol i, if it is the function, in the version that is meant where none is asked for. */
static bool is_it(const struct tables *t, uint32_t i, const char *name)
{
    const ElfW(Sym) *s = &t->symbols[i];
    return s->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
           !(t->versions && t->versions[i] & VERSION_HIDDEN) &&
           !strcmp(t->names + s->st_name, name);
}

/* A table of GNU's: bucket count, first symbol, words of a filter, its shift; then these. */
static const ElfW(Sym) * find_symbol(const struct tables *t, const struct search *s)
{
    if (!t->hash || !t->symbols || !t->names || !t->hash[0])
        return NULL;
    uint32_t buckets = t->hash[0], first = t->hash[1];
    const uint32_t *bucket = t->hash + 4 + (size_t)t->hash[2] * (sizeof(ElfW(Addr)) / 4);
    const uint32_t *chain = bucket + buckets;
    uint32_t i = bucket[s->hash % buckets];
    if (i < first)
        return NULL;
    for (;; i++) {
        uint32_t hash = chain[i - first];
        if ((hash | 1) == (s->hash | 1) && is_it(t, i, s->name))
            return &t->symbols[i];
        if (hash & 1)
            return NULL;
    }
}

static int look_at(struct dl_phdr_info *info, size_t size, void *user)
{
    struct search *s = user;
    uintptr_t from, to, here = (uintptr_t)&hooks;
    (void)size;
    loaded_measure(info, &from, &to);
    if (here >= from && here < to) {
        s->passed = true;
        return 0;
    }
    if (!s->passed)
        return 0;
    struct tables t = tables_of(info);
    const ElfW(Sym) *found = find_symbol(&t, s);
    if (found)
        s->found = (void *)(info->dlpi_addr + found->st_value);
    return s->found != NULL;
}

void hooks_next(void *function, const char *name)
{
    struct search s = {.name = name, .hash = 5381};
    for (const char *p = name; *p; p++)
        s.hash = s.hash * 33 + (unsigned char)*p;
    dl_iterate_phdr(look_at, &s);
    memcpy(function, &s.found, sizeof s.found);
}
