/* debug.c - names by libdw, which is loaded on first use, so that programs that do not need it
 * can run without it. */
#include "symbols/demangle.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBDW
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <unistd.h>

/* The functions that are used. */
#define CALLS(X)                                                                                   \
    X(dwfl_begin)                                                                                  \
    X(dwfl_end)                                                                                    \
    X(dwfl_report_begin)                                                                           \
    X(dwfl_report_elf)                                                                             \
    X(dwfl_report_end)                                                                             \
    X(dwfl_standard_find_debuginfo)                                                                \
    X(dwfl_module_addrinfo)                                                                        \
    X(dwfl_module_addrdie)                                                                         \
    X(dwfl_module_getsrc)                                                                          \
    X(dwfl_lineinfo)                                                                               \
    X(dwarf_getscopes)                                                                             \
    X(dwarf_tag)                                                                                   \
    X(dwarf_diename)                                                                               \
    X(dwarf_attr_integrate)                                                                        \
    X(dwarf_formstring)

struct debug {
    void *library;
#define MEMBER(name) __typeof__(name) *name;
    CALLS(MEMBER)
    Dwfl_Callbacks callbacks;
    char *search; /* where separate debug files are; NULL: the usual places */
};

struct debug_file {
    Dwfl *dwfl;
    Dwfl_Module *module;
};

static bool load(struct debug *d, void *to, const char *name)
{
    void *found = dlsym(d->library, name);
    memcpy(to, &found, sizeof found);
    return found;
}

static int find_no_elf(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                       char **file, Elf **elf)
{
    (void)module, (void)user, (void)name, (void)base, (void)file, (void)elf;
    return -1; /* modules are reported with their files */
}

struct debug *debug_open(void)
{
    struct debug *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->library = dlopen("libdw.so.1", RTLD_LAZY | RTLD_LOCAL);
    bool good = d->library;
#define LOAD(name) good = good && load(d, &d->name, #name);
    CALLS(LOAD)
    if (!good) {
        debug_close(d);
        return NULL;
    }
    d->callbacks = (Dwfl_Callbacks){.find_elf = find_no_elf,
                                    .find_debuginfo = d->dwfl_standard_find_debuginfo,
                                    .debuginfo_path = &d->search};
    return d;
}

void debug_close(struct debug *d)
{
    if (d && d->library)
        dlclose(d->library);
    free(d);
}

struct debug_file *debug_file_open(struct debug *d, const char *path)
{
    struct debug_file *f = calloc(1, sizeof *f);
    int fd = f ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0)
        f->dwfl = d->dwfl_begin(&d->callbacks);
    if (f && f->dwfl) {
        d->dwfl_report_begin(f->dwfl);
        f->module = d->dwfl_report_elf(f->dwfl, path, path, fd, 0, true);
        d->dwfl_report_end(f->dwfl, NULL, NULL);
    }
    if (f && f->module)
        return f;
    if (fd >= 0)
        close(fd);
    debug_file_close(d, f);
    return NULL;
}

void debug_file_close(struct debug *d, struct debug_file *f)
{
    if (f && f->dwfl)
        d->dwfl_end(f->dwfl);
    free(f);
}

/* The function at an address by debug information: a file may have no other names. */
static const char *name_of_scope(struct debug *d, struct debug_file *f, uint64_t address)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = d->dwfl_module_addrdie(f->module, address, &bias), *scopes = NULL;
    int count = unit ? d->dwarf_getscopes(unit, address - bias, &scopes) : 0;
    const char *name = NULL;
    for (int i = 0; i < count && !name; i++) {
        Dwarf_Attribute held;
        if (d->dwarf_tag(&scopes[i]) != DW_TAG_subprogram)
            continue;
        name = d->dwarf_formstring(d->dwarf_attr_integrate(&scopes[i], DW_AT_linkage_name, &held));
        if (!name)
            name = d->dwarf_diename(&scopes[i]);
    }
    free(scopes);
    return name;
}

const char *debug_name(struct debug *d, struct debug_file *f, uint64_t address)
{
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name =
        d->dwfl_module_addrinfo(f->module, address, &offset, &symbol, NULL, NULL, NULL);
    return name ? name : name_of_scope(d, f, address);
}

const char *debug_source(struct debug *d, struct debug_file *f, uint64_t address, uint32_t *line)
{
    Dwfl_Line *found = d->dwfl_module_getsrc(f->module, address);
    int number = 0;
    const char *file = found ? d->dwfl_lineinfo(found, NULL, &number, NULL, NULL, NULL) : NULL;
    *line = number > 0 ? (uint32_t)number : 0;
    return *line ? file : NULL; /* line 0: code that no line made */
}

#else

struct debug *debug_open(void)
{
    return NULL;
}

void debug_close(struct debug *d)
{
    (void)d;
}

struct debug_file *debug_file_open(struct debug *d, const char *path)
{
    (void)d, (void)path;
    return NULL;
}

void debug_file_close(struct debug *d, struct debug_file *f)
{
    (void)d, (void)f;
}

const char *debug_name(struct debug *d, struct debug_file *f, uint64_t address)
{
    (void)d, (void)f, (void)address;
    return NULL;
}

const char *debug_source(struct debug *d, struct debug_file *f, uint64_t address, uint32_t *line)
{
    (void)d, (void)f, (void)address, (void)line;
    return NULL;
}
#endif
