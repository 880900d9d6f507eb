/* atf_values.c - the record types of ATF: their fields, and the values of each. */
#include "formats/atf/atf_stack.h"

#define COUNT(a) ((uint16_t)(sizeof(a) / sizeof *(a)))

static const char *kind_word(uint64_t kind)
{
    static const char *const words[] = {
        [RAS_ATF_CALL] = "call", [RAS_ATF_RETURN] = "return", [RAS_ATF_EXCEPTION] = "exception"};
    return kind < sizeof words / sizeof *words ? words[kind] : NULL;
}

/* Fields an event has; a joined event begins with them. */
#define EVENT_ROWS                                                                                 \
    {"timestamp_ns", RAS_UINT, 64, RAS_IN_HEAD | RAS_SAME},                                        \
        {"function_id", RAS_UINT, 64, RAS_HEX}, {"thread_id", RAS_UINT, 32, 0},                    \
        {"event_kind", RAS_UINT, 32, 0, kind_word}, {"call_depth", RAS_UINT, 32, 0},               \
        {"detail_seq", RAS_UINT, 32, RAS_NULLABLE}, {"function", RAS_STR, 0, RAS_NULLABLE},        \
    {                                                                                              \
        "module", RAS_STR, 0, RAS_NULLABLE | RAS_PATH                                              \
    }

/* Fields a detail has. Joined to an event, fields whose names the event has too get a prefix,
 * and all of them may be null. */
#define REG(name)                                                                                  \
    {                                                                                              \
        name, RAS_UINT, 64, RAS_NULLABLE | RAS_HEX                                                 \
    }
#define X86_64_ROWS                                                                                \
    REG("rdi"), REG("rsi"), REG("rdx"), REG("rcx"), REG("r8"), REG("r9"), REG("rbp"), REG("rsp"),  \
        REG("rax")
#define OTHER_ROWS                                                                                 \
    REG("x0"), REG("x1"), REG("x2"), REG("x3"), REG("x4"), REG("x5"), REG("x6"), REG("x7")
#define DETAIL_ROWS(prefix, nullable, same, registers)                                             \
    {"event_type", RAS_UINT, 16, nullable}, {"flags", RAS_UINT, 16, nullable},                     \
        {"index_seq", RAS_UINT, 32, nullable}, {prefix "thread_id", RAS_UINT, 32, nullable},       \
        {"timestamp", RAS_UINT, 64, same},                                                         \
        {prefix "function_id", RAS_UINT, 64, RAS_NULLABLE | RAS_HEX}, registers, REG("lr"),        \
        REG("fp"), REG("sp"), {"stack", RAS_BLOB, 0, RAS_NULLABLE},                                \
        {"os_thread_id", RAS_UINT, 32, RAS_NULLABLE},                                              \
        {prefix "event_kind", RAS_UINT, 32, RAS_NULLABLE},                                         \
        {prefix "call_depth", RAS_UINT, 32, RAS_NULLABLE},                                         \
    {                                                                                              \
        "payload", RAS_BLOB, 0, RAS_NULLABLE                                                       \
    }

static const struct ras_field event_fields[EVENT_FIELDS] = {EVENT_ROWS};
static const struct ras_field sourced_fields[] = {EVENT_ROWS,
                                                  {"file", RAS_STR, 0, RAS_NULLABLE | RAS_PATH},
                                                  {"line", RAS_UINT, 32, RAS_NULLABLE}};
static const struct ras_field x86_64_fields[] = {DETAIL_ROWS("", 0, RAS_SAME, X86_64_ROWS)};
static const struct ras_field other_fields[] = {DETAIL_ROWS("", 0, RAS_SAME, OTHER_ROWS)};
_Static_assert(sizeof x86_64_fields <= DETAIL_FIELDS_MAX * sizeof *x86_64_fields, "room for sums");
static const struct ras_field joined_x86_64_fields[] = {
    EVENT_ROWS, DETAIL_ROWS("detail_", RAS_NULLABLE, RAS_NULLABLE, X86_64_ROWS)};
static const struct ras_field joined_other_fields[] = {
    EVENT_ROWS, DETAIL_ROWS("detail_", RAS_NULLABLE, RAS_NULLABLE, OTHER_ROWS)};

