/* cdt_frida_meta.c - what META says of a run and of the capture that holds it. */
#include "codec/calendar.h"
#include "formats/cdt/cdt_frida_run.h"

#include <time.h>

#define TEXT(literal) ((struct ras_bytes){(const uint8_t *)(literal), sizeof(literal) - 1})

/* ISO 8601 with microseconds, which are left out when there are none, as Python has it. */
static struct ras_bytes utc_text(const struct ras_cdt_finalize_options *o, char text[FRIDA_UTC])
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (o && o->created_ns)
        now = (struct timespec){o->created_ns / 1000000000, o->created_ns % 1000000000};
    size_t len = calendar_write(text, 32, now.tv_sec);
    if (now.tv_nsec / 1000)
        len += (size_t)snprintf(text + len, 16, ".%06ld", now.tv_nsec / 1000);
    len += (size_t)snprintf(text + len, 16, "+00:00");
    return (struct ras_bytes){(const uint8_t *)text, len};
}

static void set_int(struct ras_cdt_node *node, unsigned member, int64_t *to,
                    struct ras_cdt_int value)
{
    *to = value.value;
    ras_cdt_set(node, member);
    if (value.wide)
        node->wide |= UINT32_C(1) << member;
}

static void fill_source(const struct frida *f, struct ras_cdt_trace_source *s)
{
    enum { RUN_ID = 1, MODE_ID, MAJOR = 6, MINOR };
    const struct frida_run *run = &f->run;
    const struct frida_run_start *start = &run->start;
    struct ras_cdt_node *node = &s->node;
    s->path = (struct ras_bytes){(const uint8_t *)f->path, strlen(f->path)};
    s->sha256 = (struct ras_bytes){(const uint8_t *)f->lines.hex, 2 * SHA256_SIZE};
    s->size = (int64_t)f->lines.stored;
    s->mtime_ns = f->lines.mtime_ns;
    for (unsigned i = RAS_CDT_SOURCE_PATH; i <= RAS_CDT_SOURCE_MTIME_NS; i++)
        ras_cdt_set(node, i);
    set_int(node, RAS_CDT_SOURCE_SEED, &s->seed,
            frida_start_int(start, 10, start->rng_state_at_run_setup));
    set_int(node, RAS_CDT_SOURCE_MODE_ID, &s->mode_id,
            frida_start_int(start, MODE_ID, start->mode_id));
    set_int(node, RAS_CDT_SOURCE_RUN_ID, &s->run_id, frida_start_int(start, RUN_ID, start->run_id));
    set_int(node, RAS_CDT_SOURCE_QUEST_STAGE_MAJOR, &s->quest_stage_major,
            frida_start_int(start, MAJOR, start->quest_stage_major));
    set_int(node, RAS_CDT_SOURCE_QUEST_STAGE_MINOR, &s->quest_stage_minor,
            frida_start_int(start, MINOR, start->quest_stage_minor));
    if (run->has_global) {
        set_int(node, RAS_CDT_SOURCE_GLOBAL_TICK_FIRST, &s->global_tick_first, run->global_first);
        set_int(node, RAS_CDT_SOURCE_GLOBAL_TICK_LAST, &s->global_tick_last, run->global_last);
    }
    s->run_start_seed_source = TEXT("run_setup_rng_state");
    ras_cdt_set(node, RAS_CDT_SOURCE_RUN_START_SEED_SOURCE);
}

struct ras_cdt_trace_meta frida_meta(const struct frida *f, char created[FRIDA_UTC])
{
    struct ras_cdt_trace_meta meta = {
        .trace_format_version = RAS_CDT_FORMAT_VERSION,
        .trace_schema_version = RAS_CDT_SCHEMA_VERSION,
        .created_utc = utc_text(f->options, created),
        .producer = {.impl = TEXT("frida_original"),
                     .impl_version = f->session.script_version,
                     .platform = f->session.platform,
                     .arch = f->session.arch},
        .tick_range = {.start_tick = 0,
                       .end_tick = (int64_t)f->run.ticks - 1,
                       .tick_count = (int64_t)f->run.ticks},
        .status = f->run.status,
    };
    ras_cdt_set(&meta.node, RAS_CDT_META_STATUS);
    fill_source(f, &meta.source);
    return meta;
}
