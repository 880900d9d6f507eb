/* aerogpu_format.c - the row of AeroGPU traces. */
#include "formats/aerogpu/aerogpu_driver.h"

static bool starts(struct ras_bytes b, const char *magic, size_t len)
{
    return b.len >= len && !memcmp(b.at, magic, len);
}

static int probe(const struct probe *p)
{
    size_t n = p->head.len < AERO_MAGIC_SIZE ? p->head.len : AERO_MAGIC_SIZE;
    if (n >= 5 && starts(p->head, AERO_MAGIC_HEADER, n))
        return n == AERO_MAGIC_SIZE ? 95 : 60; /* cut inside the magic, but an AeroGPU trace */
    if (starts(p->head, AERO_MAGIC_STREAM, 4) || starts(p->head, AERO_MAGIC_ALLOC, 4))
        return 85;
    bool footer = p->tail.len >= RAS_AERO_FOOTER_SIZE &&
                  starts((struct ras_bytes){p->tail.at + p->tail.len - RAS_AERO_FOOTER_SIZE,
                                            RAS_AERO_FOOTER_SIZE},
                         AERO_MAGIC_FOOTER, AERO_MAGIC_SIZE);
    return footer ? 30 : 0; /* so that opening it can report what the header lacks */
}

static int open_container(struct ras_trace *t, struct ras_bytes all, struct ras_error *err)
{
    struct aero *a = t->priv;
    int status = source_need(t->source, 0, 0, RAS_AERO_HEADER_SIZE, NULL, err);
    if (status == RAS_OK)
        status = ras_aero_header_get(all, &a->header, err);
    if (status == RAS_OK)
        status = source_need(t->source, 0, RAS_AERO_HEADER_SIZE,
                             RAS_AERO_HEADER_SIZE + (uint64_t)a->header.meta_len, NULL, err);
    if (status < 0)
        return status;
    struct ras_bytes meta = ras_aero_meta(all, &a->header);
    if (meta.len < a->header.meta_len)
        return fail(err, RAS_ECUT, RAS_AERO_HEADER_SIZE,
                    "meta_json of %" PRIu32 " bytes, %zu are there", a->header.meta_len, meta.len);
    t->dialect = a->header.container_version == 1 ? "v1" : "v2";
    if (t->dialect_requested && !strcmp(t->dialect_requested, "v1"))
        t->dialect = "v1";
    a->v1 = t->dialect_requested && !strcmp(t->dialect, "v1");
    t->version = a->header.container_version;
    t->body = RAS_AERO_HEADER_SIZE + (uint64_t)a->header.meta_len;
    bool ok = fact_uint(t, "command_abi_version", a->header.command_abi_version, 0) &&
              aero_meta_facts(t, meta, a->header.command_abi_version) && aero_schemas_add(t);
    return ok ? RAS_OK : fail_memory(err);
}

static int aero_open(struct ras_trace *t, struct ras_error *err)
{
    struct aero *a = t->priv;
    struct ras_bytes all = source_arrived(t->source, 0);
    int status = source_need(t->source, 0, 0, AERO_MAGIC_SIZE, NULL, err);
    if (status < 0)
        return status;
    if (starts(all, AERO_MAGIC_STREAM, 4))
        a->shape = AERO_STREAM;
    else if (starts(all, AERO_MAGIC_ALLOC, 4))
        a->shape = AERO_TABLE;
    else
        return open_container(t, all, err);
    return aero_bare_open(t, source_bytes(t->source, 0), err);
}

static void aero_close(struct ras_trace *t)
{
    struct aero *a = t->priv;
    ras_aero_blobs_close(a->blobs);
}

const struct ras_format aerogpu_format = {
    .about =
        {
            .name = "aerogpu",
            .label = "AeroGPU trace",
            .title = "AeroGPU trace: the GPU commands of a run, frame by frame",
            .dialects = (const char *const[]){"v2", "v1", NULL},
            .extensions = (const char *const[]){".aerogputrace", ".acmd", ".aloc", NULL},
            .axis = RAS_AXIS_TICK,
            .axes = 1u << RAS_AXIS_TICK,
            .can = RAS_CAN_READ | RAS_CAN_STREAM | RAS_CAN_SEEK | RAS_CAN_WRITE | RAS_CAN_REPAIR |
                   RAS_CAN_REPLAY,
            .options = (const struct ras_format_option[]){{"pixels", "diff", NULL,
                                                           "compare replayed frames",
                                                           "cannot be compared by their pixels"},
                                                          {0}},
        },
    .trace_size = sizeof(struct aero),
    .cursor_size = sizeof(struct aero_cursor),
    .probe = probe,
    .open = aero_open,
    .close = aero_close,
    .start = aero_start,
    .next = aero_next,
    .seek = aero_seek,
    .ascends = 1u << RAS_AXIS_TICK,
    .save = aero_save,
    .load = aero_load,
    .takes_ranges = true,
    .usage = aero_usage,
    .stats = aero_stats,
    .timeline = &aero_timeline,
    .scene = &aero_scene,
    .repair = aero_repair,
    .rewrite = &aero_rewrite,
    .build = &aero_build,
    .compare = &aero_compare,
    .ticks = &(const struct tick_ops){"aerogpu.frame", "frame", TICK_BY_FRAME, NULL},
    .render = aero_render,
    .canvas = aero_canvas,
    .rules = aero_rules,
    .check = aero_check,
    .check_ends = true,
};
