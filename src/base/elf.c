/* elf.c - sections, symbols and build id of an ELF file. */
#include "base/elf.h"

#include <elf.h>
#include <string.h>

/* Copy `size` bytes at `at`; false: they are not all there. */
static bool take(struct ras_bytes from, uint64_t at, void *to, size_t size)
{
    if (at > from.len || from.len - at < size)
        return false;
    memcpy(to, from.at + at, size);
    return true;
}

/* The text at `at` of a table of texts; "" where it has no end. */
static const char *text_at(const struct elf *elf, const struct elf_section *table, uint64_t at)
{
    if (at >= table->size || table->offset > elf->bytes.len ||
        elf->bytes.len - table->offset < table->size)
        return "";
    const uint8_t *text = elf->bytes.at + table->offset + at;
    return memchr(text, 0, table->size - at) ? (const char *)text : "";
}

bool elf_open(struct elf *elf, struct ras_bytes bytes)
{
    Elf64_Ehdr head;
    *elf = (struct elf){.bytes = bytes};
    if (!take(bytes, 0, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB)
        return false;
    elf->section_at = head.e_shoff;
    elf->section_count = head.e_shentsize == sizeof(Elf64_Shdr) ? head.e_shnum : 0;
    elf->segment_at = head.e_phoff;
    elf->segment_count = head.e_phentsize == sizeof(Elf64_Phdr) ? head.e_phnum : 0;
    elf->name_section = head.e_shstrndx;
    elf->machine = head.e_machine;
    elf->type = head.e_type;
    elf->entry = head.e_entry;
    Elf64_Shdr first;
    if (!elf->section_count && head.e_shoff && head.e_shentsize == sizeof first &&
        take(bytes, head.e_shoff, &first, sizeof first) && first.sh_size <= UINT32_MAX) {
        elf->section_count = (uint32_t)first.sh_size; /* 16 bits cannot count them */
        elf->name_section = head.e_shstrndx == SHN_XINDEX ? first.sh_link : head.e_shstrndx;
    }
    return true;
}

static bool section_raw(const struct elf *elf, uint32_t i, struct elf_section *out, uint32_t *name)
{
    Elf64_Shdr raw;
    if (i >= elf->section_count ||
        !take(elf->bytes, elf->section_at + (uint64_t)i * sizeof raw, &raw, sizeof raw))
        return false;
    *name = raw.sh_name;
    *out = (struct elf_section){.name = "",
                                .type = raw.sh_type,
                                .link = raw.sh_link,
                                .flags = raw.sh_flags,
                                .address = raw.sh_addr,
                                .offset = raw.sh_offset,
                                .size = raw.sh_size};
    return true;
}

bool elf_section_at(const struct elf *elf, uint32_t i, struct elf_section *out)
{
    struct elf_section names;
    uint32_t name, unused;
    if (!section_raw(elf, i, out, &name))
        return false;
    if (section_raw(elf, elf->name_section, &names, &unused))
        out->name = text_at(elf, &names, name);
    return true;
}

bool elf_section_named(const struct elf *elf, const char *name, struct elf_section *out)
{
    for (uint32_t i = 0; elf_section_at(elf, i, out); i++)
        if (!strcmp(out->name, name))
            return true;
    return false;
}

bool elf_section_typed(const struct elf *elf, uint32_t type, struct elf_section *out)
{
    uint32_t name;
    for (uint32_t i = 0; section_raw(elf, i, out, &name); i++)
        if (out->type == type)
            return true;
    return false;
}

uint64_t elf_symbol_count(const struct elf_section *table)
{
    return table->size / sizeof(Elf64_Sym);
}

bool elf_symbol_at(const struct elf *elf, const struct elf_section *table, uint64_t i,
                   struct elf_symbol *out)
{
    Elf64_Sym raw;
    struct elf_section names;
    uint32_t unused;
    if (i >= elf_symbol_count(table) ||
        !take(elf->bytes, table->offset + i * sizeof raw, &raw, sizeof raw))
        return false;
    unsigned type = ELF64_ST_TYPE(raw.st_info), bind = ELF64_ST_BIND(raw.st_info);
    *out = (struct elf_symbol){.name = "",
                               .value = raw.st_value,
                               .size = raw.st_size,
                               .is_function = type == STT_FUNC || type == STT_GNU_IFUNC,
                               .is_defined = raw.st_shndx != SHN_UNDEF,
                               .is_local = bind == STB_LOCAL,
                               .is_weak = bind == STB_WEAK,
                               .is_resolver = type == STT_GNU_IFUNC};
    if (section_raw(elf, table->link, &names, &unused))
        out->name = text_at(elf, &names, raw.st_name);
    return true;
}

static bool is_relative(const struct elf *elf, uint64_t type)
{
    switch (elf->machine) {
    case EM_X86_64:
        return type == R_X86_64_RELATIVE;
    case EM_AARCH64:
        return type == R_AARCH64_RELATIVE;
    default:
        return false;
    }
}

bool elf_relocation_at(const struct elf *elf, const struct elf_section *table, uint64_t i,
                       struct elf_relocation *out)
{
    Elf64_Rela raw;
    if (table->type != SHT_RELA || i >= table->size / sizeof raw ||
        !take(elf->bytes, table->offset + i * sizeof raw, &raw, sizeof raw))
        return false;
    *out = (struct elf_relocation){.address = raw.r_offset,
                                   .addend = (uint64_t)raw.r_addend,
                                   .is_relative = is_relative(elf, ELF64_R_TYPE(raw.r_info)),
                                   .is_resolved = elf->machine == EM_X86_64 &&
                                                  ELF64_R_TYPE(raw.r_info) == R_X86_64_IRELATIVE};
    return true;
}

bool elf_segment_at(const struct elf *elf, uint32_t i, struct elf_segment *out)
{
    Elf64_Phdr raw;
    if (i >= elf->segment_count ||
        !take(elf->bytes, elf->segment_at + (uint64_t)i * sizeof raw, &raw, sizeof raw))
        return false;
    *out = (struct elf_segment){.type = raw.p_type, .address = raw.p_vaddr, .size = raw.p_memsz};
    return true;
}

struct ras_bytes elf_section_bytes(const struct elf *elf, const struct elf_section *s)
{
    if (s->type == SHT_NOBITS || s->offset > elf->bytes.len || elf->bytes.len - s->offset < s->size)
        return (struct ras_bytes){0};
    return (struct ras_bytes){elf->bytes.at + s->offset, s->size};
}

bool elf_is_dynamic(const struct elf *elf)
{
    Elf64_Phdr raw;
    for (uint32_t i = 0; i < elf->segment_count; i++)
        if (take(elf->bytes, elf->segment_at + (uint64_t)i * sizeof raw, &raw, sizeof raw) &&
            raw.p_type == PT_INTERP)
            return true;
    return false;
}

struct ras_bytes elf_note_build_id(struct ras_bytes notes)
{
    uint64_t at = 0;
    Elf64_Nhdr head;
    while (take(notes, at, &head, sizeof head)) {
        uint64_t name = at + sizeof head, desc = name + (head.n_namesz + UINT64_C(3)) / 4 * 4;
        uint64_t next = desc + (head.n_descsz + UINT64_C(3)) / 4 * 4;
        char owner[4];
        if (desc > notes.len || notes.len - desc < head.n_descsz)
            break;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && take(notes, name, owner, 4) &&
            !memcmp(owner, "GNU", 4))
            return (struct ras_bytes){notes.at + desc, head.n_descsz};
        at = next;
    }
    return (struct ras_bytes){0};
}

struct ras_bytes elf_build_id(const struct elf *elf)
{
    struct elf_section s;
    if (!elf_section_named(elf, ".note.gnu.build-id", &s) || s.offset > elf->bytes.len ||
        elf->bytes.len - s.offset < s.size)
        return (struct ras_bytes){0};
    return elf_note_build_id((struct ras_bytes){elf->bytes.at + s.offset, s.size});
}
