/* fail_if_fuzz.c - any condition on the figures of two traces: checked, or refused with a reason;
 * of a trace and itself no change is found. */
#include "fuzz.h"
#include <rastrum/rastrum.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ras_trace *golden(const char *name)
{
    char path[4096];
    struct ras_trace *t;
    snprintf(path, sizeof path, "%s/dial9/%s.trc", GOLDEN_DIR, name);
    return ras_open(&t, path, NULL, NULL) == RAS_OK ? t : NULL;
}

/* How many conditions are violated; -1: refused. */
static int64_t hold(struct ras_trace *a, struct ras_trace *b, const char *text)
{
    const struct ras_compare_options how = {.conditions = &text, .condition_count = 1};
    struct ras_diff *d;
    struct ras_error err = {0};
    struct ras_sink *sink;
    int status = ras_diff(&d, a, b, &how, &err);
    if (status < 0 && status != RAS_EMEMORY && !*err.text)
        fuzz_wrong("refused without a word");
    if (status < 0)
        return -1;
    if (ras_sink_memory(&sink, NULL) == RAS_OK) {
        if (ras_diff_json(sink, d, &how, RAS_LAYOUT_LINE, &err) < 0 && err.status != RAS_EMEMORY)
            fuzz_wrong("the report: %s", err.text);
        ras_sink_drop(sink);
    }
    int64_t violated = (int64_t)d->violated;
    ras_diff_free(d);
    return violated;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ras_trace *a, *b;
    a = a ? a : golden("memory");
    b = b ? b : golden("stacks");
    char *text = malloc(size + 1);
    if (a && b && text) {
        memcpy(text, data, size);
        text[size] = 0;
        (void)hold(a, b, text);
        if (!strchr(text, '[') && strstr(text, " > +") && hold(a, a, text) > 0)
            fuzz_wrong("a trace grows beyond itself: %s", text);
    }
    free(text);
    return 0;
}