static const struct ras_field span_fields[SPAN_FIELDS] = {
    [SPAN_F_START_NS] = {"start_ns", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_END_NS] = {"end_ns", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_DURATION_NS] = {"duration_ns", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_THREAD_ID] = {"thread_id", RAS_UINT, 32, 0},
    [SPAN_F_CALL_DEPTH] = {"call_depth", RAS_UINT, 32, 0},
    [SPAN_F_FUNCTION_ID] = {"function_id", RAS_UINT, 64, RAS_HEX},
    [SPAN_F_FUNCTION] = {"function", RAS_STR, 0, RAS_NULLABLE},
    [SPAN_F_MODULE] = {"module", RAS_STR, 0, RAS_NULLABLE},
    [SPAN_F_CALL_SEQ] = {"call_seq", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_RETURN_SEQ] = {"return_seq", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_REASON] = {"reason", RAS_STR, 0, 0},
    [SPAN_F_SELF_NS] = {"self_ns", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_PARENT_CALL_SEQ] = {"parent_call_seq", RAS_UINT, 64, RAS_NULLABLE},
};

static const struct ras_field thread_fields[] = {
    {"thread_id", RAS_UINT, 32, 0},
    {"process", RAS_STR, 0, RAS_NULLABLE},
    {"event_count", RAS_UINT, 64, RAS_NULLABLE},
    {"detail_count", RAS_UINT, 64, RAS_NULLABLE},
    {"time_start_ns", RAS_UINT, 64, RAS_NULLABLE},
    {"time_end_ns", RAS_UINT, 64, RAS_NULLABLE},
    {"sorted", RAS_BOOL, 0, RAS_NULLABLE},
    {"arch", RAS_STR, 0, RAS_NULLABLE},
    {"os", RAS_STR, 0, RAS_NULLABLE},
    {"clock_type", RAS_STR, 0, RAS_NULLABLE},
    {"counted_by", RAS_STR, 0, RAS_NULLABLE},
};

static const struct ras_field function_fields[] = {
    {"function_id", RAS_UINT, 64, RAS_HEX}, {"name", RAS_STR, 0, 0},
    {"module_id", RAS_UINT, 32, 0},         {"symbol_index", RAS_UINT, 32, 0},
    {"module", RAS_STR, 0, RAS_NULLABLE},
};

static const struct ras_field module_fields[] = {
    {"module_id", RAS_UINT, 32, 0},
    {"path", RAS_STR, 0, 0},
    {"base_address", RAS_UINT, 64, RAS_NULLABLE | RAS_HEX},
    {"size", RAS_UINT, 64, RAS_NULLABLE},
    {"uuid", RAS_STR, 0, RAS_NULLABLE},
};

const struct ras_schema atf_event_schema = {"event", event_fields, EVENT_FIELDS, 0};
const struct ras_schema atf_sourced_schema = {"event", sourced_fields, COUNT(sourced_fields), 0};
const struct ras_schema atf_span_schema = {"span", span_fields, SPAN_FIELDS, RAS_ON_REQUEST};
const struct ras_schema atf_thread_schema = {"thread", thread_fields, COUNT(thread_fields),
                                             RAS_ON_REQUEST};
const struct ras_schema atf_function_schema = {"function", function_fields, COUNT(function_fields),
                                               RAS_ON_REQUEST};
const struct ras_schema atf_module_schema = {"module", module_fields, COUNT(module_fields),
                                             RAS_ON_REQUEST};
const struct ras_schema atf_detail_schemas[CPU_COUNT] = {
    [CPU_X86_64] = {"detail", x86_64_fields, COUNT(x86_64_fields), 0},
    [CPU_OTHER] = {"detail", other_fields, COUNT(other_fields), 0},
};
const struct ras_schema atf_joined_schemas[CPU_COUNT] = {
    [CPU_X86_64] = {"event", joined_x86_64_fields, COUNT(joined_x86_64_fields), 0},
    [CPU_OTHER] = {"event", joined_other_fields, COUNT(joined_other_fields), 0},
};

/* ---- values -------------------------------------------------------------------------- */

const struct view atf_view_all = {.values = true};

/* Puts values field by field; skips fields that are not requested. */
struct putter {
    struct cells *to;
    const struct view *view;
    unsigned field;
};

static bool wants(struct putter *p)
{
    return view_has(p->view, p->field++);
}

static void put_uint(struct putter *p, unsigned bits, uint64_t u)
{
    if (wants(p))
        value_uint(p->to, p->field - 1, bits, u);
}

static void put_maybe(struct putter *p, bool there, unsigned bits, uint64_t u)
{
    if (wants(p))
        value_put(p->to, there ? RAS_UINT : RAS_NULL, bits, p->field - 1, 0, there ? u : 0);
}

