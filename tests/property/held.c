/* held.c - a trace made in memory. */
#include "held.h"

#include <string.h>

int held_open(const struct held *h, struct ras_trace **t, const char *format, struct ras_error *err)
{
    const struct ras_options how = {.format = format};
    if (h->folder) {
        size_t count;
        const struct ras_part *parts = ras_folder_parts(h->folder, &count);
        return ras_open_parts(t, parts, count, &how, err);
    }
    struct ras_bytes b = ras_sink_bytes(h->sink);
    return ras_open_memory(t, b.at, b.len, &how, err);
}

void held_drop(struct held *h)
{
    ras_sink_drop(h->sink);
    ras_folder_drop(h->folder);
}

bool held_same(const struct held *a, const struct held *b)
{
    if (a->sink) {
        struct ras_bytes x = ras_sink_bytes(a->sink), y = ras_sink_bytes(b->sink);
        return x.len == y.len && (!x.len || !memcmp(x.at, y.at, x.len));
    }
    size_t n, m;
    const struct ras_part *x = ras_folder_parts(a->folder, &n);
    const struct ras_part *y = ras_folder_parts(b->folder, &m);
    for (size_t i = 0; n == m && i < n; i++)
        if (strcmp(x[i].name, y[i].name) || x[i].bytes.len != y[i].bytes.len ||
            (x[i].bytes.len && memcmp(x[i].bytes.at, y[i].bytes.at, x[i].bytes.len)))
            return false;
    return n == m;
}

bool is_broken(const struct ras_report *report, const struct ras_rule *rule)
{
    for (size_t i = 0; i < report->finding_count; i++)
        if (report->findings[i].rule == rule && report->findings[i].severity == RAS_ERROR)
            return true;
    return false;
}
