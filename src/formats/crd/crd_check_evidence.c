/* crd_check_evidence.c - the rules of evidence: a header, ticks one by one, a footer. */
#include "formats/crd/crd_check.h"

/* What is known so far; numbers that could not be read are left out of comparisons. */
struct evidence {
    uint64_t records, ticks;
    bool ended;
    struct ras_bytes header, footer;
    int64_t first, last, global_first, global_last;
    bool has_tick, has_global;
};

static bool kind_is(struct ras_bytes map, const char *kind)
{
    struct msgpack in = msgpack_bytes(crd_find(map, "kind"));
    return msgpack_key_is(&in, kind, strlen(kind));
}

static void note_tick(struct crd_checker *k, struct evidence *e, struct ras_bytes map, uint64_t at)
{
    int64_t tick, global;
    bool has_tick = crd_int(crd_find(map, "tick_index"), &tick);
    bool has_global = crd_int(crd_find(map, "global_tick_index"), &global);
    if (has_tick && e->has_tick && tick != e->last + 1)
        CRD_FINDING(k, EVIDENCE_ORDER, at, 1, "tick %" PRId64 " follows tick %" PRId64, tick,
                    e->last);
    if (has_tick && !e->has_tick)
        e->first = tick;
    if (has_global && !e->has_global)
        e->global_first = global;
    e->last = has_tick ? tick : e->last;
    e->global_last = has_global ? global : e->global_last;
    e->has_tick |= has_tick;
    e->has_global |= has_global;
    e->ticks++;
}

static void check_record(struct crd_checker *k, struct evidence *e, struct ras_bytes map,
                         uint64_t at)
{
    bool header = kind_is(map, "header"), tick = kind_is(map, "tick");
    bool footer = kind_is(map, "footer");
    if (!header && !tick && !footer)
        CRD_FINDING(k, EVIDENCE_ORDER, at, 1, "a record is not a header, a tick or a footer");
    else if (header != !e->records)
        CRD_FINDING(k, EVIDENCE_ORDER, at, 1, "%s",
                    header ? "a second header" : "the first record is not a header");
    else
        crd_check_map(k,
                      header ? &crd_header
                      : tick ? &crd_evidence_tick
                             : &crd_footer,
                      header ? "header"
                      : tick ? "tick"
                             : "footer",
                      true);
    if (header)
        e->header = map;
    if (tick)
        note_tick(k, e, map, at);
    if (footer)
        e->footer = map;
    e->ended = footer;
    e->records++;
}

static void compare(struct crd_checker *k, struct ras_bytes map, const char *where,
                    const char *name, int64_t present)
{
    int64_t stated;
    if (crd_int(crd_find(map, name), &stated) && stated != present)
        CRD_FINDING(k, EVIDENCE_COUNT, (uint64_t)(map.at - k->all.at), 1,
                    "%s.%s is %" PRId64 ", the ticks have %" PRId64, where, name, stated, present);
}

static void check_counts(struct crd_checker *k, const struct evidence *e)
{
    if (!e->ended)
        CRD_FINDING(k, EVIDENCE_ORDER, k->all.len, 0, "no footer");
    compare(k, e->header, "header", "tick_count", (int64_t)e->ticks);
    compare(k, e->footer, "footer", "tick_count", (int64_t)e->ticks);
    if (e->has_tick) {
        compare(k, e->footer, "footer", "first_tick", e->first);
        compare(k, e->footer, "footer", "last_tick", e->last);
    }
    if (e->has_global) {
        compare(k, e->footer, "footer", "global_tick_first", e->global_first);
        compare(k, e->footer, "footer", "global_tick_last", e->global_last);
    }
}

void crd_check_evidence(struct crd_checker *k)
{
    struct in in = in_bytes(k->all);
    struct evidence e = {0};
    int64_t version;
    while (in_left(&in) && !e.ended) {
        uint64_t at = (uint64_t)(in.at - k->all.at);
        uint32_t size = in_u32(&in);
        struct ras_bytes map = in_span(&in, size);
        if (in.cut) /* the ending says so */
            return;
        k->in = msgpack_bytes(map);
        struct msgpack whole = k->in;
        if (msgpack_peek(&whole) != MSGPACK_MAP || !msgpack_skip(&whole) || msgpack_left(&whole)) {
            CRD_FINDING(k, CONTENT, at, 4 + (uint64_t)size, "a record is not a msgpack map");
            continue;
        }
        if (!e.records && crd_int(crd_find(map, "evidence_format_version"), &version) &&
            version != CRD_EVIDENCE_VERSION) {
            CRD_FINDING(k, VERSION, at, 1, "evidence version %" PRId64 ": layout not known",
                        version);
            return;
        }
        check_record(k, &e, map, at);
        if (!report_progress(k->report, at))
            return;
    }
    check_counts(k, &e);
}
