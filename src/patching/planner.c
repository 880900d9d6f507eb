/* planner.c - which functions of a program are patched: safely, or not at all.
 *
 * Each rule prevents a defect that tests/unit/patching/planner_test.c shows with a function written
 * for it. When in doubt a function is refused: its calls are not recorded, and nothing else
 * changes. */
#include "patching/planner.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "patching/code_map.h"
#include "patching/displace.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof PLAN_FILE == sizeof PATCH_PLAN_FILE &&
                   sizeof PLAN_UNPLANNED == sizeof PATCH_PLAN_UNPLANNED,
               "the same names");

enum { CODE_ALIGNMENT = 8, CODE_MOST = 1 << 28, PLAN_BUILD_ID = 80 };

/* ---- modules that nothing of can be patched ------------------------------------------------ */

/* Runtimes that find their own frames by return addresses, which thunks replace. */
static const struct {
    const char *section, *symbol; /* that they have; the symbol may be a prefix */
    const char *runtime;
} runtimes[] = {
    {".gopclntab", NULL, "Go"},
    {".data.rel.ro.gopclntab", NULL, "Go"},
    {NULL, "caml_system__frametable", "OCaml"},
    {NULL, "caml_frametable", "OCaml"},
    {NULL, "stg_upd_frame_info", "Haskell"},
    {NULL, "JNI_CreateJavaVM", "Java"},
    {NULL, "_ZN2v88internal", "V8"},
};
enum { RUNTIMES = sizeof runtimes / sizeof *runtimes };

static const char *runtime_of_name(const char *name)
{
    for (size_t i = 0; i < RUNTIMES; i++)
        if (runtimes[i].symbol && !strncmp(name, runtimes[i].symbol, strlen(runtimes[i].symbol)))
            return runtimes[i].runtime;
    return NULL;
}

/* NULL: none that is known. */
static const char *runtime_of(const struct elf *elf)
{
    struct elf_section s;
    struct elf_symbol symbol;
    const char *found = NULL;
    for (size_t i = 0; i < RUNTIMES && !found; i++)
        if (runtimes[i].section && elf_section_named(elf, runtimes[i].section, &s))
            found = runtimes[i].runtime;
    for (uint32_t i = 0; !found && elf_section_at(elf, i, &s); i++) {
        bool table = s.type == SHT_SYMTAB || s.type == SHT_DYNSYM;
        for (uint64_t k = 0; table && !found && elf_symbol_at(elf, &s, k, &symbol); k++)
            if (symbol.is_defined)
                found = runtime_of_name(symbol.name);
    }
    return found;
}

/* ---- rules ---------------------------------------------------------------------------------- */

/* All references to the bytes between two addresses, the first excluded. */
static uint8_t marks_between(const struct code_map *m, uint64_t from, uint64_t to)
{
    uint8_t marks = 0;
    for (uint64_t at = from + 1; at < to; at++)
        marks |= code_marks_at(m, at);
    return marks;
}

/* Nothing but jumps leads there, or conditional ones of other functions do: with flags alive and
 * data below the stack pointer, as compilers leave functions for their cold parts. What nothing
 * refers to is an unused function of a library. */
static bool may_be_a_part(uint8_t marks)
{
    return marks & MARK_JUMP_IF ||
           (marks & (MARK_JUMP | MARK_TABLE) && !(marks & (MARK_CALL | MARK_ADDRESS)));
}

/* By what is known of a function without its instructions. */
static enum plan_reason judge_kind(const struct code_map *m, const struct code_function *f)
{
    uint8_t marks = code_marks_at(m, f->from);
    if (f->from == m->elf.entry || f->has_no_caller)
        return PLAN_START;
    if (f->is_part)
        return PLAN_PART;
    if (f->is_resolver || marks & MARK_RESOLVER)
        return PLAN_RESOLVER;
    if ((!f->name || !*f->name) && may_be_a_part(marks))
        return PLAN_UNNAMED;
    if (f->is_undecoded)
        return PLAN_UNDECODED;
    return f->is_fallen_into ? PLAN_FALL : PLAN_PATCHED;
}

