/* code_map.c - all code of a file, decoded once: which addresses are jumped to, called or taken.
 *
 * Code is decoded from the start of each function to the next one. What refers to an address is
 * collected generously: a reference that does not exist only keeps a function from being patched.
 */
#include "patching/code_map.h"
#include "base/error.h"
#include "base/in.h"
#include "base/memory.h"
#include "patching/function_list.h"
#include "patching/x86.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { ADDRESS_BITS = 30 };

/* ---- sections ------------------------------------------------------------------------------ */

const struct code_section *code_section_of(const struct code_map *m, uint64_t address)
{
    size_t low = 0, high = m->section_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct code_section *s = &m->sections[middle];
        if (address < s->from)
            high = middle;
        else if (address >= s->to)
            low = middle + 1;
        else
            return s;
    }
    return NULL;
}

static uint8_t *mark_of(const struct code_map *m, uint64_t address)
{
    const struct code_section *s = code_section_of(m, address);
    return s && s->marks ? &s->marks[address - s->from] : NULL;
}

uint8_t code_marks_at(const struct code_map *m, uint64_t address)
{
    const uint8_t *mark = mark_of(m, address);
    return mark ? *mark : 0;
}

static void add_mark(const struct code_map *m, uint64_t address, uint8_t mark)
{
    uint8_t *at = mark_of(m, address);
    if (at)
        *at |= mark;
}

/* Stubs of the dynamic linker are code, but no functions: they are left out. */
static bool is_code(const struct elf_section *s)
{
    return s->flags & SHF_EXECINSTR && strncmp(s->name, ".plt", 4) != 0;
}

static int add_section(struct code_map *m, const struct elf_section *s, struct ras_error *err)
{
    struct ras_bytes bytes = elf_section_bytes(&m->elf, s);
    if (!(s->flags & SHF_ALLOC) || s->flags & SHF_TLS || s->type == SHT_NOBITS || !s->size)
        return RAS_OK;
    if (!bytes.at || s->address < m->from || s->address > m->to || m->to - s->address < s->size)
        return fail(err, RAS_EFORMAT, s->offset, "section %s is not all in the file", s->name);
    if (!array_grow(&m->sections, &m->section_room, m->section_count + 1, sizeof *m->sections))
        return fail_memory(err);
    struct code_section *at = &m->sections[m->section_count++];
    *at = (struct code_section){s->address, s->address + s->size, bytes.at, NULL};
    if (is_code(s) && !(at->marks = calloc(s->size, 1)))
        return fail_memory(err);
    return RAS_OK;
}

