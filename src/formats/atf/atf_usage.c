/* atf_usage.c - the bytes of a session by record type and field. */
#include "formats/atf/atf_driver.h"
#include "ops/du/usage.h"

struct books {
    struct ras_atf_session *session;
    struct usage *usage;
    uint32_t part, stream;
};

static void book(const struct books *b, const char *kind, const char *name, const char *field,
                 uint64_t records, uint64_t bytes)
{
    if (bytes || records)
        usage_add(b->usage, &(struct booking){.kind = kind,
                                              .name = name,
                                              .field = field,
                                              .records = records,
                                              .raw = bytes,
                                              .part = b->part,
                                              .stream = b->stream,
                                              .frame = RAS_NONE});
}

static void book_events(const struct books *b, uint64_t count)
{
    static const struct {
        const char *name;
        unsigned size;
    } fields[] = {
        {"timestamp_ns", 8}, {"function_id", 8}, {"thread_id", 4},
        {"event_kind", 4},   {"call_depth", 4},  {"detail_seq", 4},
    };
    if (!usage_by_field(b->usage)) {
        book(b, "type", "event", NULL, count, count * RAS_ATF_INDEX_EVENT_SIZE);
        return;
    }
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        book(b, "type", "event", fields[i].name, count, count * fields[i].size);
}

static unsigned field_named(const struct ras_schema *schema, const char *name)
{
    unsigned i = 0;
    while (i + 1u < schema->field_count && strcmp(schema->fields[i].name, name) != 0)
        i++;
    return i;
}

static void add_field(uint64_t *sums, const struct ras_schema *schema, const char *name,
                      uint64_t bytes)
{
    sums[field_named(schema, name)] += bytes;
}

/* Adds the fields of one payload; the rest of it is framing. */
static void sum_payload(uint64_t *sums, const struct ras_schema *schema, enum atf_cpu cpu,
                        const struct ras_atf_detail_event *e, const struct ras_atf_payload *p)
{
    if (p->form == RAS_ATF_OPAQUE) {
        add_field(sums, schema, "payload", e->payload.len);
        return;
    }
    unsigned arch = cpu == CPU_X86_64 ? RAS_ATF_X86_64 : RAS_ATF_ARM64;
    add_field(sums, schema, "function_id", 8);
    for (unsigned i = 0; i < 8; i++)
        add_field(sums, schema, ras_atf_register(arch, e->event_type, i), 8);
    add_field(sums, schema, "lr", 8);
    add_field(sums, schema, "fp", 8);
    add_field(sums, schema, "sp", 8);
    add_field(sums, schema, "stack", p->stack.len);
    if (p->form == RAS_ATF_PRODUCTION) {
        add_field(sums, schema, "os_thread_id", 4);
        add_field(sums, schema, "event_kind", 4);
        add_field(sums, schema, "call_depth", 4);
    }
}

static void book_fields(const struct books *b, struct atf_thread *t, enum ras_atf_form form)
{
    enum atf_cpu cpu = atf_cpu_of(b->session, t);
    const struct ras_schema *schema = &atf_detail_schemas[cpu];
    struct ras_bytes bytes = source_bytes(b->session->source, (size_t)t->detail_file.part);
    uint64_t sums[DETAIL_FIELDS_MAX] = {0}, count = 0, named = 0, at = t->detail.at;
    struct ras_atf_detail_event e;
    struct ras_atf_payload payload;
    while (ras_atf_detail_step(&t->detail, bytes, &at, &e) == RAS_OK) {
        count++;
        ras_atf_payload_get(&e, form, &payload);
        sum_payload(sums, schema, cpu, &e, &payload);
    }
    add_field(sums, schema, "event_type", 2 * count);
    add_field(sums, schema, "flags", 2 * count);
    add_field(sums, schema, "index_seq", 4 * count);
    add_field(sums, schema, "thread_id", 4 * count);
    add_field(sums, schema, "timestamp", 8 * count);
    for (unsigned i = 0; i < schema->field_count; i++) {
        book(b, "type", "detail", schema->fields[i].name, sums[i] ? count : 0, sums[i]);
        named += sums[i];
    }
    book(b, "type", "detail", NULL, count, at - t->detail.at - named);
}

static void book_index(struct books *b, struct atf_thread *t)
{
    if (!atf_index_ready(b->session, t))
        return;
    b->part = (uint32_t)t->index_file.part;
    book(b, "header", "header", NULL, 0, RAS_ATF_HEADER_SIZE);
    book_events(b, t->index.count);
    if (t->index.footer_at != RAS_NONE)
        book(b, "header", "footer", NULL, 0, RAS_ATF_FOOTER_SIZE);
}

static void book_details(struct books *b, struct atf_thread *t, enum ras_atf_form form)
{
    if (!atf_detail_ready(b->session, t))
        return;
    b->part = (uint32_t)t->detail_file.part;
    book(b, "header", "header", NULL, 0, RAS_ATF_HEADER_SIZE);
    if (usage_by_field(b->usage)) {
        book_fields(b, t, form);
    } else {
        const struct atf_walk *walk = atf_detail_walk(b->session, t);
        book(b, "type", "detail", NULL, walk->count, walk->end - t->detail.at);
    }
    if (t->detail.footer_at != RAS_NONE)
        book(b, "header", "footer", NULL, 0, RAS_ATF_FOOTER_SIZE);
}

int atf_usage(struct ras_trace *t, struct usage *u, struct ras_error *err)
{
    struct atf *atf = t->priv;
    struct ras_atf_session *s = &atf->session;
    struct books b = {.session = s, .usage = u};
    for (size_t i = 0; i < s->thread_count && !usage_stopped(u); i++) {
        b.stream = s->threads[i].stream;
        book_index(&b, &s->threads[i]);
        book_details(&b, &s->threads[i], atf->form);
    }
    for (size_t i = 0; i < s->process_count; i++)
        if (s->processes[i].manifest_part >= 0) {
            b.part = (uint32_t)s->processes[i].manifest_part;
            book(&b, "header", "manifest.json", NULL, 0, source_stored(s->source, b.part));
        }
    return s->nomem ? fail_memory(err) : RAS_OK;
}
