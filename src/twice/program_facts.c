/* program_facts.c - what the file of a program says about it: whether its functions have names, and
 * what it calls that cannot be pinned, or makes its calls a matter of time. */
#include "twice/program_facts.h"
#include "base/elf.h"
#include "base/file.h"

#include <elf.h>
#include <string.h>

/* Functions whose results no condition pins, and what that means. */
static const struct {
    const char *name, *why;
} unpinned_rows[] = {
    {"syscall", "it imports syscall(), and calls the system itself"},
    {"connect", "it imports connect(): what other programs answer is not pinned"},
    {"accept", "it imports accept(): when other programs call it is not pinned"},
};

static bool has_names(const struct elf *elf)
{
    struct elf_section table;
    return elf_section_typed(elf, SHT_SYMTAB, &table) && elf_symbol_count(&table) > 1;
}

/* By which a program sets handlers, or timers that call them. */
static const char *const signal_names[] = {"signal", "sigaction",    "setitimer",
                                           "alarm",  "timer_create", "sigset"};

static void take_import(struct program_facts *f, const char *name)
{
    for (size_t i = 0; i < sizeof unpinned_rows / sizeof *unpinned_rows; i++)
        if (!f->unpinned && !strcmp(name, unpinned_rows[i].name))
            f->unpinned = unpinned_rows[i].why;
    for (size_t i = 0; i < sizeof signal_names / sizeof *signal_names; i++)
        f->has_signals |= !strcmp(name, signal_names[i]);
}

static void take_imports(struct program_facts *f, const struct elf *elf)
{
    struct elf_section table;
    struct elf_symbol symbol;
    if (!elf_section_typed(elf, SHT_DYNSYM, &table))
        return;
    for (uint64_t i = 0; i < elf_symbol_count(&table); i++)
        if (elf_symbol_at(elf, &table, i, &symbol) && symbol.name && !symbol.is_defined)
            take_import(f, symbol.name);
}

struct program_facts program_facts_of(const char *path)
{
    struct program_facts f = {0};
    struct elf elf;
    struct ras_bytes file = file_map(path);
    if (file.at && elf_open(&elf, file)) {
        f.has_names = has_names(&elf);
        take_imports(&f, &elf);
    }
    if (file.at)
        file_unmap(file);
    return f;
}
