/* dial9_stats_runtimes.c - which runtime a worker belongs to, as the metadata of a segment says.
 *
 * Entries named `runtime.NAME` list the ids of its workers: "0,1,2". Each segment says so again. */
#include "base/memory.h"
#include "formats/dial9/dial9_stats.h"

static void keep(struct dial9_stats *d, uint32_t name, uint64_t worker)
{
    for (size_t i = 0; i < d->member_count; i++)
        if (d->members[i].worker == worker && d->members[i].runtime == name)
            return;
    if (name == NO_TEXT || d->member_count >= WORKERS_MOST)
        return;
    if (!array_grow(&d->members, &d->member_room, d->member_count + 1, sizeof *d->members)) {
        stats_nomem(d);
        return;
    }
    d->members[d->member_count++] = (struct member){name, worker};
}

/* Numbers with commas between them; what is none is passed over. */
static void keep_list(struct dial9_stats *d, uint32_t name, const uint8_t *at, size_t len)
{
    uint64_t number = 0;
    size_t digits = 0;
    for (size_t i = 0; i <= len; i++) {
        bool digit = i < len && at[i] >= '0' && at[i] <= '9';
        if (digit && digits < 19) {
            number = number * 10 + (uint64_t)(at[i] - '0');
            digits++;
        } else if (!digit) {
            if (digits)
                keep(d, name, number);
            number = digits = 0;
        }
    }
}

void dial9_stats_on_metadata(struct dial9_stats *d, const struct ras_dial9_value *entries,
                             const uint8_t *end)
{
    static const char prefix[] = "runtime.";
    const size_t skip = sizeof prefix - 1;
    struct ras_dial9_value key, value;
    if (!entries || entries->type != RAS_DIAL9_STRING_MAP)
        return;
    struct ras_dial9_items items = dial9_items(entries, end);
    while (ras_dial9_next_item(&items, &key) && ras_dial9_next_item(&items, &value))
        if (key.count > skip && !memcmp(key.at, prefix, skip))
            keep_list(d, dial9_stats_new_text(d, key.at + skip, key.count - skip), value.at,
                      value.count);
}

/* ---- the table ------------------------------------------------------------------------- */

static bool is_first(const struct dial9_stats *d, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (d->members[k].runtime == d->members[i].runtime)
            return false;
    return true;
}

static const struct worker *find(const struct dial9_stats *d, uint64_t id)
{
    for (size_t i = 0; i < d->worker_count; i++)
        if (d->workers[i].id == id)
            return &d->workers[i];
    return NULL;
}

/* All workers of the runtime that the i-th member is the first of. */
static void put_runtime(struct dial9_stats *d, size_t first)
{
    struct document *doc = &d->s->doc;
    uint64_t workers = 0, seen = 0, polls = 0, busy = 0, active = 0, parked = 0;
    for (size_t i = first; i < d->member_count; i++) {
        if (d->members[i].runtime != d->members[first].runtime)
            continue;
        const struct worker *w = find(d, d->members[i].worker);
        workers++;
        seen += w != NULL;
        polls += w ? w->polls.count : 0;
        busy += w ? w->polls.sum : 0;
        active += w ? w->actives.sum : 0;
        parked += w ? w->parks.sum : 0;
    }
    size_t row = stats_row(d->s);
    dial9_stats_put_text(d, d->members[first].runtime);
    document_uint(doc, workers);
    document_uint(doc, seen);
    if (active + parked)
        document_f64(doc, 100 * (double)active / (double)(active + parked));
    else
        document_null(doc);
    document_uint(doc, polls);
    document_uint(doc, busy);
    stats_row_end(d->s, row);
}

void dial9_stats_put_runtimes(struct dial9_stats *d)
{
    static const char *const columns[] = {
        "runtime", "workers", "workers_seen", "utilization_percent", "polls", "busy_ns", NULL};
    uint64_t others = 0;
    for (size_t i = 0; i < d->worker_count; i++) {
        bool told = false;
        for (size_t k = 0; k < d->member_count && !told; k++)
            told = d->members[k].worker == d->workers[i].id;
        others += !told;
    }
    stats_table(d->s, "runtimes", columns);
    for (size_t i = 0; i < d->member_count; i++)
        if (is_first(d, i))
            put_runtime(d, i);
    if (d->member_count)
        stats_table_end(d->s, "workers as metadata lists them; %" PRIu64 " more are of no runtime",
                        others);
    else
        stats_table_end(d->s, "not measurable: no metadata says which workers a runtime has");
}
