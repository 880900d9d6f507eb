/* registry.c - the list of formats, and which one a source is of. */
#include "core/registry.h"

#include <string.h>

#define FORMAT(name) extern const struct ras_format name##_format;
#include "formats/list.h"
#undef FORMAT

static const struct ras_format *const formats[] = {
#define FORMAT(name) &name##_format,
#include "formats/list.h"
#undef FORMAT
};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats, PEEK = 4096 };

const struct ras_format *registry_at(size_t i)
{
    return i < FORMAT_COUNT ? formats[i] : NULL;
}

const struct ras_format_about *ras_format_at(size_t i)
{
    return i < FORMAT_COUNT ? &formats[i]->about : NULL;
}

const struct ras_format *registry_find(const char *name)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (!strcmp(formats[i]->about.name, name))
            return formats[i];
    return NULL;
}

static struct probe look(const struct source *source)
{
    struct probe p = {.is_dir = source_is_dir(source), .source = source};
    if (p.is_dir)
        return p;
    struct ras_bytes all = source_bytes(source, 0);
    size_t peek = all.len < PEEK ? all.len : PEEK;
    p.size = all.len;
    p.head = (struct ras_bytes){all.at, peek};
    p.tail = (struct ras_bytes){all.at ? all.at + (all.len - peek) : NULL, peek};
    return p;
}

bool registry_probe(const struct ras_format *format, const struct source *source)
{
    struct probe p = look(source);
    return format->probe(&p) > 0;
}

static void say_unknown(const struct probe *p, struct ras_error *err)
{
    if (p->is_dir)
        fail(err, RAS_EFORMAT, RAS_NONE, "no trace of a known format in this directory");
    else if (!p->size)
        fail(err, RAS_EFORMAT, 0, "empty: there is no trace in 0 bytes");
    else
        fail(err, RAS_EFORMAT, 0,
             "not a trace of a known format (%" PRIu64
             " bytes, the first are %02x %02x %02x %02x); --input-format NAME overrides",
             p->size, p->head.at[0], p->size > 1 ? p->head.at[1] : 0,
             p->size > 2 ? p->head.at[2] : 0, p->size > 3 ? p->head.at[3] : 0);
}

const struct ras_format *registry_detect(const struct source *source, struct ras_error *err)
{
    struct probe p = look(source);
    const struct ras_format *best = NULL, *rival = NULL;
    int best_score = 0;
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        int score = formats[i]->probe(&p);
        if (score > best_score) {
            best_score = score;
            best = formats[i];
            rival = NULL;
        } else if (score && score == best_score) {
            rival = formats[i];
        }
    }
    if (rival) {
        fail(err, RAS_EFORMAT, RAS_NONE, "may be %s or %s: say which with --input-format",
             best->about.name, rival->about.name);
        return NULL;
    }
    if (!best)
        say_unknown(&p, err);
    return best;
}
