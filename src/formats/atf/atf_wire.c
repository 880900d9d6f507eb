/* atf_wire.c - bytes to structures and back; pure, no memory of its own. */
#include "formats/atf/atf_wire.h"

bool ras_atf_index_header_get(struct ras_bytes bytes, struct ras_atf_index_header *out)
{
    if (bytes.len < RAS_ATF_HEADER_SIZE)
        return false;
    const uint8_t *p = bytes.at;
    *out = (struct ras_atf_index_header){
        .endian = p[HEADER_ENDIAN],
        .version = p[HEADER_VERSION],
        .arch = p[HEADER_ARCH],
        .os = p[HEADER_OS],
        .flags = load_u32(p + HEADER_FLAGS),
        .thread_id = load_u32(p + HEADER_THREAD_ID),
        .clock_type = p[INDEX_CLOCK_TYPE],
        .reserved2 = load_u32(p + INDEX_RESERVED2),
        .event_size = load_u32(p + INDEX_EVENT_SIZE),
        .event_count = load_u32(p + INDEX_EVENT_COUNT),
        .events_offset = load_u64(p + INDEX_EVENTS_OFFSET),
        .footer_offset = load_u64(p + INDEX_FOOTER_OFFSET),
        .time_start_ns = load_u64(p + INDEX_TIME_START),
        .time_end_ns = load_u64(p + INDEX_TIME_END),
    };
    memcpy(out->magic, p + HEADER_MAGIC, sizeof out->magic);
    memcpy(out->reserved1, p + INDEX_RESERVED1, sizeof out->reserved1);
    return true;
}

bool ras_atf_index_event_get(struct ras_bytes bytes, struct ras_atf_index_event *out)
{
    if (bytes.len < RAS_ATF_INDEX_EVENT_SIZE)
        return false;
    *out = atf_event(bytes.at);
    return true;
}

bool ras_atf_index_footer_get(struct ras_bytes bytes, struct ras_atf_index_footer *out)
{
    if (bytes.len < RAS_ATF_FOOTER_SIZE)
        return false;
    const uint8_t *p = bytes.at;
    *out = (struct ras_atf_index_footer){
        .checksum = load_u32(p + INDEX_FOOTER_CHECKSUM),
        .event_count = load_u64(p + INDEX_FOOTER_COUNT),
        .time_start_ns = load_u64(p + INDEX_FOOTER_TIME_START),
        .time_end_ns = load_u64(p + INDEX_FOOTER_TIME_END),
        .bytes_written = load_u64(p + INDEX_FOOTER_BYTES),
    };
    memcpy(out->magic, p, sizeof out->magic);
    memcpy(out->reserved, p + INDEX_FOOTER_RESERVED, sizeof out->reserved);
    return true;
}

bool ras_atf_detail_header_get(struct ras_bytes bytes, struct ras_atf_detail_header *out)
{
    if (bytes.len < RAS_ATF_HEADER_SIZE)
        return false;
    const uint8_t *p = bytes.at;
    *out = (struct ras_atf_detail_header){
        .endian = p[HEADER_ENDIAN],
        .version = p[HEADER_VERSION],
        .arch = p[HEADER_ARCH],
        .os = p[HEADER_OS],
        .flags = load_u32(p + HEADER_FLAGS),
        .thread_id = load_u32(p + HEADER_THREAD_ID),
        .reserved1 = load_u32(p + DETAIL_RESERVED1),
        .events_offset = load_u64(p + DETAIL_EVENTS_OFFSET),
        .event_count = load_u64(p + DETAIL_EVENT_COUNT),
        .bytes_length = load_u64(p + DETAIL_BYTES_LENGTH),
        .index_seq_start = load_u64(p + DETAIL_SEQ_START),
        .index_seq_end = load_u64(p + DETAIL_SEQ_END),
    };
    memcpy(out->magic, p + HEADER_MAGIC, sizeof out->magic);
    memcpy(out->padding, p + DETAIL_PADDING, sizeof out->padding);
    return true;
}

bool ras_atf_detail_footer_get(struct ras_bytes bytes, struct ras_atf_detail_footer *out)
{
    if (bytes.len < RAS_ATF_FOOTER_SIZE)
        return false;
    const uint8_t *p = bytes.at;
    *out = (struct ras_atf_detail_footer){
        .checksum = load_u32(p + DETAIL_FOOTER_CHECKSUM),
        .event_count = load_u64(p + DETAIL_FOOTER_COUNT),
        .bytes_length = load_u64(p + DETAIL_FOOTER_BYTES),
        .time_start_ns = load_u64(p + DETAIL_FOOTER_TIME_START),
        .time_end_ns = load_u64(p + DETAIL_FOOTER_TIME_END),
    };
    memcpy(out->magic, p, sizeof out->magic);
    memcpy(out->reserved, p + DETAIL_FOOTER_RESERVED, sizeof out->reserved);
    return true;
}