static enum plan_reason judge_code(const struct code_map *m, const struct code_function *f,
                                   enum displace_result result, const struct displaced *d)
{
    if (result != DISPLACE_DONE)
        return result == DISPLACE_SHORT ? PLAN_SHORT : PLAN_IMMOVABLE;
    uint8_t start = code_marks_at(m, f->from) | code_marks_at(m, d->jump);
    if (start & MARK_OWN || (start & MARK_TABLE && f->jumps_indirectly))
        return PLAN_LOOP;
    uint8_t inside = marks_between(m, d->jump, d->jump + PATCH_PLAN_JUMP);
    if (d->jump > f->from)
        inside |= marks_between(m, f->from, d->jump);
    if (inside & ~MARK_TABLE)
        return PLAN_INSIDE;
    return inside && !d->pushes ? PLAN_TABLE : PLAN_PATCHED;
}

/* ---- the image ------------------------------------------------------------------------------ */

struct drawing {
    const struct code_map *map;
    struct plan *plan;
    struct patch_plan_entry *entries;
    struct patch_plan_fixup *fixups;
    uint8_t *code;
    size_t entry_count, entry_room, fixup_count, fixup_room, code_size, code_room;
};

static bool draw_code(struct drawing *d, const struct displaced *moved)
{
    size_t size = (moved->code_size + CODE_ALIGNMENT - 1) & ~(size_t)(CODE_ALIGNMENT - 1);
    if (!array_grow(&d->code, &d->code_room, d->code_size + size, 1) ||
        !array_grow(&d->fixups, &d->fixup_room, d->fixup_count + moved->fixup_count,
                    sizeof *d->fixups))
        return false;
    memset(d->code + d->code_size, 0xcc, size);
    memcpy(d->code + d->code_size, moved->code, moved->code_size);
    for (uint32_t i = 0; i < moved->fixup_count; i++) {
        d->fixups[d->fixup_count] = moved->fixups[i];
        d->fixups[d->fixup_count++].at += (uint32_t)d->code_size;
    }
    d->code_size += size;
    return true;
}

static bool draw_entry(struct drawing *d, const struct code_function *f,
                       const struct displaced *moved)
{
    const struct code_section *s = code_section_of(d->map, f->from);
    if (!array_grow(&d->entries, &d->entry_room, d->entry_count + 1, sizeof *d->entries))
        return false;
    struct patch_plan_entry *e = &d->entries[d->entry_count++];
    *e = (struct patch_plan_entry){.function = f->from,
                                   .jump = (uint32_t)(moved->jump - f->from),
                                   .code = (uint32_t)d->code_size,
                                   .size = moved->size};
    memcpy(e->original, s->bytes + (moved->jump - s->from), moved->size);
    return draw_code(d, moved);
}

static bool draw_function(struct drawing *d, size_t i)
{
    const struct code_map *m = d->map;
    const struct code_function *f = &m->functions[i];
    uint64_t end = i + 1 < m->function_count ? m->functions[i + 1].from : UINT64_MAX;
    struct displaced moved;
    enum plan_reason reason = judge_kind(m, f);
    if (reason == PLAN_PATCHED) {
        enum displace_result result = displace(m, f, end, (uint32_t)d->code_size, &moved);
        reason = judge_code(m, f, result, &moved);
    }
    d->plan->functions[i] = (struct plan_function){f->from, f->name, reason};
    d->plan->by_reason[reason]++;
    return reason != PLAN_PATCHED || draw_entry(d, f, &moved);
}

static size_t to_page(size_t size)
{
    return (size + PATCH_PLAN_PAGE - 1) & ~(size_t)(PATCH_PLAN_PAGE - 1);
}

static bool draw_image(const struct drawing *d)
{
    struct patch_plan_head head = {.magic = PATCH_PLAN_MAGIC,
                                   .from = d->map->from,
                                   .to = d->map->to,
                                   .entries_at = sizeof head,
                                   .entry_count = d->entry_count,
                                   .fixup_count = d->fixup_count,
                                   .code_size = to_page(d->code_size)};
    size_t entries = d->entry_count * sizeof *d->entries;
    size_t fixups = d->fixup_count * sizeof *d->fixups;
    head.fixups_at = head.entries_at + entries;
    head.code_at = to_page(head.fixups_at + fixups);
    head.size = head.code_at + head.code_size;
    uint8_t *image = calloc(head.size, 1);
    if (!image)
        return false;
    memcpy(image, &head, sizeof head);
    if (entries)
        memcpy(image + head.entries_at, d->entries, entries);
    if (fixups)
        memcpy(image + head.fixups_at, d->fixups, fixups);
    memcpy(image + head.code_at, d->code, d->code_size);
    d->plan->image = image;
    d->plan->image_size = head.size;
    return true;
}

