/* elf_names.c - names of addresses from the symbol table of a file, without malloc(). */
#include "base/elf.h"
#include "hooks/hooks.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct name {
    uint64_t value, size;
    const char *text;
};

struct elf_names {
    struct name *at; /* by value */
    size_t count;
};

struct ras_bytes elf_names_map(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return (struct ras_bytes){0};
    void *at = MAP_FAILED;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    return at == MAP_FAILED ? (struct ras_bytes){0} : (struct ras_bytes){at, (size_t)st.st_size};
}

static bool is_before(const struct name *a, const struct name *b)
{
    return a->value < b->value;
}

/* Down a heap whose largest is first. qsort() may call malloc(). */
static void sift(struct name *at, size_t i, size_t count)
{
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && is_before(&at[child], &at[child + 1]))
            child++;
        if (!is_before(&at[i], &at[child]))
            return;
        struct name swap = at[i];
        at[i] = at[child];
        at[child] = swap;
    }
}

static void sort(struct name *at, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift(at, i, count);
    while (count-- > 1) {
        struct name swap = at[0];
        at[0] = at[count];
        at[count] = swap;
        sift(at, 0, count);
    }
}

static void read_table(const struct elf *elf, const struct elf_section *table,
                       struct elf_names *names)
{
    struct elf_symbol s;
    uint64_t most = elf_symbol_count(table);
    most = most < elf->bytes.len / sizeof(Elf64_Sym) ? most : elf->bytes.len / sizeof(Elf64_Sym);
    names->at = hooks_memory(most * sizeof *names->at);
    for (uint64_t i = 0; names->at && i < most && elf_symbol_at(elf, table, i, &s); i++)
        if (s.is_function && s.is_defined && *s.name)
            names->at[names->count++] = (struct name){s.value, s.size, s.name};
    sort(names->at, names->count);
}

/* The mapping stays, for the names lie in it. */
static struct elf_names *read_names(const char *path)
{
    static struct elf_names none;
    struct elf elf;
    struct elf_section table;
    struct elf_names *names = hooks_memory(sizeof *names);
    if (!names)
        return &none;
    *names = none;
    struct ras_bytes bytes = elf_names_map(path);
    if (bytes.at && elf_open(&elf, bytes) &&
        (elf_section_typed(&elf, SHT_SYMTAB, &table) ||
         elf_section_typed(&elf, SHT_DYNSYM, &table)))
        read_table(&elf, &table, names);
    if (bytes.at && !names->count)
        munmap((void *)(uintptr_t)bytes.at, bytes.len);
    return names;
}

const char *elf_name_of(struct loaded *module, uintptr_t address)
{
    if (!module->names)
        module->names = read_names(module->path);
    const struct elf_names *n = module->names;
    uint64_t value = address - module->bias;
    size_t low = 0, high = n->count;
    while (low < high) { /* the first one beyond */
        size_t middle = low + (high - low) / 2;
        if (n->at[middle].value <= value)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    const struct name *found = &n->at[low - 1];
    return value == found->value || value - found->value < found->size ? found->text : NULL;
}
