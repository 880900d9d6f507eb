/* dial9_again_test.c - decode, encode, decode: nothing changes; in every golden, and for
 * random schemas with values at their extremes.
 *
 *   dial9_again_test GOLDENS */
#include "../unit/again.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>

enum { ROUNDS = 400, FIELDS = 12, EVENTS = 24, NAME = 16 };

static unsigned failures;

static void wrong(const char *what, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void wrong(const char *what, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    printf("%s: ", what);
    vprintf(fmt, args);
    printf("\n");
    va_end(args);
    failures++;
}

/* ---- two streams, frame by frame ---------------------------------------------------- */

struct side {
    struct ras_dial9 *reader;
    struct ras_dial9_frame frame;
    int status;
};

static bool same_value(const struct side *a, const struct ras_dial9_value *x, const struct side *b,
                       const struct ras_dial9_value *y)
{
    struct ras_dial9_items from_a = ras_dial9_items(a->reader, x);
    struct ras_dial9_items from_b = ras_dial9_items(b->reader, y);
    struct ras_dial9_value m, n;
    if (x->type != y->type || x->count != y->count || from_a.left != from_b.left)
        return false;
    if (x->type == RAS_DIAL9_STRING || x->type == RAS_DIAL9_BYTES)
        return !x->count || !memcmp(x->at, y->at, x->count);
    if (!from_a.type)
        return x->u == y->u;
    while (ras_dial9_next_item(&from_a, &m))
        if (!ras_dial9_next_item(&from_b, &n) || !same_value(a, &m, b, &n))
            return false;
    return true;
}

static bool same_schema(const struct ras_dial9_schema *a, const struct ras_dial9_schema *b)
{
    bool same = !strcmp(a->name, b->name) && a->field_count == b->field_count &&
                a->has_timestamp == b->has_timestamp;
    for (unsigned i = 0; i < a->field_count && same; i++)
        same =
            !strcmp(a->fields[i].name, b->fields[i].name) && a->fields[i].type == b->fields[i].type;
    return same;
}

static bool same_frame(const struct side *a, const struct side *b)
{
    const struct ras_dial9_frame *x = &a->frame, *y = &b->frame;
    if (x->tag != y->tag || x->batch != y->batch || x->type_id != y->type_id)
        return false;
    switch (x->tag) {
    case RAS_DIAL9_HEADER:
        return x->version == y->version;
    case RAS_DIAL9_SCHEMA:
        return same_schema(x->registered.schema, y->registered.schema) &&
               x->registered.again == y->registered.again;
    case RAS_DIAL9_EVENT: {
        const struct ras_dial9_schema *schema = x->event.schema;
        bool same = same_schema(schema, y->event.schema) &&
                    (!schema->has_timestamp || x->event.time_ns == y->event.time_ns);
        for (unsigned i = 0; i < schema->field_count && same; i++)
            same = same_value(a, &x->event.values[i], b, &y->event.values[i]);
        return same;
    }
    default: /* pools and annotations have one way to be stored, but for a varint */
        return x->entries.left == y->entries.left &&
               x->entries.end - x->entries.at == y->entries.end - y->entries.at &&
               !memcmp(x->entries.at, y->entries.at, (size_t)(x->entries.end - x->entries.at));
    }
}

/* Resets are the encoder's own. */
static void next_of(struct side *side)
{
    do
        side->status = ras_dial9_next(side->reader, &side->frame, NULL);
    while (side->status == RAS_OK && side->frame.tag == RAS_DIAL9_TIMESTAMP_RESET);
}

static void compare(const char *what, struct ras_bytes before, struct ras_bytes after)
{
    struct side a = {0}, b = {0};
    if (ras_dial9_open(&a.reader, before.at, before.len, NULL, NULL) < 0 ||
        ras_dial9_open(&b.reader, after.at, after.len, NULL, NULL) < 0) {
        wrong(what, "does not open");
    } else {
        do {
            next_of(&a);
            next_of(&b);
            if (a.status != b.status || (a.status == RAS_OK && !same_frame(&a, &b))) {
                wrong(what, "differs at %llu, now %llu", (unsigned long long)a.frame.offset,
                      (unsigned long long)b.frame.offset);
                break;
            }
        } while (a.status == RAS_OK);
    }
    ras_dial9_close(a.reader);
    ras_dial9_close(b.reader);
}

/* ---- goldens -------------------------------------------------------------------------- */

/* Encoded again, it has the same content; encoded once more, the same bytes. */
static void check_stream(const char *what, struct ras_bytes bytes)
{
    struct ras_dial9_writer *w, *twice;
    struct ras_error err;
    if (ras_dial9_writer_open(&w, NULL, NULL, NULL) < 0 ||
        ras_dial9_writer_open(&twice, NULL, NULL, NULL) < 0)
        abort();
    if (again(w, bytes.at, bytes.len, RAS_DIAL9_FULL, &err) != RAS_END) {
        wrong(what, "%s", err.text);
    } else {
        struct ras_bytes once = ras_dial9_writer_bytes(w), more;
        compare(what, bytes, once);
        int status = again(twice, once.at, once.len, RAS_DIAL9_FULL, &err);
        more = ras_dial9_writer_bytes(twice);
        if (status != RAS_END || more.len != once.len || memcmp(more.at, once.at, once.len))
            wrong(what, "encoded twice it has other bytes");
    }
    if (ras_dial9_writer_close(w, NULL) < 0 || ras_dial9_writer_close(twice, NULL) < 0)
        abort();
}

/* Whether a verification found nothing: a writer refuses what strict readers refuse. */
static bool is_valid(const char *path)
{
    struct ras_trace *t;
    struct ras_report *report;
    bool valid = false;
    if (ras_open(&t, path, &(struct ras_options){.format = "dial9"}, NULL) < 0)
        return false;
    if (ras_verify(&report, t, &(struct ras_verify_options){.strict = true}, NULL) == RAS_OK) {
        valid = true;
        for (size_t i = 0; i < report->finding_count; i++) {
            const struct ras_finding *f = &report->findings[i];
            if (strcmp(f->rule->id, "dial9.pool.dangling") &&
                strcmp(f->rule->id, "dial9.optional.flag") &&
                strcmp(f->rule->id, "dial9.schema.flag"))
                valid &= f->severity != RAS_ERROR && strcmp(f->rule->id, "dial9.annotation.field");
            if (!strcmp(f->rule->id, "dial9.schema.names") && strstr(f->text, "NUL"))
                valid = false; /* names are C text for a writer */
        }
        ras_report_free(report);
    }
    valid &= !ras_wrapping(t);
    ras_close(t);
    return valid;
}

static unsigned check_goldens(const char *folder)
{
    DIR *dir = opendir(folder);
    unsigned count = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[4096];
        const char *dot = strrchr(e->d_name, '.');
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (!dot || strcmp(dot, ".trc") || !is_valid(path))
            continue;
        FILE *file = fopen(path, "rb");
        static uint8_t bytes[1 << 22];
        size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
        if (file)
            fclose(file);
        check_stream(e->d_name, (struct ras_bytes){bytes, size});
        count++;
    }
    if (dir)
        closedir(dir);
    return count;
}

