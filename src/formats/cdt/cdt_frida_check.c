/* cdt_frida_check.c - what the rows around the ticks must say; texts are the reference's. */
#include "formats/cdt/cdt_frida_run.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- refusing ----------------------------------------------------------------------- */

static int refuse(struct frida *f, bool line, const char *fmt, va_list args)
{
    char *text = NULL, place[32] = "";
    if (line)
        snprintf(place, sizeof place, ".lines[%llu]", (unsigned long long)f->lines.number);
    va_list again;
    va_copy(again, args);
    int head = snprintf(NULL, 0, "%s%s", f->path, place), rest = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (head >= 0 && rest >= 0 && (text = malloc((size_t)head + (size_t)rest + 1))) {
        snprintf(text, (size_t)head + 1, "%s%s", f->path, place);
        vsnprintf(text + head, (size_t)rest + 1, fmt, args);
    }
    free(f->result->refusal);
    f->result->refusal = text;
    f->result->line = line ? f->lines.number : 0;
    return text ? RAS_EFORMAT : RAS_EMEMORY;
}

int frida_refuse(struct frida *f, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int status = refuse(f, true, fmt, args);
    va_end(args);
    return status;
}

int frida_refuse_file(struct frida *f, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int status = refuse(f, false, fmt, args);
    va_end(args);
    return status;
}

static bool texts_same(struct ras_bytes a, struct ras_bytes b)
{
    return a.len == b.len && (!a.len || !memcmp(a.at, b.at, a.len));
}

/* Is the text one of these words, which end with NULL? */
static bool is_one(struct ras_bytes text, const char *const *words)
{
    while (*words && !cdt_text_is(text, *words))
        words++;
    return *words != NULL;
}

/* ---- session_start ------------------------------------------------------------------- */

static int check_limits(struct frida *f, const struct frida_config *c, int64_t version)
{
    char all[1024] = "";
    size_t len = 0;
    for (unsigned i = 0; i < (version >= 14 ? FRIDA_LIMITS : FRIDA_LIMITS - 2u); i++)
        if (c->limits[i].value >= 0 || c->limits[i].wide)
            len += (size_t)snprintf(all + len, sizeof all - len, "%s'%s': %s", len ? ", " : "",
                                    frida_limit_names[i],
                                    frida_digits(frida_number_of(c->limits[i])).text);
    if (len)
        return frida_refuse(f,
                            " capture was recorded with trimmed streams {%s}; parity captures "
                            "require unlimited limits (-1)",
                            all);
    if (c->focus_tick.value >= 0 || c->focus_tick.wide)
        return frida_refuse(f,
                            " capture used focus mode (focus_tick=%s); parity captures must "
                            "record every tick",
                            frida_digits(frida_number_of(c->focus_tick)).text);
    return RAS_OK;
}

int frida_check_session(struct frida *f, const struct frida_session_start *row)
{
    enum { VERSION = 1 };
    const struct {
        const char *name;
        struct ras_bytes text;
    } texts[] = {{"session_id", row->session_id},
                 {"out_path", row->out_path},
                 {"platform", row->platform},
                 {"arch", row->arch},
                 {"script_version", row->script_version}};
    if (f->session.started)
        return frida_refuse(f, " duplicate session_start");
    if (row->capture_format_version < 13 || row->capture_format_version > 15)
        return frida_refuse(
            f, " unsupported capture_format_version=%s; expected one of [13, 14, 15]",
            frida_digits(frida_wide(&row->node, VERSION, row->capture_format_version)).text);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!texts[i].text.len)
            return frida_refuse(f, ".%s must be non-empty", texts[i].name);
    if (!texts_same(row->config.out_path, row->out_path))
        return frida_refuse(f, ".config.out_path must match out_path");
    if (!texts_same(row->session_fingerprint.session_id, row->session_id))
        return frida_refuse(f, ".session_fingerprint.session_id must match session_id");
    return check_limits(f, &row->config, row->capture_format_version);
}

/* ---- run_start ------------------------------------------------------------------------ */

