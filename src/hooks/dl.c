/* dl.c - the dynamic linker: the next definition of a function that is intercepted here, and
 * modules that are loaded and unloaded while the program runs.
 *
 * dlsym() has state: it clears what dlerror() reports to the program, and a name that is not
 * found takes memory from its heap. So the symbol tables of the modules after ours are read
 * here. */
#include "hooks/hooks.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

enum { VERSION_HIDDEN = 0x8000 };

/* The tables that the dynamic section of a module points to. */
struct tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *hash;
    const uint16_t *versions; /* NULL: it has none */
};

struct symbol_search {
    const char *name;
    uint32_t hash;
    bool passed; /* our own module */
    void *found;
};

/* The dynamic linker relocates these entries, but not in every module. */
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

/* Whether symbol i is the function, in its default version. */
static bool is_it(const struct tables *t, uint32_t i, const char *name)
{
    const ElfW(Sym) *s = &t->symbols[i];
    return s->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
           !(t->versions && t->versions[i] & VERSION_HIDDEN) &&
           !strcmp(t->names + s->st_name, name);
}

/* A GNU hash table: bucket count, first symbol, words of a Bloom filter, its shift; then filter,
 * buckets and chains. */
static const ElfW(Sym) * find_symbol(const struct tables *t, const struct symbol_search *s)
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

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;
    for (const char *p = name; *p; p++)
        hash = hash * 33 + (unsigned char)*p;
    return hash;
}

void hooks_symbol(const struct dl_phdr_info *info, void *function, const char *name)
{
    const struct symbol_search s = {.name = name, .hash = hash_of(name)};
    struct tables t = tables_of(info);
    const ElfW(Sym) *found = find_symbol(&t, &s);
    void *at = found ? (void *)(info->dlpi_addr + found->st_value) : NULL;
    memcpy(function, &at, sizeof at);
}

static int search_module(struct dl_phdr_info *info, size_t size, void *user)
{
    struct symbol_search *s = user;
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
    /* A library that was loaded last is after all others. */
    struct symbol_search s = {.name = name, .hash = hash_of(name), .passed = hooks.attached};
    dl_iterate_phdr(search_module, &s);
    memcpy(function, &s.found, sizeof s.found);
}

/* ---- dlopen() and dlclose() ------------------------------------------------------ */

/* Functions of a module that is loaded are patched on x86-64 only: elsewhere dlopen() is the C
 * library's. */
#if defined(__x86_64__)
static void *(*real_open)(const char *, int);

/* Call dlopen() as if `site` had: where a module is searched depends on the calling module,
 * which dlopen() finds by its return address. So that is the address of a ret instruction in the
 * caller's module, which then returns to us. dlopen() must begin with a stack pointer that is 8
 * off a multiple of 16, as after a call: the entry's own 8 + 16 + two words. */
void *dl_open_as(const char *path, int flags, const void *ret, void *function);
__asm__(".text\n"
        ".type dl_open_as, @function\n"
        "dl_open_as:\n"
        "    .cfi_startproc\n"
        "    subq $16, %rsp\n"
        "    .cfi_adjust_cfa_offset 16\n"
        "    leaq 1f(%rip), %rax\n"
        "    pushq %rax\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rdx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    jmp *%rcx\n"
        "    .cfi_adjust_cfa_offset -16\n"
        "1:  addq $16, %rsp\n"
        "    .cfi_adjust_cfa_offset -16\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size dl_open_as, . - dl_open_as\n");

struct ret_search {
    uintptr_t site;
    const void *ret;
};

/* The first ret instruction in the code around `site`. */
static int find_ret(struct dl_phdr_info *info, size_t size, void *user)
{
    struct ret_search *s = user;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || s->site < from ||
            s->site - from >= p->p_memsz)
            continue;
        s->ret = memchr((const void *)s->site, 0xc3, p->p_memsz - (s->site - from));
        if (!s->ret)
            s->ret = memchr((const void *)from, 0xc3, p->p_memsz);
        return 1;
    }
    return 0;
}

HOOK void *dlopen(const char *path, int flags)
{
    struct ret_search s = {.site = (uintptr_t)__builtin_return_address(0)};
    if (!real_open)
        hooks_next(&real_open, "dlopen");
    bool sought = path && (!strchr(path, '/') || strchr(path, '$'));
    if (thunk_is(s.site))
        s.site = thunk_origin(s.site);
    if (sought)
        dl_iterate_phdr(find_ret, &s);
    void *function;
    memcpy(&function, &real_open, sizeof function);
    void *handle = s.ret ? dl_open_as(path, flags, s.ret, function) : real_open(path, flags);
    if (handle)
        patch_all(PATCH_LOADED);
    return handle;
}
#endif

/* Another module may be loaded at the same address: forget the functions of this one. */
HOOK int dlclose(void *handle)
{
    static int (*real)(void *);
    if (!real)
        hooks_next(&real, "dlclose");
    int status = real(handle);
    loaded_sweep();
    return status;
}