/* ---- random values ---------------------------------------------------------------------- */

static uint64_t seed = 1;

static uint64_t dice(uint64_t sides)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33 ^ seed >> 13) % sides;
}

/* At, below and above each power of two; and the ends. */
static uint64_t extreme(void)
{
    switch (dice(4)) {
    case 0:
        return dice(3);
    case 1:
        return UINT64_MAX - dice(3);
    default:
        return (UINT64_C(1) << dice(64)) + dice(3) - 1;
    }
}

struct heap {
    void *blocks[20000];
    size_t count;
};

static void *keep(struct heap *heap, size_t size)
{
    void *block = malloc(size + 1);
    if (!block || heap->count == sizeof heap->blocks / sizeof *heap->blocks)
        abort();
    return heap->blocks[heap->count++] = block;
}

static void release(struct heap *heap)
{
    while (heap->count)
        free(heap->blocks[--heap->count]);
}

static struct ras_dial9_value random_value(struct heap *heap, unsigned type, unsigned depth);

static struct ras_dial9_value random_span(struct heap *heap, unsigned type)
{
    static const char *const texts[] = {"", "a", "\xc3\xa9", "\xef\xbb\xbf", "\xf4\x8f\xbf\xbf"};
    struct ras_dial9_value value = {.type = (uint8_t)type};
    uint32_t count = (uint32_t)(dice(8) ? dice(20) : dice(3000));
    uint8_t *at = keep(heap, count * 8u);
    value.at = at;
    value.count = count;
    if (type == RAS_DIAL9_STRING) {
        const char *text = texts[dice(5)];
        value.count = (uint32_t)strlen(text);
        memcpy(at, text, value.count < count ? value.count : 0);
        value.count = value.count < count ? value.count : 0;
        return value;
    }
    for (uint32_t i = 0; i < count * (type == RAS_DIAL9_STACK_FRAMES ? 8 : 1); i++)
        at[i] = (uint8_t)dice(256);
    return value;
}

