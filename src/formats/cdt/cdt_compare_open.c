/* cdt_compare_open.c - both sides of a comparison, made ready for the channels asked for. */
#include "formats/cdt/cdt_compare_run.h"

static int check_schemas(const struct compare *c, struct ras_error *err)
{
    int64_t versions[2];
    for (int i = 0; i < 2; i++) {
        const struct cdt_trace *cdt = c->side[i]->priv;
        versions[i] =
            cdt->meta.typed ? RAS_CDT_SCHEMA_VERSION : cdt->meta.meta.trace_schema_version;
    }
    return versions[0] == versions[1] ? RAS_OK
                                      : fail(err, RAS_EVERSION, RAS_NONE,
                                             "different schemas: version %" PRId64 " and %" PRId64,
                                             versions[0], versions[1]);
}

static enum cdt_want want(const struct compare *c, const char *channel)
{
    return compare_wants(c->asked, channel) ? CDT_WANT_ALL : CDT_WANT_NOTHING;
}

int compare_open(struct cdt_comparison *r, struct ras_error *err)
{
    struct compare *c = r->c;
    const struct cdt_wants wants = {want(c, "checkpoint"), want(c, "sim_state"),
                                    want(c, "entity_samples"), want(c, "rng_stream"),
                                    want(c, "timing_samples")};
    cdt_project(&r->projection, &wants);
    const struct cdt_struct *as = c->asked->channel_count ? &r->projection.block : &cdt_tick_block;
    int status = check_schemas(c, err);
    for (int i = 0; i < 2 && status == RAS_OK; i++)
        status = cdt_side_open(&r->readers[i].side, c->side[i], as, c->asked->compat, err);
    if (status < 0)
        return status;
    for (int i = 0; i < 2 && !c->asked->compat; i++)
        cdt_side_check_gaps(&r->readers[i].side);
    cdt_side_order(&r->readers[0].side);
    cdt_side_order(&r->readers[1].side);
    r->diff = (struct cdt_diff){.options = c->asked,
                                .doc = &c->doc,
                                .masked = cdt_masks(&r->readers[0].side, &r->readers[1].side)};
    return RAS_OK;
}