static void put_text(struct putter *p, const char *text, size_t len)
{
    if (!wants(p))
        return;
    if (text)
        value_span(p->to, RAS_STR, p->field - 1, text, len);
    else
        value_null(p->to, p->field - 1);
}

static void put_name(struct putter *p, const char *text)
{
    put_text(p, text, text ? strlen(text) : 0);
}

static void put_blob(struct putter *p, bool there, struct ras_bytes bytes)
{
    if (!wants(p))
        return;
    if (there)
        value_span(p->to, RAS_BLOB, p->field - 1, bytes.at, bytes.len);
    else
        value_null(p->to, p->field - 1);
}

/* The names of a function and its module in the manifest. */
static void put_names(struct putter *p, const struct atf_process *process, uint64_t function_id)
{
    const struct ras_atf_symbol *symbol = atf_manifest_symbol(&process->manifest, function_id);
    const struct ras_atf_module *module =
        atf_manifest_module(&process->manifest, (uint32_t)(function_id >> 32));
    put_text(p, symbol ? symbol->name : NULL, symbol ? symbol->name_len : 0);
    put_name(p, module ? module->path : NULL);
}

bool atf_put_event(struct cells *to, const struct view *view, const struct atf_process *process,
                   const struct ras_atf_index_event *e)
{
    if (!cells_room(to, EVENT_FIELDS))
        return false;
    struct putter p = {to, view, 0};
    put_uint(&p, 64, e->timestamp_ns);
    put_uint(&p, 64, e->function_id);
    put_uint(&p, 32, e->thread_id);
    put_uint(&p, 32, e->event_kind);
    put_uint(&p, 32, e->call_depth);
    put_maybe(&p, e->detail_seq != RAS_ATF_NO_DETAIL, 32, e->detail_seq);
    put_names(&p, process, e->function_id);
    return true;
}

bool atf_put_source(struct cells *to, const struct view *view, const struct atf_process *process,
                    uint64_t function_id)
{
    const struct atf_source *source = atf_manifest_source(&process->manifest, function_id);
    struct putter p = {to, view, EVENT_FIELDS};
    if (!cells_room(to, 2))
        return false;
    put_name(&p, source ? source->file : NULL);
    put_maybe(&p, source, 32, source ? source->line : 0);
    return true;
}

static void rename_cell(struct ras_value *v, const char *text, size_t len)
{
    v->kind = text ? RAS_STR : RAS_NULL;
    v->count = (uint32_t)len;
    v->at = text;
}

void atf_rename_event(struct ras_value *function, struct ras_value *module,
                      const struct atf_process *process, uint64_t function_id)
{
    const struct ras_atf_symbol *symbol = atf_manifest_symbol(&process->manifest, function_id);
    const struct ras_atf_module *in =
        atf_manifest_module(&process->manifest, (uint32_t)(function_id >> 32));
    rename_cell(function, symbol ? symbol->name : NULL, symbol ? symbol->name_len : 0);
    rename_cell(module, in ? in->path : NULL, in ? strlen(in->path) : 0);
}

/* On x86_64 slot 0 is rdi of a call and rax of a return; the other one is null. */
static void put_registers(struct putter *p, enum atf_cpu cpu, unsigned event_type, bool known,
                          const struct ras_atf_payload *payload)
{
    bool rax = cpu == CPU_X86_64 && event_type == RAS_ATF_FUNCTION_RETURN;
    put_maybe(p, known && !rax, 64, payload->x_regs[0]);
    for (unsigned i = 1; i < 8; i++)
        put_maybe(p, known, 64, payload->x_regs[i]);
    if (cpu == CPU_X86_64)
        put_maybe(p, known && rax, 64, payload->x_regs[0]);
    put_maybe(p, known, 64, payload->lr);
    put_maybe(p, known, 64, payload->fp);
    put_maybe(p, known, 64, payload->sp);
}