static int section_order(const void *a, const void *b)
{
    const struct code_section *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

static int read_sections(struct code_map *m, struct ras_error *err)
{
    struct elf_section s;
    int status = RAS_OK;
    for (uint32_t i = 0; status == RAS_OK && elf_section_at(&m->elf, i, &s); i++)
        status = add_section(m, &s, err);
    if (status < 0)
        return status;
    if (!m->section_count)
        return fail(err, RAS_EUNSUPPORTED, 0, "no sections: it was stripped of them");
    qsort(m->sections, m->section_count, sizeof *m->sections, section_order);
    for (size_t i = 1; i < m->section_count; i++)
        if (m->sections[i].from < m->sections[i - 1].to)
            return fail(err, RAS_EFORMAT, 0, "sections overlap");
    return RAS_OK;
}

/* What is loaded, all together. */
static int read_segments(struct code_map *m, struct ras_error *err)
{
    struct elf_segment s;
    m->from = UINT64_MAX;
    for (uint32_t i = 0; elf_segment_at(&m->elf, i, &s); i++) {
        if (s.type != PT_LOAD)
            continue;
        if (s.address >> ADDRESS_BITS || s.size >> ADDRESS_BITS)
            return fail(err, RAS_EUNSUPPORTED, 0, "loaded beyond a gigabyte");
        m->from = s.address < m->from ? s.address : m->from;
        m->to = s.address + s.size > m->to ? s.address + s.size : m->to;
    }
    return m->from < m->to ? RAS_OK : fail(err, RAS_EFORMAT, 0, "nothing in it is loaded");
}

/* ---- references of data --------------------------------------------------------------------- */

static void read_words(const struct code_map *m, const struct code_section *s)
{
    for (uint64_t at = (s->from + 7) & ~UINT64_C(7); at < s->to && s->to - at >= 8; at += 8) {
        uint64_t word = load_u64(s->bytes + (at - s->from));
        if (word >= m->from && word < m->to)
            add_mark(m, word, MARK_ADDRESS);
    }
}

static void read_relocations(const struct code_map *m)
{
    struct elf_section s;
    struct elf_relocation r;
    for (uint32_t i = 0; elf_section_at(&m->elf, i, &s); i++)
        for (uint64_t k = 0; s.type == SHT_RELA && elf_relocation_at(&m->elf, &s, k, &r); k++) {
            if (r.is_relative)
                add_mark(m, r.addend, MARK_ADDRESS);
            else if (r.is_resolved)
                add_mark(m, r.addend, MARK_RESOLVER);
        }
}

/* Where the entries of a table of 32-bit distances lead, as long as that is code, up to `end`. */
static void read_table(const struct code_map *m, uint64_t table, uint64_t end)
{
    const struct code_section *s = code_section_of(m, table), *code = NULL;
    if (!s || s->marks || table % 4)
        return;
    end = end < s->to ? end : s->to;
    for (uint64_t at = table; at < end && end - at >= 4; at += 4) {
        uint64_t to = table + (uint64_t)(int64_t)(int32_t)load_u32(s->bytes + (at - s->from));
        if (!code || to < code->from || to >= code->to)
            code = code_section_of(m, to);
        if (!code || !code->marks)
            return;
        code->marks[to - code->from] |= MARK_TABLE;
    }
}

static int datum_order(const void *a, const void *b)
{
    const struct code_datum *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* A table ends where other data that code refers to begins. */
static void read_tables(const struct code_map *m)
{
    struct code_datum *d = m->data;
    if (m->datum_count)
        qsort(d, m->datum_count, sizeof *d, datum_order);
    for (size_t i = 0, next; i < m->datum_count; i = next) {
        bool is_table = d[i].may_be_table;
        for (next = i + 1; next < m->datum_count && d[next].address == d[i].address; next++)
            is_table |= d[next].may_be_table;
        if (is_table)
            read_table(m, d[i].address, next < m->datum_count ? d[next].address : UINT64_MAX);
    }
}

/* ---- references of code --------------------------------------------------------------------- */

/* Decoding a section: the function that `at` is in, and how the instruction before it goes on. */
struct sweep {
    struct code_map *map;
    const struct code_section *section;
    struct code_function *now; /* NULL: between functions */
    enum x86_flow before;
    uint64_t at;
    size_t data; /* of the map's data, the first that it refers to */
};

static void note_target(const struct sweep *w, const struct x86_instruction *x, uint64_t next)
{
    uint64_t target = next + (uint64_t)x->target_offset;
    bool own = w->now && target >= w->now->from && target < w->now->to;
    uint8_t mark = x->flow == X86_CALL                             ? MARK_CALL
                   : own                                           ? MARK_OWN
                   : x->flow == X86_JUMP_IF || x->flow == X86_LOOP ? MARK_JUMP_IF
                                                                   : MARK_JUMP;
    add_mark(w->map, target, mark);
}

static bool note_data(struct code_map *m, uint64_t address)
{
    if (!array_grow(&m->data, &m->datum_room, m->datum_count + 1, sizeof *m->data))
        return false;
    m->data[m->datum_count++] = (struct code_datum){address, false};
    return true;
}

/* False: memory is short. */
static bool note_references(const struct sweep *w, const struct x86_instruction *x)
{
    struct code_map *m = w->map;
    uint64_t next = w->at + x->length;
    if (x->flow >= X86_JUMP && x->flow <= X86_CALL)
        note_target(w, x, next);
    if (w->now && x->flow == X86_JUMP_INDIRECT)
        w->now->jumps_indirectly = true;
    if (x->rip_at) {
        uint64_t address = next + (uint64_t)x->rip_offset;
        add_mark(m, address, MARK_ADDRESS);
        if (x->map == 0 && x->opcode == 0x8d && !note_data(m, address))
            return false;
    }
    bool is_address = m->is_fixed && x->flow == X86_NEXT && x->number_size >= 4;
    if (is_address && x->number >= m->from && x->number < m->to) {
        add_mark(m, x->number, MARK_ADDRESS);
        return note_data(m, x->number);
    }
    return true;
}

static bool is_padding(const struct x86_instruction *x)
{
    return !x->vector && ((x->map == 0 && x->opcode == 0x90) || (x->map == 1 && x->opcode == 0x1f));
}

static void end_function(struct sweep *w)
{
    struct code_map *m = w->map;
    for (size_t i = w->data; w->now && w->now->jumps_indirectly && i < m->datum_count; i++)
        m->data[i].may_be_table = true;
    w->data = m->datum_count;
    w->now = NULL;
}

/* Decode up to the start of the next function, `end`. */
static bool sweep_to(struct sweep *w, uint64_t end)
{
    const struct code_section *s = w->section;
    struct x86_instruction x;
    while (w->at < end) {
        if (w->now && w->at >= w->now->to)
            end_function(w);
        bool known = x86_decode(s->bytes + (w->at - s->from), s->to - w->at, &x);
        if (!known || x.length > end - w->at) {
            if (w->now)
                w->now->is_undecoded = true;
            w->before = X86_STOP;
            w->at = known ? end : w->at + 1;
            continue;
        }
        if (!note_references(w, &x))
            return false;
        if (!is_padding(&x))
            w->before = x.flow;
        w->at += x.length;
        w->map->instruction_count++;
    }
    end_function(w);
    return true;
}

static bool goes_on(enum x86_flow flow)
{
    return flow == X86_NEXT || flow == X86_JUMP_IF || flow == X86_LOOP;
}

static bool sweep_section(struct code_map *m, const struct code_section *s)
{
    struct sweep w = {
        .map = m, .section = s, .at = s->from, .before = X86_STOP, .data = m->datum_count};
    size_t i = 0;
    while (i < m->function_count && m->functions[i].from < s->from)
        i++;
    for (; i < m->function_count && m->functions[i].from < s->to; i++) {
        struct code_function *f = &m->functions[i];
        if (!sweep_to(&w, f->from))
            return false;
        f->is_fallen_into = goes_on(w.before);
        w.now = f;
    }
    return sweep_to(&w, s->to);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static int read_references(struct code_map *m, struct ras_error *err)
{
    for (size_t i = 0; i < m->section_count; i++) {
        const struct code_section *s = &m->sections[i];
        if (!s->marks)
            read_words(m, s);
        else if (!sweep_section(m, s))
            return fail_memory(err);
    }
    read_relocations(m);
    read_tables(m);
    return RAS_OK;
}

int code_map_open(struct code_map *m, struct ras_bytes file, struct ras_error *err)
{
    *m = (struct code_map){0};
    if (!elf_open(&m->elf, file) || m->elf.machine != EM_X86_64 ||
        (m->elf.type != ET_EXEC && m->elf.type != ET_DYN))
        return fail(err, RAS_EFORMAT, 0, "not a program or library for x86-64");
    m->is_fixed = m->elf.type == ET_EXEC;
    int status = read_segments(m, err);
    if (status == RAS_OK)
        status = read_sections(m, err);
    if (status == RAS_OK)
        status = function_list_read(m, err);
    if (status == RAS_OK)
        status = read_references(m, err);
    if (status < 0)
        code_map_close(m);
    return status;
}

void code_map_close(struct code_map *m)
{
    for (size_t i = 0; i < m->section_count; i++)
        free(m->sections[i].marks);
    free(m->sections);
    free(m->functions);
    free(m->data);
    *m = (struct code_map){0};
}
