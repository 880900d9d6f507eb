/* function_list.c - the functions of a file, from its symbols and its unwind information.
 *
 * Several symbols of one address, and its range of unwind information, are one function. */
#include "patching/function_list.h"
#include "base/error.h"
#include "base/memory.h"
#include "patching/eh_frame.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static bool add_function(struct code_map *m, const struct code_function *f)
{
    const struct code_section *s = code_section_of(m, f->from);
    if (!s || !s->marks || f->to > s->to || f->to < f->from)
        return true; /* not in code */
    if (!array_grow(&m->functions, &m->function_room, m->function_count + 1, sizeof *m->functions))
        return false;
    m->functions[m->function_count++] = *f;
    return true;
}

/* Names of cold parts have .cold, then perhaps a number. */
static bool is_cold(const char *name)
{
    const char *at = strstr(name, ".cold");
    return at && (at[5] == 0 || at[5] == '.');
}

static bool read_symbols(struct code_map *m, uint32_t type)
{
    struct elf_section table;
    struct elf_symbol s;
    if (!elf_section_typed(&m->elf, type, &table))
        return true;
    for (uint64_t i = 0; elf_symbol_at(&m->elf, &table, i, &s); i++) {
        if (!s.is_function || !s.is_defined || s.size > UINT64_MAX - s.value)
            continue;
        const struct code_function f = {.from = s.value,
                                        .to = s.value + s.size,
                                        .name = s.name,
                                        .is_part = is_cold(s.name),
                                        .is_resolver = s.is_resolver};
        if (!add_function(m, &f))
            return false;
    }
    return true;
}

static bool read_frames(struct code_map *m)
{
    struct elf_section s;
    struct eh_frame_range range;
    if (!elf_section_named(&m->elf, ".eh_frame", &s))
        return true;
    struct eh_frame e = eh_frame_open(elf_section_bytes(&m->elf, &s), s.address);
    while (eh_frame_next(&e, &range)) {
        const struct code_function f = {.from = range.from,
                                        .to = range.to,
                                        .has_frame = true,
                                        .has_no_caller = range.has_no_caller,
                                        .is_part = range.is_part};
        if (!add_function(m, &f))
            return false;
    }
    return true;
}

static int function_order(const void *a, const void *b)
{
    const struct code_function *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void join_function(struct code_function *f, const struct code_function *more)
{
    f->to = more->to > f->to ? more->to : f->to;
    f->name = f->name && *f->name ? f->name : more->name;
    f->has_frame |= more->has_frame;
    f->has_no_caller |= more->has_no_caller;
    f->is_part |= more->is_part;
    f->is_resolver |= more->is_resolver;
}

static void join_functions(struct code_map *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->function_count; i++)
        if (kept && m->functions[kept - 1].from == m->functions[i].from)
            join_function(&m->functions[kept - 1], &m->functions[i]);
        else
            m->functions[kept++] = m->functions[i];
    m->function_count = kept;
}

/* A symbol without a size ends where the next one begins. One within another function, without
 * unwind information of its own, is a label of that one; functions end before the next that has
 * a frame. */
static void settle_ends(struct code_map *m)
{
    uint64_t inside = 0;
    for (size_t i = 0; i < m->function_count; i++) {
        struct code_function *f = &m->functions[i];
        const struct code_section *s = code_section_of(m, f->from);
        uint64_t next = i + 1 < m->function_count ? m->functions[i + 1].from : UINT64_MAX;
        if (f->to == f->from)
            f->to = s && next > s->to ? s->to : next;
        if (f->from < inside && !f->has_frame)
            f->is_part = true;
        if (f->to > inside && !f->is_part)
            inside = f->to;
    }
}

int function_list_read(struct code_map *m, struct ras_error *err)
{
    if (!read_symbols(m, SHT_SYMTAB) || !read_symbols(m, SHT_DYNSYM) || !read_frames(m))
        return fail_memory(err);
    if (m->function_count)
        qsort(m->functions, m->function_count, sizeof *m->functions, function_order);
    join_functions(m);
    settle_ends(m);
    return RAS_OK;
}
