/* held.h - a trace made in memory: one file, or the parts of a directory. */
#ifndef PROPERTY_HELD_H
#define PROPERTY_HELD_H

#include <rastrum/rastrum.h>

struct held {
    struct ras_sink *sink;
    struct ras_folder *folder;
};

int held_open(const struct held *h, struct ras_trace **t, const char *format,
              struct ras_error *err);
bool held_same(const struct held *a, const struct held *b);
void held_drop(struct held *h);

/* Whether an error of this rule is among the findings. */
bool is_broken(const struct ras_report *report, const struct ras_rule *rule);
#endif