static struct ras_dial9_value random_container(struct heap *heap, unsigned type, unsigned depth)
{
    uint32_t count = (uint32_t)dice(depth ? 5 : 1);
    size_t items = count * (type == RAS_DIAL9_DYNAMIC_LIST ? 1u : 2u);
    struct ras_dial9_value *made = keep(heap, items * sizeof *made);
    for (size_t i = 0; i < items; i++)
        made[i] = random_value(
            heap, type == RAS_DIAL9_STRING_MAP ? RAS_DIAL9_STRING : 1 + (unsigned)dice(15),
            depth - 1);
    return ras_dial9_made((enum ras_dial9_type)type, made, count);
}

static struct ras_dial9_value random_value(struct heap *heap, unsigned type, unsigned depth)
{
    struct ras_dial9_value value = {.type = (uint8_t)type, .u = extreme()};
    switch (type) {
    case RAS_DIAL9_BOOL:
        value.u &= 1;
        return value;
    case RAS_DIAL9_U8:
        value.u &= UINT8_MAX;
        return value;
    case RAS_DIAL9_U16:
        value.u &= UINT16_MAX;
        return value;
    case RAS_DIAL9_U32:
    case RAS_DIAL9_POOLED_STRING:
    case RAS_DIAL9_POOLED_STACK_FRAMES:
        value.u &= UINT32_MAX;
        return value;
    case RAS_DIAL9_STRING:
    case RAS_DIAL9_BYTES:
    case RAS_DIAL9_STACK_FRAMES:
        return random_span(heap, type);
    case RAS_DIAL9_STRING_MAP:
    case RAS_DIAL9_DYNAMIC_LIST:
    case RAS_DIAL9_DYNAMIC_MAP:
        return random_container(heap, type, depth);
    default:
        return value;
    }
}

struct given {
    uint64_t time_ns;
    struct ras_dial9_value values[FIELDS];
};

/* A container that was built against stored bytes. */
static bool arrived(const struct side *side, const struct ras_dial9_value *given,
                    const struct ras_dial9_value *stored)
{
    struct ras_dial9_items items = ras_dial9_items(side->reader, stored);
    struct ras_dial9_value item;
    if (given->type != stored->type || given->count != stored->count)
        return false;
    if (given->made != 1) {
        struct ras_dial9_value copy = *given;
        size_t size = given->count * (given->type == RAS_DIAL9_STACK_FRAMES ? 8u : 1u);
        bool span = given->type == RAS_DIAL9_STRING || given->type == RAS_DIAL9_BYTES ||
                    given->type == RAS_DIAL9_STACK_FRAMES;
        return span ? !size || !memcmp(copy.at, stored->at, size)
                    : given->type == 0 || copy.u == stored->u;
    }
    for (size_t i = 0; ras_dial9_next_item(&items, &item); i++)
        if (!arrived(side, &given->items[i], &item))
            return false;
    return true;
}