static int draw_plan(struct drawing *d, struct ras_error *err)
{
    bool good = array_grow(&d->code, &d->code_room, PATCH_PLAN_STUB, 1);
    if (good)
        memset(d->code, 0xcc, d->code_size = PATCH_PLAN_STUB);
    for (size_t i = 0; good && i < d->map->function_count; i++) {
        if (d->code_size > CODE_MOST)
            return fail(err, RAS_EUNSUPPORTED, 0, "too many functions");
        good = draw_function(d, i);
    }
    return good && draw_image(d) ? RAS_OK : fail_memory(err);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static int plan_code(struct plan *plan, const struct code_map *m, struct ras_error *err)
{
    struct drawing d = {.map = m, .plan = plan};
    plan->count = m->function_count;
    plan->instruction_count = m->instruction_count;
    plan->functions = calloc(m->function_count + 1, sizeof *plan->functions);
    int status = plan->functions ? draw_plan(&d, err) : fail_memory(err);
    free(d.entries);
    free(d.fixups);
    free(d.code);
    return status;
}

/* As hooks name it, who know the module that is loaded. */
static void name_image(struct plan *plan, struct ras_bytes id, const char *path)
{
    static const char digits[] = "0123456789abcdef";
    size_t n = 0;
    for (size_t i = 0; i < id.len && n + 3 <= PLAN_BUILD_ID; i++) {
        plan->name[n++] = digits[id.at[i] >> 4];
        plan->name[n++] = digits[id.at[i] & 15];
    }
    plan->name[n] = 0;
    if (!n)
        patch_plan_name(path, plan->name, sizeof plan->name);
}

int plan_open(struct plan **out, struct ras_bytes file, const char *path, struct ras_error *err)
{
    struct code_map m;
    struct elf elf;
    *out = NULL;
    const char *runtime = elf_open(&elf, file) ? runtime_of(&elf) : NULL;
    if (runtime)
        return fail(err, RAS_EUNSUPPORTED, 0,
                    "made by %s, whose runtime reads return addresses on the stack", runtime);
    int status = code_map_open(&m, file, err);
    if (status < 0)
        return status;
    struct plan *plan = calloc(1, sizeof *plan);
    status = plan ? plan_code(plan, &m, err) : fail_memory(err);
    if (plan)
        name_image(plan, elf_build_id(&elf), path);
    code_map_close(&m);
    if (status < 0)
        plan_close(plan);
    else
        *out = plan;
    return status;
}

int plan_open_file(struct plan **out, const char *path, struct ras_error *err)
{
    struct ras_bytes bytes = file_map(path);
    int status = plan_open(out, bytes, path, err);
    if (status < 0)
        file_unmap(bytes);
    else
        (*out)->mapped = bytes;
    return status;
}

void plan_close(struct plan *plan)
{
    if (!plan)
        return;
    free(plan->functions);
    free(plan->image);
    file_unmap(plan->mapped);
    free(plan);
}

static const struct {
    const char *word, *text;
} reasons[PLAN_REASONS] = {
    [PLAN_PATCHED] = {"patched", "patched"},
    [PLAN_START] = {"start", "the entry point, or it has no caller"},
    [PLAN_PART] = {"part", "a part of another function"},
    [PLAN_UNNAMED] = {"unnamed", "no symbol, and reached by jumps only"},
    [PLAN_RESOLVER] = {"resolver", "the resolver of an indirect function"},
    [PLAN_INSIDE] = {"inside", "a jump leads into its first bytes"},
    [PLAN_LOOP] = {"loop", "a loop leads to its start"},
    [PLAN_TABLE] = {"table", "a jump table leads into its first bytes"},
    [PLAN_SHORT] = {"short", "too short for a jump"},
    [PLAN_IMMOVABLE] = {"immovable", "an instruction that cannot be moved"},
    [PLAN_UNDECODED] = {"undecoded", "bytes that are not known instructions"},
    [PLAN_FALL] = {"fall", "the code before it goes on with it"},
};

const char *plan_reason_text(enum plan_reason reason)
{
    return reasons[reason].text;
}

const char *plan_reason_word(enum plan_reason reason)
{
    return reasons[reason].word;
}
