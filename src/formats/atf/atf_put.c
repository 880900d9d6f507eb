/* atf_put.c - structures to bytes; pure, no memory of its own. */
#include "formats/atf/atf_wire.h"

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
