/* atf_build.c - builds a session from rows: events, their details, and names.
 *
 * Rows come thread by thread as cat prints them, or in any order. Links are taken as they are
 * given; a detail without one belongs to the event of its thread before it. */
#include <rastrum/atf.h>
#include "core/format.h"
#include "base/id_table.h"
#include "base/memory.h"
#include "codec/fnv1a.h"
#include "core/row.h"
#include "formats/atf/atf_driver.h"
#include "formats/atf/atf_wire.h"
#include "formats/atf/atf_write.h"

#include <stdlib.h>

/* Functions by id and by name; modules by id. */
struct atf_names {
    struct ras_atf_module *modules;
    struct ras_atf_symbol *symbols;
    size_t module_count, module_room, symbol_count, symbol_room;
    struct id_table by_id, by_name; /* by_name: hashes of module and name */
    struct arena texts;
};

static void names_free(struct atf_names *n)
{
    free(n->modules);
    free(n->symbols);
    id_table_free(&n->by_id);
    id_table_free(&n->by_name);
    arena_free(&n->texts);
}

static const char *keep(struct atf_names *n, struct ras_bytes text)
{
    char *copy = arena_take(&n->texts, text.len + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text.at, text.len);
    copy[text.len] = 0;
    return copy;
}

/* ---- names --------------------------------------------------------------------------- */

static uint64_t name_hash(uint32_t module, const void *name, size_t len)
{
    return fnv1a_bytes(fnv1a_bytes(FNV1A_START, &module, sizeof module), name, len);
}

/* The function of this name; ID_TABLE_NONE: there is none, and *hash is free for it. */
static uint32_t names_find(const struct atf_names *n, uint32_t module, struct ras_bytes name,
                           uint64_t *hash)
{
    uint32_t found;
    *hash = name_hash(module, name.at, name.len);
    for (; (found = id_table_find(&n->by_name, *hash)) != ID_TABLE_NONE; ++*hash) {
        const struct ras_atf_symbol *s = &n->symbols[found];
        if (s->module_id == module && s->name_len == name.len &&
            !memcmp(s->name, name.at, name.len))
            break;
    }
    return found;
}

/* Names the function of this id, unless it has a name. False: no memory. */
static bool names_symbol(struct atf_names *n, uint64_t function_id, struct ras_bytes name)
{
    uint32_t module = (uint32_t)(function_id >> 32), index = (uint32_t)n->symbol_count;
    uint64_t hash;
    if (id_table_find(&n->by_id, function_id) != ID_TABLE_NONE)
        return true;
    if (n->symbol_count >= UINT32_MAX / 4 || name.len > UINT32_MAX ||
        !array_grow(&n->symbols, &n->symbol_room, n->symbol_count + 1, sizeof *n->symbols))
        return false;
    const char *copy = keep(n, name);
    if (!copy || !id_table_add(&n->by_id, function_id, index) ||
        (names_find(n, module, name, &hash) == ID_TABLE_NONE &&
         !id_table_add(&n->by_name, hash, index)))
        return false;
    n->symbols[n->symbol_count++] = (struct ras_atf_symbol){.function_id = function_id,
                                                            .module_id = module,
                                                            .symbol_index = (uint32_t)function_id,
                                                            .name = copy,
                                                            .name_len = (uint32_t)name.len};
    return true;
}

/* Modules are few, and mostly the last one is used again. */
static struct ras_atf_module *names_module(struct atf_names *n, uint32_t module_id,
                                           struct ras_bytes path)
{
    for (size_t i = n->module_count; i-- > 0;)
        if (n->modules[i].module_id == module_id)
            return &n->modules[i];
    const char *copy =
        array_grow(&n->modules, &n->module_room, n->module_count + 1, sizeof *n->modules)
            ? keep(n, path)
            : NULL;
    if (!copy)
        return NULL;
    n->modules[n->module_count] =
        (struct ras_atf_module){.module_id = module_id, .path = copy, .uuid = ""};
    return &n->modules[n->module_count++];
}

/* The 32-bit hash of the path in lower case, never 0. */
static uint32_t module_number(struct ras_bytes path)
{
    uint32_t hash = UINT32_C(2166136261);
    for (size_t i = 0; i < path.len; i++) {
        uint8_t c = path.at[i];
        hash = (hash ^ (c >= 'A' && c <= 'Z' ? c + 32u : c)) * UINT32_C(16777619);
    }
    return hash ? hash : UINT32_C(0x9e3779b9);
}

/* The id of a function that is known by name only: as the public tracer numbers them, by
 * a hash of the module's path and the order of appearance. False: no memory. */