/* A leaf of a slot that is null or absent. `name` ends with a dot, or is empty. */
static int check_leaves(struct frida *f, size_t slot, const struct cdt_struct *s, const uint8_t *at,
                        unsigned from, const char *name)
{
    const struct ras_cdt_node *node = (const struct ras_cdt_node *)(const void *)at;
    for (unsigned i = from; i < s->count; i++) {
        const struct cdt_field *m = &s->fields[i];
        char inside[sizeof m->name + 1];
        int status = RAS_OK;
        snprintf(inside, sizeof inside, "%s.", m->name);
        if (m->type == CDT_STRUCT)
            status = check_leaves(f, slot, m->of, at + m->offset, 0, inside);
        else if (!ras_cdt_has(node, i))
            status = frida_refuse(
                f, ".pool_residue[%zu].%s%s must be %s in the pool residue snapshot", slot, name,
                m->name, m->type == CDT_FLOAT ? "a finite float" : "present");
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

static int check_residue(struct frida *f, const struct frida_run_start *row)
{
    enum { INDEX, ACTIVE, LEAVES };
    if (!ras_cdt_has(&row->node, FRIDA_RUN_START_RESIDUE))
        return frida_refuse(f, ".pool_residue is required for capture v15 run_start rows");
    for (size_t i = 0; i < row->pool_residue.count; i++) {
        const struct frida_residue *slot = &row->pool_residue.at[i];
        frida_number index = frida_wide(&slot->node, INDEX, slot->index);
        if (index != (frida_number)i)
            return frida_refuse(f, ".pool_residue[%zu].index=%s does not match slot %zu", i,
                                frida_digits(index).text, i);
        if (!ras_cdt_has(&slot->node, ACTIVE))
            return frida_refuse(
                f, ".pool_residue[%zu].active must be present in the pool residue snapshot", i);
        if (slot->active != 0)
            return frida_refuse(f,
                                ".pool_residue[%zu] is active at run start; creature_reset_all "
                                "must have run before the latch",
                                i);
        int status = check_leaves(f, i, &frida_residue, (const uint8_t *)slot, LEAVES, "");
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

int frida_check_run_start(struct frida *f, const struct frida_run_start *row)
{
    enum { SEED = 3, PLAYERS = 4 };
    static const char *const reasons[] = {"first_tick", "mode_or_stage_change", "quest_attempt",
                                          "run_start", NULL};
    static const char *const sources[] = {"crt_srand", "unknown", NULL};
    if (f->run.open)
        return frida_refuse(f, " run_start while run is active");
    if (!is_one(row->reason, reasons))
        return frida_refuse(f, ".reason must be one of ['first_tick', 'mode_or_stage_change', "
                               "'quest_attempt', 'run_start']");
    if (!is_one(row->seed_source, sources))
        return frida_refuse(f, ".seed_source must be one of ['crt_srand', 'unknown']");
    if (frida_wide(&row->node, SEED, row->seed) < 0)
        return frida_refuse(f, ".seed must be >= 0");
    if (frida_wide(&row->node, PLAYERS, row->player_count) <= 0)
        return frida_refuse(f, ".player_count must be positive");
    if (!ras_cdt_has(&row->node, FRIDA_RUN_START_SETUP))
        return frida_refuse(f, ".rng_state_at_run_setup is required for replay seeding");
    if ((uint64_t)row->rng_state_at_run_setup > UINT32_MAX)
        return frida_refuse(f, ".rng_state_at_run_setup must be u32");
    return f->session.version >= 15 ? check_residue(f, row) : RAS_OK;
}

/* ---- ids -------------------------------------------------------------------------------- */

int frida_check_ids(struct frida *f, const char *row, const struct frida_ids *ids, unsigned from,
                    unsigned to)
{
    static const char *const names[FRIDA_IDS] = {"run_id", "mode_id", "quest_stage_major",
                                                 "quest_stage_minor"};
    enum { RUN_ID = 1, MODE_ID, MAJOR = 6, MINOR };
    const struct frida_run_start *start = &f->run.start;
    const struct frida_ids run = {{frida_wide(&start->node, RUN_ID, start->run_id),
                                   frida_wide(&start->node, MODE_ID, start->mode_id),
                                   frida_wide(&start->node, MAJOR, start->quest_stage_major),
                                   frida_wide(&start->node, MINOR, start->quest_stage_minor)}};
    for (unsigned i = from; i < to; i++)
        if (ids->at[i] != run.at[i])
            return frida_refuse(f, " %s %s=%s does not match active run %s", row, names[i],
                                frida_digits(ids->at[i]).text, frida_digits(run.at[i]).text);
    return RAS_OK;
}

/* ---- run_end, session_end ---------------------------------------------------------------- */

int frida_check_run_end(struct frida *f, const struct frida_run_end *row)
{
    static const char *const reasons[] = {"capture_contract_error",
                                          "mode_or_stage_change",
                                          "quest_attempt",
                                          "run_end",
                                          "shutdown",
                                          NULL};
    enum { RUN_ID = 1, MODE_ID, MAJOR, MINOR, TICKS };
    const struct frida_ids ids = {{frida_wide(&row->node, RUN_ID, row->run_id),
                                   frida_wide(&row->node, MODE_ID, row->mode_id),
                                   frida_wide(&row->node, MAJOR, row->quest_stage_major),
                                   frida_wide(&row->node, MINOR, row->quest_stage_minor)}};
    if (!f->run.open)
        return frida_refuse(f, " run_end without active run");
    int status = frida_check_ids(f, "run_end", &ids, 0, 1);
    if (status == RAS_OK && !is_one(row->reason, reasons))
        return frida_refuse(f, ".reason must be one of ['capture_contract_error', "
                               "'mode_or_stage_change', 'quest_attempt', 'run_end', "
                               "'shutdown']");
    if (status == RAS_OK)
        status = frida_check_ids(f, "run_end", &ids, 1, FRIDA_IDS);
    if (status < 0)
        return status;
    frida_number ticks = frida_wide(&row->node, TICKS, row->ticks_written);
    if (ticks != (frida_number)f->run.ticks)
        return frida_refuse(f,
                            " run_end.ticks_written=%s does not match active run tick_count %llu",
                            frida_digits(ticks).text, (unsigned long long)f->run.ticks);
    if (!ras_cdt_has(&row->node, FRIDA_RUN_END_TAIL))
        return frida_refuse(f, ".rng_outside_tail is required");
    return RAS_OK;
}

int frida_check_session_end(struct frida *f, const struct frida_session_end *row)
{
    enum { TICKS = 2 };
    if (f->run.open)
        return frida_refuse(f, " session_end while run is active");
    if (!texts_same(row->session_id, f->session.session_id))
        return frida_refuse(f, ".session_id must match session_start.session_id");
    frida_number ticks = frida_wide(&row->node, TICKS, row->ticks_written);
    if (ticks != (frida_number)f->ticks)
        return frida_refuse(f, ".ticks_written=%s does not match parsed tick_count %llu",
                            frida_digits(ticks).text, (unsigned long long)f->ticks);
    return RAS_OK;
}