bool atf_put_detail(struct cells *to, const struct view *view, unsigned base, enum atf_cpu cpu,
                    enum ras_atf_form form, const struct ras_atf_detail_event *detail)
{
    if (!cells_room(to, atf_detail_schemas[cpu].field_count))
        return false;
    static const struct ras_atf_detail_event none = {0};
    const struct ras_atf_detail_event *d = detail ? detail : &none;
    struct ras_atf_payload payload = {0};
    if (detail)
        ras_atf_payload_get(detail, form, &payload);
    bool known = payload.form != RAS_ATF_OPAQUE, production = payload.form == RAS_ATF_PRODUCTION;
    struct putter p = {to, view, base};
    put_maybe(&p, detail, 16, d->event_type);
    put_maybe(&p, detail, 16, d->flags);
    put_maybe(&p, detail, 32, d->index_seq);
    put_maybe(&p, detail, 32, d->thread_id);
    put_maybe(&p, detail, 64, d->timestamp);
    put_maybe(&p, known, 64, payload.function_id);
    put_registers(&p, cpu, d->event_type, known, &payload);
    put_blob(&p, known, payload.stack);
    put_maybe(&p, production, 32, payload.os_thread_id);
    put_maybe(&p, production, 32, payload.event_kind);
    put_maybe(&p, production, 32, payload.call_depth);
    put_blob(&p, detail && !known, d->payload);
    return true;
}

bool atf_put_span(struct cells *to, const struct view *view, const struct atf_process *process,
                  const struct ras_atf_span *s, const struct atf_time *time)
{
    if (!cells_room(to, SPAN_FIELDS))
        return false;
    bool start = s->call_seq != RAS_NONE, end = s->return_seq != RAS_NONE;
    struct putter p = {to, view, 0};
    put_maybe(&p, start, 64, s->start_ns);
    put_maybe(&p, end, 64, s->end_ns);
    put_maybe(&p, time->timed, 64, time->took);
    put_uint(&p, 32, s->thread_id);
    put_uint(&p, 32, s->call_depth);
    put_uint(&p, 64, s->function_id);
    put_names(&p, process, s->function_id);
    put_maybe(&p, start, 64, s->call_seq);
    put_maybe(&p, end, 64, s->return_seq);
    put_name(&p, ras_atf_reason_name(s->reason));
    put_maybe(&p, time->timed, 64, time->self);
    put_maybe(&p, time->parent_seq != RAS_NONE, 64, time->parent_seq);
    return true;
}

bool atf_put_thread(struct cells *to, const struct view *view, struct ras_atf_session *s,
                    struct atf_thread *t)
{
    if (!cells_room(to, atf_thread_schema.field_count))
        return false;
    bool index = atf_index_ready(s, t), detail = atf_detail_ready(s, t);
    const struct atf_times *times = index && t->index.count ? atf_times(s, t) : NULL;
    const struct ras_atf_index_header *h = &t->index.header;
    const char *process = s->processes[t->process].name;
    struct putter p = {to, view, 0};
    put_uint(&p, 32, t->thread_id);
    put_name(&p, *process ? process : NULL);
    put_maybe(&p, index, 64, t->index.count);
    put_maybe(&p, detail, 64, detail ? atf_detail_walk(s, t)->count : 0);
    put_maybe(&p, times, 64, times ? times->min : 0);
    put_maybe(&p, times, 64, times ? times->max : 0);
    if (wants(&p))
        value_put(to, times ? RAS_BOOL : RAS_NULL, 0, p.field - 1, 0,
                  times && times->back == RAS_NONE);
    put_name(&p, index ? ras_atf_arch_name(h->arch) : NULL);
    put_name(&p, index ? ras_atf_os_name(h->os) : NULL);
    put_name(&p, index ? ras_atf_clock_name(h->clock_type) : NULL);
    put_name(&p, index ? ras_atf_counted_name(t->index.counted) : NULL);
    return true;
}

bool atf_put_function(struct cells *to, const struct view *view, const struct atf_process *process,
                      const struct ras_atf_symbol *symbol)
{
    if (!cells_room(to, atf_function_schema.field_count))
        return false;
    const struct ras_atf_module *module =
        atf_manifest_module(&process->manifest, symbol->module_id);
    struct putter p = {to, view, 0};
    put_uint(&p, 64, symbol->function_id);
    put_text(&p, symbol->name, symbol->name_len);
    put_uint(&p, 32, symbol->module_id);
    put_uint(&p, 32, symbol->symbol_index);
    put_name(&p, module ? module->path : NULL);
    return true;
}

bool atf_put_module(struct cells *to, const struct view *view, const struct ras_atf_module *m)
{
    if (!cells_room(to, atf_module_schema.field_count))
        return false;
    struct putter p = {to, view, 0};
    put_uint(&p, 32, m->module_id);
    put_name(&p, m->path);
    put_maybe(&p, m->has_address, 64, m->base_address);
    put_maybe(&p, m->has_size, 64, m->size);
    put_name(&p, *m->uuid ? m->uuid : NULL);
    return true;
}