bool ras_atf_detail_event_get(struct ras_bytes bytes, struct ras_atf_detail_event *out)
{
    if (bytes.len < RAS_ATF_DETAIL_EVENT_SIZE)
        return false;
    const uint8_t *p = bytes.at;
    uint32_t length = load_u32(p + RECORD_TOTAL_LENGTH);
    if (length < RAS_ATF_DETAIL_EVENT_SIZE || length > bytes.len)
        return false;
    *out = (struct ras_atf_detail_event){
        .total_length = length,
        .event_type = load_u16(p + RECORD_EVENT_TYPE),
        .flags = load_u16(p + RECORD_FLAGS),
        .index_seq = load_u32(p + RECORD_INDEX_SEQ),
        .thread_id = load_u32(p + RECORD_THREAD_ID),
        .timestamp = load_u64(p + RECORD_TIMESTAMP),
        .payload = {p + RECORD_PAYLOAD, length - RECORD_PAYLOAD},
    };
    return true;
}

static void regs_get(struct ras_atf_payload *out, const uint8_t *p)
{
    for (unsigned i = 0; i < 8; i++)
        out->x_regs[i] = load_u64(p + 8 * i);
    out->lr = load_u64(p + 64);
    out->fp = load_u64(p + 72);
    out->sp = load_u64(p + 80);
}
_Static_assert(PAYLOAD_LR - PAYLOAD_X_REGS == 64 && PRODUCTION_LR - PRODUCTION_REGS == 64 &&
                   PAYLOAD_SP - PAYLOAD_X_REGS == 80 && PRODUCTION_SP - PRODUCTION_REGS == 80,
               "registers have the same layout in both forms");

static bool is_spec(struct ras_bytes b)
{
    return b.len >= PAYLOAD_STACK && b.len - PAYLOAD_STACK == load_u16(b.at + PAYLOAD_STACK_SIZE);
}

/* 516 bytes are also a specified payload with a stack of 416, above the 256 that the
 * specification allows; the copied structure repeats the event's timestamp. */
static bool detail_is_production(const struct ras_atf_detail_event *event)
{
    struct ras_bytes b = event->payload;
    return b.len == RAS_ATF_PRODUCTION_SIZE &&
           (!is_spec(b) || load_u64(b.at + PRODUCTION_TIMESTAMP) == event->timestamp);
}

static void spec_get(struct ras_atf_payload *out, struct ras_bytes b)
{
    out->form = RAS_ATF_SPEC;
    out->function_id = load_u64(b.at + PAYLOAD_FUNCTION_ID);
    regs_get(out, b.at + PAYLOAD_X_REGS);
    out->stack_size = load_u16(b.at + PAYLOAD_STACK_SIZE);
    out->reserved = load_u16(b.at + PAYLOAD_RESERVED);
    out->stack = (struct ras_bytes){b.at + PAYLOAD_STACK, out->stack_size};
}

static void production_get(struct ras_atf_payload *out, const uint8_t *p)
{
    out->form = RAS_ATF_PRODUCTION;
    out->timestamp = load_u64(p + PRODUCTION_TIMESTAMP);
    out->function_id = load_u64(p + PRODUCTION_FUNCTION_ID);
    out->os_thread_id = load_u32(p + PRODUCTION_THREAD_ID);
    out->event_kind = load_u32(p + PRODUCTION_KIND);
    out->call_depth = load_u32(p + PRODUCTION_CALL_DEPTH);
    regs_get(out, p + PRODUCTION_REGS);
    out->stack_size = load_u32(p + PRODUCTION_STACK_SIZE);
    size_t kept = out->stack_size < PRODUCTION_STACK_ROOM ? out->stack_size : PRODUCTION_STACK_ROOM;
    out->stack = (struct ras_bytes){p + PRODUCTION_STACK, kept};
}

enum ras_atf_form ras_atf_payload_get(const struct ras_atf_detail_event *event,
                                      enum ras_atf_form form, struct ras_atf_payload *out)
{
    *out = (struct ras_atf_payload){.form = RAS_ATF_OPAQUE};
    struct ras_bytes b = event->payload;
    if (form == RAS_ATF_PRODUCTION ? b.len == RAS_ATF_PRODUCTION_SIZE
                                   : form == RAS_ATF_OPAQUE && detail_is_production(event))
        production_get(out, b.at);
    else if (form != RAS_ATF_PRODUCTION && is_spec(b))
        spec_get(out, b);
    return out->form;
}

/* ---- names -------------------------------------------------------------- */