static bool names_id(struct atf_names *n, struct ras_bytes module, struct ras_bytes name,
                     uint64_t *function_id)
{
    uint32_t number = module_number(module);
    uint64_t hash;
    uint32_t found = names_find(n, number, name, &hash);
    if (found != ID_TABLE_NONE) {
        *function_id = n->symbols[found].function_id;
        return true;
    }
    struct ras_atf_module *m = names_module(n, number, module);
    /* `offset` counts the functions of a module that is being added. */
    *function_id = (uint64_t)number << 32 | (m ? ++m->offset : 0);
    return m && names_symbol(n, *function_id, name);
}

/* ---- rows ---------------------------------------------------------------------------- */

struct made_thread {
    uint32_t id;
    struct ras_atf_writer *writer;
    bool waiting; /* the last event: a detail of it may follow */
    struct ras_atf_index_event event;
    uint32_t depth; /* call depth, where rows do not give it */
    unsigned arch;  /* of its details; 0: not known yet */
};

struct maker {
    struct ras_atf_session_writer *session;
    struct made_thread *threads;
    size_t count, room, last;
    unsigned arch; /* as the header says; 0: not given */
    struct atf_names names;
};

/* A code by its number or its name. */
static uint32_t get_code(struct row_get *g, const char *field, const char *(*name)(unsigned))
{
    const struct ras_value *v = g->row ? row_find(g->row, field) : NULL;
    for (unsigned i = 0; v && v->kind == RAS_STR && i < 16; i++)
        if (name(i) && !strcmp(name(i), v->at))
            return i;
    return row_get_u32_or(g, field, 0);
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

static int build_begin(struct build *b, const struct json_row *row, struct ras_error *err)
{
    struct maker *m = b->priv;
    struct ras_atf_session_options options = {0};
    struct row_get g = {row, err, RAS_OK};
    m->arch = get_code(&g, "arch", ras_atf_arch_name);
    options.header.arch = (uint8_t)m->arch;
    options.header.os = (uint8_t)get_code(&g, "os", ras_atf_os_name);
    options.header.clock_type = (uint8_t)get_code(&g, "clock_type", ras_atf_clock_name);
    if (g.status < 0)
        return g.status;
    return ras_atf_session_writer_open(&m->session, b->folder, &options, err);
}

static int thread_of(struct maker *m, const struct json_row *row, struct made_thread **out,
                     struct ras_error *err)
{
    struct row_get g = {row, err, RAS_OK};
    uint32_t id = row_get_u32_or(&g, "thread_id", row->stream);
    if (g.status < 0)
        return g.status;
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

/* The function by its id; without one, by its name and that of its module. */
static uint64_t get_function(struct maker *m, struct row_get *g)
{
    struct ras_bytes name = row_get_text_or_none(g, "function");
    struct ras_bytes module = row_get_text_or_none(g, "module");
    bool numbered = row_has(g, "function_id"), kept;
    if (!numbered && !name.len)
        row_get_fail(g, "function_id", "is missing, and so is `function`");
    uint64_t id = row_get_u64_or(g, "function_id", 0);
    if (g->status < 0)
        return 0;
    if (numbered)
        kept = (!module.len || names_module(&m->names, (uint32_t)(id >> 32), module)) &&
               (!name.len || names_symbol(&m->names, id, name));
    else
        kept = names_id(&m->names, module, name, &id);
    if (!kept)
        row_get_nomem(g);
    return id;
}

static int build_event(struct maker *m, const struct json_row *row, struct ras_error *err)
{
    struct made_thread *t;
    struct ras_atf_index_event e = {0};
    struct row_get g = {row, err, thread_of(m, row, &t, err)};
    if (g.status == RAS_OK)
        g.status = settle(t, err);
    if (g.status < 0)
        return g.status;
    if (!row_has(&g, "timestamp_ns") && !row->has_time)
        row_get_fail(&g, "timestamp_ns", "is missing");
    e.timestamp_ns = row_get_u64_or(&g, "timestamp_ns", row->time_ns);
    e.function_id = get_function(m, &g);
    e.thread_id = row_get_u32_or(&g, "thread_id", t->id);
    if (!row_has(&g, "event_kind"))
        row_get_fail(&g, "event_kind", "is missing");
    e.event_kind = get_code(&g, "event_kind", ras_atf_kind_name);
    if (g.status < 0)
        return g.status;
    bool call = e.event_kind == RAS_ATF_CALL;
    t->depth += call;
    e.call_depth = row_get_u32_or(&g, "call_depth", t->depth);
    t->depth -= !call && t->depth;
    e.detail_seq = row_get_u32_or(&g, "detail_seq", RAS_ATF_NO_DETAIL);
    t->waiting = g.status == RAS_OK;
    t->event = e;
    return g.status;
}

/* ---- details ----------------------------------------------------------------------- */

static void get_registers(struct row_get *g, unsigned arch, unsigned type,
                          struct ras_atf_payload *p)
{
    for (unsigned i = 0; i < 8; i++)
        p->x_regs[i] = row_get_u64_or(g, ras_atf_register(arch, RAS_ATF_FUNCTION_CALL, i), 0);
    if (type == RAS_ATF_FUNCTION_RETURN)
        p->x_regs[0] = row_get_u64_or(g, ras_atf_register(arch, type, 0), p->x_regs[0]);
    p->lr = row_get_u64_or(g, "lr", 0);
    p->fp = row_get_u64_or(g, "fp", 0);
    p->sp = row_get_u64_or(g, "sp", 0);
}

/* The payload as bytes, or built from its fields: the thread id of the operating system exists
 * only in the public tracer's form. */
static struct ras_bytes get_payload(struct row_get *g, const struct made_thread *t, unsigned arch,
                                    const struct ras_atf_detail_event *d)
{
    struct ras_atf_payload p = {.form = RAS_ATF_SPEC, .timestamp = d->timestamp};
    struct ras_bytes bytes = {0};
    if (row_has(g, "payload"))
        return row_get_bytes(g, "payload");
    p.function_id = row_get_u64_or(g, "function_id", t->event.function_id);
    get_registers(g, arch, d->event_type, &p);
    p.stack = row_get_bytes_or_none(g, "stack");
    if (row_has(g, "os_thread_id")) {
        p.form = RAS_ATF_PRODUCTION;
        p.stack_size = (uint32_t)p.stack.len;
        p.os_thread_id = row_get_u32_or(g, "os_thread_id", 0);
        p.event_kind = row_get_u32_or(g, "event_kind", t->event.event_kind);
        p.call_depth = row_get_u32_or(g, "call_depth", t->event.call_depth);
    }
    if (g->status < 0)
        return bytes;
    uint8_t *to = arena_take(g->row->arena, RAS_ATF_PRODUCTION_SIZE);
    bytes.at = to;
    if (!to)
        row_get_nomem(g);
    else if (!ras_atf_payload_put(&p, to, RAS_ATF_PRODUCTION_SIZE, &bytes.len))
        row_get_fail(g, "stack", "of %zu bytes is longer than the form allows", p.stack.len);
    return bytes;
}

/* A detail that names no event belongs to the event before it, which links to it. */
static uint32_t get_link(struct made_thread *t, struct row_get *g)
{
    if (row_has(g, "index_seq"))
        return row_get_u32(g, "index_seq");
    if (!t->waiting)
        row_get_fail(g, "index_seq", "is missing, and there is no event before it");
    if (g->status == RAS_OK)
        t->event.detail_seq = (uint32_t)ras_atf_writer_details(t->writer);
    return (uint32_t)ras_atf_writer_events(t->writer);
}

static bool names_registers_of(const struct json_row *row, unsigned arch)
{
    bool found = row_find(row, ras_atf_register(arch, RAS_ATF_FUNCTION_RETURN, 0));
    for (unsigned i = 0; i < 8 && !found; i++)
        found = row_find(row, ras_atf_register(arch, RAS_ATF_FUNCTION_CALL, i));
    return found;
}

/* The architecture follows from the registers that the row names: the machine that builds the
 * session may have another one. A thread has one architecture. */
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

static int build_detail(struct maker *m, const struct json_row *row, struct ras_error *err)
{
    struct made_thread *t;
    struct ras_atf_detail_event d = {0};
    unsigned arch = 0;
    struct row_get g = {row, err, thread_of(m, row, &t, err)};
    if (g.status == RAS_OK)
        g.status = get_arch(t, row, &arch, err);
    if (g.status < 0)
        return g.status;
    unsigned usual =
        t->event.event_kind == RAS_ATF_RETURN ? RAS_ATF_FUNCTION_RETURN : RAS_ATF_FUNCTION_CALL;
    uint64_t time = row->has_time ? row->time_ns : t->event.timestamp_ns;
    d.event_type = (uint16_t)row_get_uint_or(&g, "event_type", UINT16_MAX, usual);
    d.flags = (uint16_t)row_get_uint_or(&g, "flags", UINT16_MAX, 0);
    d.thread_id = row_get_u32_or(&g, "thread_id", t->id);
    d.timestamp = row_get_u64_or(&g, "timestamp", time);
    d.index_seq = get_link(t, &g);
    d.payload = get_payload(&g, t, arch, &d);
    if (g.status < 0)
        return g.status;
    if (d.payload.len > UINT32_MAX - RAS_ATF_DETAIL_EVENT_SIZE)
        return row_fail(row, "payload", err, "of %zu bytes is too long", d.payload.len);
    d.total_length = RAS_ATF_DETAIL_EVENT_SIZE + (uint32_t)d.payload.len;
    uint8_t *bytes = arena_take(row->arena, d.total_length);
    if (!bytes || !ras_atf_detail_event_put(&d, bytes, d.total_length))
        return fail_memory(err);
    return ras_atf_writer_append_details(t->writer, bytes, d.total_length, err);
}

/* ---- names ------------------------------------------------------------------------- */

static int build_module(struct maker *m, const struct json_row *row, struct ras_error *err)
{
    struct row_get g = {row, err, RAS_OK};
    uint32_t id = row_get_u32(&g, "module_id");
    struct ras_bytes path = row_get_text_or_none(&g, "path");
    struct ras_bytes uuid = row_get_text_or_none(&g, "uuid");
    if (g.status < 0)
        return g.status;
    struct ras_atf_module *module = names_module(&m->names, id, path);
    char *copy = module ? arena_take(&m->names.texts, uuid.len + 1) : NULL;
    if (!copy)
        return fail_memory(err);
    memcpy(copy, uuid.at, uuid.len);
    copy[uuid.len] = 0;
    module->uuid = copy;
    module->has_address = row_has(&g, "base_address");
    module->has_size = row_has(&g, "size");
    module->base_address = row_get_u64_or(&g, "base_address", 0);
    module->size = row_get_u64_or(&g, "size", 0);
    return g.status;
}

static int put_function(struct maker *m, const struct json_row *row, struct ras_error *err)
{
    struct row_get g = {row, err, RAS_OK};
    uint64_t id = row_get_u64(&g, "function_id");
    struct ras_bytes name = row_get_text(&g, "name");
    if (g.status < 0)
        return g.status;
    return names_symbol(&m->names, id, name) ? RAS_OK : fail_memory(err);
}

/* ---- the whole --------------------------------------------------------------------- */

static int put(struct build *b, const struct json_row *row, struct ras_error *err)
{
    struct maker *m = b->priv;
    struct made_thread *t;
    if (!strcmp(row->type, "event"))
        return build_event(m, row, err);
    if (!strcmp(row->type, "detail"))
        return build_detail(m, row, err);
    if (!strcmp(row->type, "module"))
        return build_module(m, row, err);
    if (!strcmp(row->type, "function"))
        return put_function(m, row, err);
    if (!strcmp(row->type, "thread"))
        return thread_of(m, row, &t, err);
    if (strcmp(row->type, "span") != 0)
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "line %" PRIu64 ": a session has no records of type %s", row->line, row->type);
    build_note(b, "spans are not written: they are derived from events");
    return RAS_OK;
}

static int build_end(struct build *b, struct ras_error *err)
{
    struct maker *m = b->priv;
    struct ras_atf_writer *w;
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < m->count; i++)
        status = settle(&m->threads[i], err);
    if (status == RAS_OK && !m->count) /* a session needs a thread */
        status = ras_atf_session_writer_thread(m->session, 0, &w, err);
    const struct ras_atf_manifest names = {.modules = m->names.modules,
                                           .module_count = m->names.module_count,
                                           .symbols = m->names.symbols,
                                           .symbol_count = m->names.symbol_count};
    return status < 0 ? status : ras_atf_session_writer_finalize(m->session, &names, err);
}

static void build_stop(struct build *b)
{
    struct maker *m = b->priv;
    (void)!ras_atf_session_writer_close(m->session, NULL);
    free(m->threads);
    names_free(&m->names);
}

const struct build_ops atf_build = {
    .header = header,
    .targets = (const char *const[]){"spec", "production", NULL},
    .types = (const char *const[]){"event", "detail", "function", "module", "span", "thread", NULL},
    .schemas =
        (const struct ras_schema *const[]){
            &atf_event_schema, &atf_span_schema, &atf_thread_schema, &atf_function_schema,
            &atf_module_schema, &atf_detail_schemas[CPU_X86_64], &atf_detail_schemas[CPU_OTHER],
            &atf_joined_schemas[CPU_X86_64], &atf_joined_schemas[CPU_OTHER], &atf_sourced_schema,
            NULL},
    .size = sizeof(struct maker),
    .to_folder = true,
    .begin = build_begin,
    .put = put,
    .end = build_end,
    .stop = build_stop,
};