static void read_back(const char *what, struct ras_bytes bytes,
                      const struct ras_dial9_schema *schema, const struct given *given)
{
    struct side side = {0};
    unsigned n = 0;
    if (ras_dial9_open(&side.reader, bytes.at, bytes.len, NULL, NULL) < 0) {
        wrong(what, "does not open");
        return;
    }
    for (next_of(&side); side.status == RAS_OK; next_of(&side)) {
        if (side.frame.tag != RAS_DIAL9_EVENT)
            continue;
        const struct ras_dial9_event *event = &side.frame.event;
        bool good = n < EVENTS && same_schema(event->schema, schema) &&
                    (!schema->has_timestamp || event->time_ns == given[n].time_ns);
        for (unsigned i = 0; good && i < schema->field_count; i++)
            good = arrived(&side, &given[n].values[i], &event->values[i]);
        if (!good)
            wrong(what, "event %u is not what was written", n);
        n++;
    }
    if (side.status != RAS_END || n != EVENTS)
        wrong(what, "%u events and status %d", n, side.status);
    ras_dial9_close(side.reader);
}

static void random_round(unsigned round)
{
    static struct heap heap;
    static struct given given[EVENTS];
    struct ras_dial9_field fields[FIELDS];
    struct ras_dial9_schema schema = {"Random", fields, (uint16_t)dice(FIELDS + 1), dice(4)};
    struct ras_dial9_writer_options options = {.room = 64};
    char names[FIELDS][NAME], what[32];
    struct ras_dial9_writer *w;
    struct ras_sink *sink;
    struct ras_error err;
    uint16_t id;
    snprintf(what, sizeof what, "round %u", round);
    for (unsigned i = 0; i < schema.field_count; i++) {
        snprintf(names[i], NAME, "f%u", i);
        unsigned type = 1 + (unsigned)dice(15);
        fields[i] = (struct ras_dial9_field){names[i], (uint8_t)(type | dice(2) << 7)};
    }
    if (ras_sink_memory(&sink, &err) < 0 || ras_dial9_writer_open(&w, sink, &options, &err) < 0 ||
        ras_dial9_writer_schema(w, &schema, &id, &err) < 0)
        abort();
    for (unsigned n = 0; n < EVENTS; n++) {
        given[n].time_ns = n && dice(2) ? given[n - 1].time_ns + dice(1 << 25) : extreme();
        for (unsigned i = 0; i < schema.field_count; i++) {
            bool absent = fields[i].type & RAS_DIAL9_OPTIONAL && dice(2);
            given[n].values[i] = random_value(&heap, fields[i].type & 0x7fu, 4);
            if (absent)
                given[n].values[i] = (struct ras_dial9_value){0};
        }
        if (ras_dial9_writer_event(w, id, given[n].time_ns, given[n].values, schema.field_count,
                                   &err) < 0)
            wrong(what, "%s", err.text);
    }
    if (ras_dial9_writer_close(w, &err) < 0)
        abort();
    read_back(what, ras_sink_bytes(sink), &schema, given);
    check_stream(what, ras_sink_bytes(sink));
    ras_sink_drop(sink);
    release(&heap);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    unsigned count = check_goldens(argv[1]);
    if (count < 20)
        wrong(argv[1], "only %u goldens were encoded again", count);
    for (unsigned round = 0; round < ROUNDS; round++)
        random_round(round);
    return failures > 0;
}