const char *ras_atf_register(unsigned arch, unsigned event_type, unsigned slot)
{
    /* The x86_64 tracer reuses the eight slots for its own calling convention. */
    static const char *const x86_64[8] = {"rdi", "rsi", "rdx", "rcx", "r8", "r9", "rbp", "rsp"};
    static const char *const arm64[8] = {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"};
    if (slot >= 8)
        return NULL;
    if (arch == RAS_ATF_X86_64)
        return slot == 0 && event_type == RAS_ATF_FUNCTION_RETURN ? "rax" : x86_64[slot];
    return arch == RAS_ATF_ARM64 ? arm64[slot] : NULL;
}

const char *ras_atf_arch_name(unsigned arch)
{
    static const char *const names[] = {NULL, "x86_64", "arm64"};
    return arch < sizeof names / sizeof *names ? names[arch] : NULL;
}

const char *ras_atf_os_name(unsigned os)
{
    static const char *const names[] = {NULL, "ios", "android", "macos", "linux", "windows"};
    return os < sizeof names / sizeof *names ? names[os] : NULL;
}

const char *ras_atf_clock_name(unsigned clock_type)
{
    static const char *const names[] = {NULL, "mach_continuous", "qpc", "boottime"};
    return clock_type < sizeof names / sizeof *names ? names[clock_type] : NULL;
}

const char *ras_atf_kind_name(unsigned event_kind)
{
    static const char *const names[] = {NULL, "CALL", "RETURN", "EXCEPTION"};
    return event_kind < sizeof names / sizeof *names ? names[event_kind] : NULL;
}

const char *ras_atf_type_name(unsigned event_type)
{
    if (event_type == RAS_ATF_FUNCTION_CALL)
        return "FUNCTION_CALL";
    return event_type == RAS_ATF_FUNCTION_RETURN ? "FUNCTION_RETURN" : NULL;
}

/* ---- lanes --------------------------------------------------------------------------- */

bool atf_ring_counts(struct ras_bytes lane)
{
    return lane.len >= RING_HEADER_SIZE && !memcmp(lane.at + RING_MAGIC, ATF_RING_MAGIC, 8);
}

bool atf_ring_is(struct ras_bytes lane)
{
    return atf_ring_counts(lane) ||
           (lane.len >= RING_OLD_HEADER_SIZE && !memcmp(lane.at + RING_MAGIC, ATF_RING_OLD, 8));
}

const char *atf_reason(uint64_t number)
{
    static const char *const names[] = {"ring_full",    "reentrant", "no_memory",
                                        "write_failed", "file_full", "outside_window",
                                        "refused",      "too_short", "abandoned"};
    return number < sizeof names / sizeof *names ? names[number] : "not_told";
}

/* ---- structures to bytes ------------------------------------------------------------- */

static void put_identity(uint8_t *p, const uint8_t magic[4], const uint8_t codes[4], uint32_t flags,
                         uint32_t thread_id)
{
    store_bytes(p + HEADER_MAGIC, magic, 4);
    store_bytes(p + HEADER_ENDIAN, codes, 4);
    store_u32(p + HEADER_FLAGS, flags);
    store_u32(p + HEADER_THREAD_ID, thread_id);
}
_Static_assert(HEADER_VERSION == HEADER_ENDIAN + 1 && HEADER_ARCH == HEADER_ENDIAN + 2 &&
                   HEADER_OS == HEADER_ENDIAN + 3,
               "four codes of a byte each");

void ras_atf_index_header_put(const struct ras_atf_index_header *h, void *to)
{
    uint8_t *p = to;
    put_identity(p, h->magic, (uint8_t[]){h->endian, h->version, h->arch, h->os}, h->flags,
                 h->thread_id);
    store_u8(p + INDEX_CLOCK_TYPE, h->clock_type);
    store_bytes(p + INDEX_RESERVED1, h->reserved1, sizeof h->reserved1);
    store_u32(p + INDEX_RESERVED2, h->reserved2);
    store_u32(p + INDEX_EVENT_SIZE, h->event_size);
    store_u32(p + INDEX_EVENT_COUNT, h->event_count);
    store_u64(p + INDEX_EVENTS_OFFSET, h->events_offset);
    store_u64(p + INDEX_FOOTER_OFFSET, h->footer_offset);
    store_u64(p + INDEX_TIME_START, h->time_start_ns);
    store_u64(p + INDEX_TIME_END, h->time_end_ns);
}

void ras_atf_index_event_put(const struct ras_atf_index_event *e, void *to)
{
    atf_event_put(e, e->detail_seq, to);
}

void ras_atf_index_footer_put(const struct ras_atf_index_footer *f, void *to)
{
    uint8_t *p = to;
    store_bytes(p, f->magic, sizeof f->magic);
    store_u32(p + INDEX_FOOTER_CHECKSUM, f->checksum);
    store_u64(p + INDEX_FOOTER_COUNT, f->event_count);
    store_u64(p + INDEX_FOOTER_TIME_START, f->time_start_ns);
    store_u64(p + INDEX_FOOTER_TIME_END, f->time_end_ns);
    store_u64(p + INDEX_FOOTER_BYTES, f->bytes_written);
    store_bytes(p + INDEX_FOOTER_RESERVED, f->reserved, sizeof f->reserved);
}

void ras_atf_detail_header_put(const struct ras_atf_detail_header *h, void *to)
{
    uint8_t *p = to;
    put_identity(p, h->magic, (uint8_t[]){h->endian, h->version, h->arch, h->os}, h->flags,
                 h->thread_id);
    store_u32(p + DETAIL_RESERVED1, h->reserved1);
    store_u64(p + DETAIL_EVENTS_OFFSET, h->events_offset);
    store_u64(p + DETAIL_EVENT_COUNT, h->event_count);
    store_u64(p + DETAIL_BYTES_LENGTH, h->bytes_length);
    store_u64(p + DETAIL_SEQ_START, h->index_seq_start);
    store_u64(p + DETAIL_SEQ_END, h->index_seq_end);
    store_bytes(p + DETAIL_PADDING, h->padding, sizeof h->padding);
}

void ras_atf_detail_footer_put(const struct ras_atf_detail_footer *f, void *to)
{
    uint8_t *p = to;
    store_bytes(p, f->magic, sizeof f->magic);
    store_u32(p + DETAIL_FOOTER_CHECKSUM, f->checksum);
    store_u64(p + DETAIL_FOOTER_COUNT, f->event_count);
    store_u64(p + DETAIL_FOOTER_BYTES, f->bytes_length);
    store_u64(p + DETAIL_FOOTER_TIME_START, f->time_start_ns);
    store_u64(p + DETAIL_FOOTER_TIME_END, f->time_end_ns);
    store_bytes(p + DETAIL_FOOTER_RESERVED, f->reserved, sizeof f->reserved);
}

bool ras_atf_detail_event_put(const struct ras_atf_detail_event *d, void *to, size_t room)
{
    if (d->total_length < RAS_ATF_DETAIL_EVENT_SIZE || room < d->total_length ||
        d->total_length - RAS_ATF_DETAIL_EVENT_SIZE != d->payload.len)
        return false;
    atf_detail_put(d, to);
    store_bytes((uint8_t *)to + RECORD_PAYLOAD, d->payload.at, d->payload.len);
    return true;
}

/* ---- payloads -------------------------------------------------------------- */

static void put_regs(uint8_t *p, const struct ras_atf_payload *payload)
{
    for (unsigned i = 0; i < 8; i++)
        p = store_u64(p, payload->x_regs[i]);
    store_u64(store_u64(store_u64(p, payload->lr), payload->fp), payload->sp);
}

static void put_spec(uint8_t *p, const struct ras_atf_payload *payload)
{
    store_u64(p + PAYLOAD_FUNCTION_ID, payload->function_id);
    put_regs(p + PAYLOAD_X_REGS, payload);
    store_u16(p + PAYLOAD_STACK_SIZE, (uint16_t)payload->stack.len);
    store_u16(p + PAYLOAD_RESERVED, payload->reserved);
    store_bytes(p + PAYLOAD_STACK, payload->stack.at, payload->stack.len);
}

static void put_production(uint8_t *p, const struct ras_atf_payload *payload)
{
    memset(p, 0, PRODUCTION_END);
    store_u64(p + PRODUCTION_TIMESTAMP, payload->timestamp);
    store_u64(p + PRODUCTION_FUNCTION_ID, payload->function_id);
    store_u32(p + PRODUCTION_THREAD_ID, payload->os_thread_id);
    store_u32(p + PRODUCTION_KIND, payload->event_kind);
    store_u32(p + PRODUCTION_CALL_DEPTH, payload->call_depth);
    put_regs(p + PRODUCTION_REGS, payload);
    store_bytes(p + PRODUCTION_STACK, payload->stack.at, payload->stack.len);
    store_u32(p + PRODUCTION_STACK_SIZE, payload->stack_size);
}

bool ras_atf_payload_put(const struct ras_atf_payload *payload, void *to, size_t room, size_t *size)
{
    bool spec = payload->form == RAS_ATF_SPEC;
    if (!spec && payload->form != RAS_ATF_PRODUCTION)
        return false;
    if (payload->stack.len > (spec ? (size_t)RAS_ATF_STACK_MAX : (size_t)PRODUCTION_STACK_ROOM))
        return false;
    *size = spec ? PAYLOAD_STACK + payload->stack.len : (size_t)PRODUCTION_END;
    if (room < *size)
        return true;
    if (spec)
        put_spec(to, payload);
    else
        put_production(to, payload);
    return true;
}
