/* atf_build.c - a session out of values: events, their details, and names.
 *
 * Rows come thread by thread as cat prints them, or in any order by hand. Links are taken
 * as they are given; a detail without one belongs to the event of its thread before it. */
#include "formats/atf/atf_build.h"
#include "base/memory.h"
#include "formats/atf/atf_driver.h"
#include "formats/atf/atf_wire.h"
#include "formats/atf/atf_write.h"

#include <stdlib.h>

struct made_thread {
    uint32_t id;
    struct ras_atf_writer *writer;
    bool waiting; /* the last event: a detail of it may follow */
    struct ras_atf_index_event event;
    uint32_t depth; /* of calls, where rows do not tell it */
    unsigned arch;  /* of its details; 0: not known yet */
};

struct maker {
    struct ras_atf_session_writer *session;
    struct made_thread *threads;
    size_t count, room, last;
    unsigned arch; /* as the header says; 0: not said */
    struct atf_names names;
};

/* ---- values ------------------------------------------------------------------------ */

static int get_number(const struct json_row *row, const char *field, uint64_t max, uint64_t usual,
                      uint64_t *value, struct ras_error *err)
{
    *value = usual;
    return row && row_find(row, field) ? row_uint(row, field, max, value, err) : RAS_OK;
}

static int get_u32(const struct json_row *row, const char *field, uint32_t usual, uint32_t *value,
                   struct ras_error *err)
{
    uint64_t wide;
    int status = get_number(row, field, UINT32_MAX, usual, &wide, err);
    *value = (uint32_t)wide;
    return status;
}

/* A code by its number or its name. */
static int get_code(const struct json_row *row, const char *field, const char *(*name)(unsigned),
                    uint32_t *code, struct ras_error *err)
{
    const struct ras_value *v = row ? row_find(row, field) : NULL;
    *code = 0;
    if (!v || v->kind != RAS_STR)
        return get_u32(row, field, 0, code, err);
    for (unsigned i = 0; i < 16; i++)
        if (name(i) && !strcmp(name(i), v->at)) {
            *code = i;
            return RAS_OK;
        }
    return get_u32(row, field, 0, code, err);
}

static int get_text(const struct json_row *row, const char *field, struct ras_bytes *text,
                    struct ras_error *err)
{
    *text = (struct ras_bytes){(const uint8_t *)"", 0};
    return row_find(row, field) ? row_text(row, field, text, err) : RAS_OK;
}

/* ---- threads ----------------------------------------------------------------------- */

static void put_code(struct document *d, const char *field, const char *name, unsigned code)
{
    document_name(d, field);
    if (name)
        document_text(d, name, strlen(name));
    else
        document_uint(d, code);
}

static void header(struct ras_trace *t, struct document *d)
{
    struct ras_atf_thread thread;
    if (ras_atf_thread_at(ras_atf_session(t), 0, &thread, NULL) < 0 || !thread.has_index)
        return;
    const struct ras_atf_index_header *h = &thread.index.header;
    put_code(d, "arch", ras_atf_arch_name(h->arch), h->arch);
    put_code(d, "os", ras_atf_os_name(h->os), h->os);
    put_code(d, "clock_type", ras_atf_clock_name(h->clock_type), h->clock_type);
}

static int begin(struct build *b, const struct json_row *row, struct ras_error *err)
{
    struct maker *m = b->priv;
    struct ras_atf_session_options options = {0};
    uint32_t arch, os, clock = 0;
    int status = get_code(row, "arch", ras_atf_arch_name, &arch, err);
    if (status == RAS_OK)
        status = get_code(row, "os", ras_atf_os_name, &os, err);
    if (status == RAS_OK)
        status = get_code(row, "clock_type", ras_atf_clock_name, &clock, err);
    if (status < 0)
        return status;
    m->arch = arch;
    options.header.arch = (uint8_t)arch;
    options.header.os = (uint8_t)os;
    options.header.clock_type = (uint8_t)clock;
    return ras_atf_session_writer_open(&m->session, b->folder, &options, err);
}

static int thread_of(struct maker *m, const struct json_row *row, struct made_thread **out,
                     struct ras_error *err)
{
    uint32_t id;
    int status = get_u32(row, "thread_id", row->stream, &id, err);
    if (status < 0)
        return status;
    id = row->has_stream ? row->stream : id;
    for (size_t n = 0; n < m->count; n++) {
        *out = &m->threads[(m->last + n) % m->count];
        if ((*out)->id == id) {
            m->last = (size_t)(*out - m->threads);
            return RAS_OK;
        }
    }
    if (!array_grow(&m->threads, &m->room, m->count + 1, sizeof *m->threads))
        return fail_memory(err);
    *out = &m->threads[m->last = m->count++];
    **out = (struct made_thread){.id = id, .arch = m->arch};
    return ras_atf_session_writer_thread(m->session, id, &(*out)->writer, err);
}

