/* pprof.c - calls and samples added up by stack, as a gzip-compressed profile.proto.
 *
 * A sample has three values: calls, their own time, and samples of a profiler. */
#include "codec/compress.h"
#include "core/sink.h"
#include "export/proto.h"
#include "export/stack_tree.h"
#include "export/target.h"

#include <stdlib.h>

/* Profile and the messages in it. */
enum {
    PROFILE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_DEFAULT = 14,
};
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, LOCATION_LINE = 4, LINE_FUNCTION = 1 };

struct pprof {
    struct stack_tree tree;
    struct compress *gzip;
    struct out bytes; /* drained to gzip */
    struct out inner, line;
    uint32_t *texts; /* by name: 1 + its number in the table of strings */
    uint32_t *names; /* by that number */
    size_t text_count;
};

/* The strings that are not names; the first must be empty. */
static const char *const pprof_words[] = {"", "calls", "count", "wall", "nanoseconds", "samples"};
enum { WORD_COUNT = sizeof pprof_words / sizeof *pprof_words };

static void pprof_event(struct timeline *t, const struct timeline_event *e)
{
    stack_tree_event(&((struct pprof *)t->state)->tree, t, e);
}

/* ---- gzip ------------------------------------------------------------------------------- */

static bool pprof_gzip(struct timeline *t, struct ras_bytes in, bool last)
{
    struct pprof *p = t->state;
    uint8_t room[4096];
    bool done = false;
    do {
        size_t size = compress_step(p->gzip, &in, last, room, sizeof room, &done);
        if (size == SIZE_MAX)
            return false;
        out_bytes(&t->out, room, size);
    } while (in.len || (last && !done));
    return true;
}

static bool pprof_drain(void *user, const uint8_t *bytes, size_t len)
{
    return pprof_gzip(user, (struct ras_bytes){bytes, len}, false);
}

/* ---- messages --------------------------------------------------------------------------- */

static void pprof_type(struct pprof *p, uint64_t type, uint64_t unit)
{
    proto_uint(&p->inner, 1, type);
    proto_uint(&p->inner, 2, unit);
    proto_message(&p->bytes, PROFILE_TYPE, &p->inner);
}

/* A name is a string, a function and a location of the same number. */
static uint64_t pprof_text(struct pprof *p, uint32_t name)
{
    if (!p->texts[name]) {
        p->names[p->text_count++] = name;
        p->texts[name] = (uint32_t)p->text_count;
    }
    return p->texts[name] - 1 + (uint64_t)WORD_COUNT;
}

static void pprof_sample(struct pprof *p, const struct stack_node *n)
{
    const uint64_t values[] = {n->calls, n->self_ns, n->samples};
    if (!n->calls && !n->self_ns && !n->samples)
        return;
    for (const struct stack_node *at = n; at != p->tree.nodes; at = &p->tree.nodes[at->parent])
        proto_varint(&p->line, pprof_text(p, at->name));
    proto_message(&p->inner, SAMPLE_LOCATION, &p->line);
    for (size_t i = 0; i < 3; i++)
        proto_varint(&p->line, values[i]);
    proto_message(&p->inner, SAMPLE_VALUE, &p->line);
    proto_message(&p->bytes, PROFILE_SAMPLE, &p->inner);
}

static void pprof_tables(struct timeline *t)
{
    struct pprof *p = t->state;
    for (size_t i = 0; i < p->text_count; i++) {
        proto_uint(&p->line, LINE_FUNCTION, i + WORD_COUNT);
        proto_uint(&p->inner, 1, i + WORD_COUNT);
        proto_message(&p->inner, LOCATION_LINE, &p->line);
        proto_message(&p->bytes, PROFILE_LOCATION, &p->inner);
        proto_uint(&p->inner, 1, i + WORD_COUNT);
        proto_uint(&p->inner, 2, i + WORD_COUNT);
        proto_message(&p->bytes, PROFILE_FUNCTION, &p->inner);
    }
    for (size_t i = 0; i < WORD_COUNT; i++)
        proto_bytes(&p->bytes, PROFILE_STRING, pprof_words[i], strlen(pprof_words[i]));
    for (size_t i = 0; i < p->text_count; i++) {
        struct timeline_name name = timeline_name(t, p->names[i]);
        proto_bytes(&p->bytes, PROFILE_STRING, name.at, name.len);
    }
    proto_uint(&p->bytes, PROFILE_DEFAULT, t->outcome->slices ? 3 : 5); /* wall, or samples */
}

static int pprof_finish(struct timeline *t, struct ras_error *err)
{
    struct pprof *p = t->state;
    sink_is_packed(t->sink, COMPRESS_GZIP);
    p->gzip = compress_new(COMPRESS_GZIP);
    p->texts = calloc(t->name_count + 1, sizeof *p->texts);
    p->names = calloc(t->name_count + 1, sizeof *p->names);
    if (!p->gzip || !p->texts || !p->names)
        return fail_memory(err);
    p->bytes = (struct out){.drain = pprof_drain, .user = t};
    pprof_type(p, 1, 2);
    pprof_type(p, 3, 4);
    pprof_type(p, 5, 2);
    for (size_t i = 1; i < p->tree.count; i++)
        pprof_sample(p, &p->tree.nodes[i]);
    pprof_tables(t);
    out_flush(&p->bytes);
    bool ok = !p->bytes.failed && pprof_gzip(t, (struct ras_bytes){NULL, 0}, true);
    return ok || t->sink_err.status < 0 ? RAS_OK : fail_memory(err);
}

static void pprof_release(struct timeline *t)
{
    struct pprof *p = t->state;
    stack_tree_free(&p->tree);
    compress_free(p->gzip);
    out_free(&p->bytes);
    out_free(&p->inner);
    out_free(&p->line);
    free(p->texts);
    free(p->names);
}

const struct target pprof_target = {
    .about = {.name = "pprof",
              .about = "profile.proto with calls, own time and samples: pprof, speedscope",
              .extension = ".pb.gz",
              .kind = RAS_EXPORT_TIMELINE,
              .is_binary = true},
    .timeline = &(const struct timeline_writer){.state_size = sizeof(struct pprof),
                                                .event = pprof_event,
                                                .finish = pprof_finish,
                                                .release = pprof_release,
                                                .no_args = true,
                                                .no_flows = true,
                                                .no_counters = true,
                                                .no_instants = true},
};
