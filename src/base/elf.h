/* elf.h - sections, symbols and build id of an ELF file.
 *
 * Pure functions over the bytes of a 64-bit little-endian file, which may be damaged. They do not
 * allocate, so that hooks in a running program can use them too. */
#ifndef BASE_ELF_H
#define BASE_ELF_H

#include <rastrum/rastrum.h>

struct elf {
    struct ras_bytes bytes;
    uint64_t section_at, segment_at;
    uint32_t section_count, segment_count;
    uint32_t name_section;
    uint16_t machine; /* EM_X86_64 and the like */
    uint16_t type;    /* ET_EXEC: its addresses are fixed */
    uint64_t entry;   /* where the program begins */
};

struct elf_section {
    const char *name; /* NUL-terminated, in the bytes; "" if damaged */
    uint32_t type, link;
    uint64_t flags, address, offset, size;
};

struct elf_symbol {
    const char *name; /* as above */
    uint64_t value, size;
    bool is_function, is_defined, is_local, is_weak;
    bool is_resolver; /* it returns the address of the function to be called */
};

struct elf_relocation {
    uint64_t address, addend;
    bool is_relative; /* the value is the addend plus the load address */
    bool is_resolved; /* the value is what a function at the addend returns */
};

/* A part of the file that is loaded. */
struct elf_segment {
    uint32_t type;
    uint64_t address, size; /* in memory */
};

/* False: not such a file. */
bool elf_open(struct elf *, struct ras_bytes);
/* False: it does not exist. */
bool elf_section_at(const struct elf *, uint32_t i, struct elf_section *);
bool elf_section_named(const struct elf *, const char *name, struct elf_section *);
bool elf_section_typed(const struct elf *, uint32_t type, struct elf_section *);
/* Symbols of a section SHT_SYMTAB or SHT_DYNSYM. */
uint64_t elf_symbol_count(const struct elf_section *);
bool elf_symbol_at(const struct elf *, const struct elf_section *, uint64_t i, struct elf_symbol *);
/* Relocations of a section SHT_RELA; the relative kind is known for x86-64 and aarch64. */
bool elf_relocation_at(const struct elf *, const struct elf_section *, uint64_t i,
                       struct elf_relocation *);
bool elf_segment_at(const struct elf *, uint32_t i, struct elf_segment *);
/* The bytes of a section; empty: it has none in the file, or they are not all there. */
struct ras_bytes elf_section_bytes(const struct elf *, const struct elf_section *);
/* Whether the file names a dynamic linker, and its build id; empty: none. */
bool elf_is_dynamic(const struct elf *);
struct ras_bytes elf_build_id(const struct elf *);
/* The build id in a segment or section of notes. */
struct ras_bytes elf_note_build_id(struct ras_bytes notes);
#endif