static int settle(struct made_thread *t, struct ras_error *err)
{
    uint8_t bytes[RAS_ATF_INDEX_EVENT_SIZE];
    if (!t->waiting)
        return RAS_OK;
    t->waiting = false;
    ras_atf_index_event_put(&t->event, bytes);
    return ras_atf_writer_append(t->writer, bytes, 1, err);
}

/* ---- events ------------------------------------------------------------------------ */

/* By its number; where there is none, by its name and that of its module. */
static int get_function(struct maker *m, const struct json_row *row, uint64_t *id,
                        struct ras_error *err)
{
    struct ras_bytes name, module;
    int status = get_text(row, "function", &name, err);
    if (status == RAS_OK)
        status = get_text(row, "module", &module, err);
    if (status < 0)
        return status;
    if (!row_find(row, "function_id")) {
        if (!name.len)
            return row_fail(row, "function_id", err, "is missing, and so is `function`");
        return atf_names_id(&m->names, module, name, id) ? RAS_OK : fail_memory(err);
    }
    status = row_uint(row, "function_id", UINT64_MAX, id, err);
    if (status < 0)
        return status;
    bool kept = (!module.len || atf_names_module(&m->names, (uint32_t)(*id >> 32), module)) &&
                (!name.len || atf_names_symbol(&m->names, *id, name));
    return kept ? RAS_OK : fail_memory(err);
}

static int put_event(struct maker *m, const struct json_row *row, struct ras_error *err)
{
    struct made_thread *t;
    struct ras_atf_index_event e = {0};
    int status = thread_of(m, row, &t, err);
    if (status == RAS_OK)
        status = settle(t, err);
    if (status == RAS_OK && !row_find(row, "timestamp_ns") && !row->has_time)
        status = row_fail(row, "timestamp_ns", err, "is missing");
    if (status == RAS_OK)
        status = get_number(row, "timestamp_ns", UINT64_MAX, row->time_ns, &e.timestamp_ns, err);
    if (status == RAS_OK)
        status = get_function(m, row, &e.function_id, err);
    if (status == RAS_OK)
        status = get_u32(row, "thread_id", t->id, &e.thread_id, err);
    if (status == RAS_OK && !row_find(row, "event_kind"))
        status = row_fail(row, "event_kind", err, "is missing");
    if (status == RAS_OK)
        status = get_code(row, "event_kind", ras_atf_kind_name, &e.event_kind, err);
    if (status < 0)
        return status;
    bool call = e.event_kind == RAS_ATF_CALL;
    t->depth += call;
    status = get_u32(row, "call_depth", t->depth, &e.call_depth, err);
    t->depth -= !call && t->depth;
    if (status == RAS_OK)
        status = get_u32(row, "detail_seq", RAS_ATF_NO_DETAIL, &e.detail_seq, err);
    t->waiting = status == RAS_OK;
    t->event = e;
    return status;
}

/* ---- details ----------------------------------------------------------------------- */

static int get_registers(const struct json_row *row, unsigned arch, unsigned type,
                         struct ras_atf_payload *p, struct ras_error *err)
{
    int status = RAS_OK;
    for (unsigned i = 0; status == RAS_OK && i < 8; i++)
        status = get_number(row, ras_atf_register(arch, RAS_ATF_FUNCTION_CALL, i), UINT64_MAX, 0,
                            &p->x_regs[i], err);
    if (status == RAS_OK && type == RAS_ATF_FUNCTION_RETURN)
        status = get_number(row, ras_atf_register(arch, type, 0), UINT64_MAX, p->x_regs[0],
                            &p->x_regs[0], err);
    if (status == RAS_OK)
        status = get_number(row, "lr", UINT64_MAX, 0, &p->lr, err);
    if (status == RAS_OK)
        status = get_number(row, "fp", UINT64_MAX, 0, &p->fp, err);
    return status == RAS_OK ? get_number(row, "sp", UINT64_MAX, 0, &p->sp, err) : status;
}

/* The payload as bytes, or made of its fields: a number of the system's for the thread is
 * only in the public tracer's form. */
static int get_payload(const struct json_row *row, const struct made_thread *t, unsigned arch,
                       struct ras_atf_detail_event *d, struct ras_error *err)
{
    struct ras_atf_payload p = {.form = RAS_ATF_SPEC, .timestamp = d->timestamp};
    if (row_find(row, "payload"))
        return row_bytes(row, "payload", &d->payload, err);
    int status =
        get_number(row, "function_id", UINT64_MAX, t->event.function_id, &p.function_id, err);
    if (status == RAS_OK)
        status = get_registers(row, arch, d->event_type, &p, err);
    if (status == RAS_OK && row_find(row, "stack"))
        status = row_bytes(row, "stack", &p.stack, err);
    if (status == RAS_OK && row_find(row, "os_thread_id")) {
        p.form = RAS_ATF_PRODUCTION;
        p.stack_size = (uint32_t)p.stack.len;
        status = get_u32(row, "os_thread_id", 0, &p.os_thread_id, err);
        if (status == RAS_OK)
            status = get_u32(row, "event_kind", t->event.event_kind, &p.event_kind, err);
        if (status == RAS_OK)
            status = get_u32(row, "call_depth", t->event.call_depth, &p.call_depth, err);
    }
    if (status < 0)
        return status;
    uint8_t *to = arena_take(row->arena, RAS_ATF_PRODUCTION_SIZE);
    if (!to)
        return fail_memory(err);
    d->payload.at = to;
    if (!ras_atf_payload_put(&p, to, RAS_ATF_PRODUCTION_SIZE, &d->payload.len))
        return row_fail(row, "stack", err, "of %zu bytes is longer than the form allows",
                        p.stack.len);
    return RAS_OK;
}

/* A detail that names no event is that of the one before it, which links to it. */
static int get_link(struct made_thread *t, const struct json_row *row,
                    struct ras_atf_detail_event *d, struct ras_error *err)
{
    uint64_t events = ras_atf_writer_events(t->writer);
    if (row_find(row, "index_seq"))
        return get_u32(row, "index_seq", 0, &d->index_seq, err);
    if (!t->waiting)
        return row_fail(row, "index_seq", err, "is missing, and there is no event before it");
    d->index_seq = (uint32_t)events;
    t->event.detail_seq = (uint32_t)ras_atf_writer_details(t->writer);
    return RAS_OK;
}

static bool names_registers_of(const struct json_row *row, unsigned arch)
{
    bool found = row_find(row, ras_atf_register(arch, RAS_ATF_FUNCTION_RETURN, 0));
    for (unsigned i = 0; i < 8 && !found; i++)
        found = row_find(row, ras_atf_register(arch, RAS_ATF_FUNCTION_CALL, i));
    return found;
}

/* The architecture is that of the registers that the row names: the machine that builds the
 * session may be another one. A thread has one architecture. */
static int get_arch(struct made_thread *t, const struct json_row *row, unsigned *arch,
                    struct ras_error *err)
{
    unsigned named = 0;
    for (unsigned i = RAS_ATF_X86_64; i <= RAS_ATF_ARM64; i++) {
        if (!names_registers_of(row, i))
            continue;
        if ((named && named != i) || (t->arch && t->arch != i))
            return row_fail(row, ras_atf_register(i, RAS_ATF_FUNCTION_CALL, 0), err,
                            "and the like are registers of %s, the thread is %s",
                            ras_atf_arch_name(i), ras_atf_arch_name(named ? named : t->arch));
        named = i;
    }
    if (named)
        t->arch = atf_writer_arch(t->writer, named);
    *arch = atf_writer_arch(t->writer, 0);
    return RAS_OK;
}

static int put_detail(struct maker *m, const struct json_row *row, struct ras_error *err)
{
    struct made_thread *t;
    struct ras_atf_detail_event d = {0};
    uint64_t type, flags = 0;
    int status = thread_of(m, row, &t, err);
    if (status < 0)
        return status;
    unsigned arch = 0;
    status = get_arch(t, row, &arch, err);
    if (status < 0)
        return status;
    unsigned usual =
        t->event.event_kind == RAS_ATF_RETURN ? RAS_ATF_FUNCTION_RETURN : RAS_ATF_FUNCTION_CALL;
    status = get_number(row, "event_type", UINT16_MAX, usual, &type, err);
    if (status == RAS_OK)
        status = get_number(row, "flags", UINT16_MAX, 0, &flags, err);
    if (status == RAS_OK)
        status = get_u32(row, "thread_id", t->id, &d.thread_id, err);
    uint64_t time = row->has_time ? row->time_ns : t->event.timestamp_ns;
    if (status == RAS_OK)
        status = get_number(row, "timestamp", UINT64_MAX, time, &d.timestamp, err);
    if (status == RAS_OK)
        status = get_link(t, row, &d, err);
    d.event_type = (uint16_t)type;
    d.flags = (uint16_t)flags;
    if (status == RAS_OK)
        status = get_payload(row, t, arch, &d, err);
    if (status < 0)
        return status;
    if (d.payload.len > UINT32_MAX - RAS_ATF_DETAIL_EVENT_SIZE)
        return row_fail(row, "payload", err, "of %zu bytes is too long", d.payload.len);
    d.total_length = RAS_ATF_DETAIL_EVENT_SIZE + (uint32_t)d.payload.len;
    uint8_t *bytes = arena_take(row->arena, d.total_length);
    if (!bytes || !ras_atf_detail_event_put(&d, bytes, d.total_length))
        return fail_memory(err);
    return ras_atf_writer_append_details(t->writer, bytes, d.total_length, err);
}

/* ---- names ------------------------------------------------------------------------- */

static int put_module(struct maker *m, const struct json_row *row, struct ras_error *err)
{
    uint64_t id;
    struct ras_bytes path, uuid;
    int status = row_uint(row, "module_id", UINT32_MAX, &id, err);
    if (status == RAS_OK)
        status = get_text(row, "path", &path, err);
    if (status == RAS_OK)
        status = get_text(row, "uuid", &uuid, err);
    if (status < 0)
        return status;
    struct ras_atf_module *module = atf_names_module(&m->names, (uint32_t)id, path);
    char *copy = module ? arena_take(&m->names.texts, uuid.len + 1) : NULL;
    if (!copy)
        return fail_memory(err);
    memcpy(copy, uuid.at, uuid.len);
    copy[uuid.len] = 0;
    module->uuid = copy;
    module->has_address = row_find(row, "base_address");
    module->has_size = row_find(row, "size");
    status = get_number(row, "base_address", UINT64_MAX, 0, &module->base_address, err);
    return status == RAS_OK ? get_number(row, "size", UINT64_MAX, 0, &module->size, err) : status;
}

static int put_function(struct maker *m, const struct json_row *row, struct ras_error *err)
{
    uint64_t id;
    struct ras_bytes name;
    int status = row_uint(row, "function_id", UINT64_MAX, &id, err);
    if (status == RAS_OK)
        status = row_text(row, "name", &name, err);
    if (status < 0)
        return status;
    return atf_names_symbol(&m->names, id, name) ? RAS_OK : fail_memory(err);
}

/* ---- the whole --------------------------------------------------------------------- */

static int put(struct build *b, const struct json_row *row, struct ras_error *err)
{
    struct maker *m = b->priv;
    struct made_thread *t;
    if (!strcmp(row->type, "event"))
        return put_event(m, row, err);
    if (!strcmp(row->type, "detail"))
        return put_detail(m, row, err);
    if (!strcmp(row->type, "module"))
        return put_module(m, row, err);
    if (!strcmp(row->type, "function"))
        return put_function(m, row, err);
    if (!strcmp(row->type, "thread"))
        return thread_of(m, row, &t, err);
    if (strcmp(row->type, "span") != 0)
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "line %" PRIu64 ": a session has no records of type %s", row->line, row->type);
    build_note(b, "spans are not written: they are made of events");
    return RAS_OK;
}

static int end(struct build *b, struct ras_error *err)
{
    struct maker *m = b->priv;
    struct ras_atf_writer *w;
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < m->count; i++)
        status = settle(&m->threads[i], err);
    if (status == RAS_OK && !m->count) /* without a thread it is no session */
        status = ras_atf_session_writer_thread(m->session, 0, &w, err);
    const struct ras_atf_manifest names = {.modules = m->names.modules,
                                           .module_count = m->names.module_count,
                                           .symbols = m->names.symbols,
                                           .symbol_count = m->names.symbol_count};
    return status < 0 ? status : ras_atf_session_writer_finalize(m->session, &names, err);
}

static void stop(struct build *b)
{
    struct maker *m = b->priv;
    (void)!ras_atf_session_writer_close(m->session, NULL);
    free(m->threads);
    atf_names_free(&m->names);
}

const struct build_ops atf_build = {
    .header = header,
    .targets = (const char *const[]){"spec", "production", NULL},
    .types = (const char *const[]){"event", "detail", "function", "module", "span", "thread", NULL},
    .schemas =
        (const struct ras_schema *const[]){
            &atf_event_schema, &atf_span_schema, &atf_thread_schema, &atf_function_schema,
            &atf_module_schema, &atf_detail_schemas[CPU_X86_64], &atf_detail_schemas[CPU_OTHER],
            &atf_joined_schemas[CPU_X86_64], &atf_joined_schemas[CPU_OTHER], NULL},
    .size = sizeof(struct maker),
    .to_folder = true,
    .begin = begin,
    .put = put,
    .end = end,
    .stop = stop,
};
