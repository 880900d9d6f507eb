/* aerogpu_put.c - the structures of AeroGPU traces to bytes. */
#include "base/error.h"
#include "base/out.h"
#include "codec/json_write.h"
#include "codec/utf8.h"
#include "formats/aerogpu/aerogpu_wire.h"

/* ---- the container ------------------------------------------------------------- */

void ras_aero_record_put(const struct ras_aero_record *r, uint8_t to[RAS_AERO_RECORD_HEADER_SIZE])
{
    uint8_t *p = store_u8(to, r->record_type);
    p = store_u8(p, r->flags);
    p = store_u16(p, r->reserved);
    store_u32(p, r->payload_len);
}

void ras_aero_blob_put(const struct ras_aero_blob *b, uint8_t to[RAS_AERO_BLOB_HEADER_SIZE])
{
    uint8_t *p = store_u64(to, b->blob_id);
    p = store_u32(p, b->kind);
    store_u32(p, b->reserved);
}

bool aero_seal_put(const struct ras_aero_frame *frames, size_t count, uint32_t container_version,
                   uint64_t at, struct out *out)
{
    uint8_t bytes[RAS_AERO_FOOTER_SIZE];
    struct ras_aero_toc toc = {1, (uint32_t)count};
    uint64_t len = RAS_AERO_TOC_HEADER_SIZE + (uint64_t)count * RAS_AERO_TOC_ENTRY_SIZE;
    struct ras_aero_footer footer = {RAS_AERO_FOOTER_SIZE, container_version, at, len};
    ras_aero_toc_put(&toc, bytes);
    out_bytes(out, bytes, RAS_AERO_TOC_HEADER_SIZE);
    for (size_t i = 0; i < count; i++) {
        ras_aero_frame_put(&frames[i], bytes);
        out_bytes(out, bytes, RAS_AERO_TOC_ENTRY_SIZE);
    }
    ras_aero_footer_put(&footer, bytes);
    out_bytes(out, bytes, sizeof bytes);
    return !out->failed;
}

/* ---- packets, streams, tables ---------------------------------------------------- */

void ras_aero_packet_put(const struct ras_aero_packet *p, uint8_t to[RAS_AERO_PACKET_HEADER_SIZE])
{
    store_u32(store_u32(to, p->opcode), p->total_dwords);
}

void ras_aero_command_put(const struct ras_aero_command *c,
                          uint8_t to[RAS_AERO_COMMAND_HEADER_SIZE])
{
    store_u32(store_u32(to, c->opcode), c->size_bytes);
}

/* ---- meta_json -------------------------------------------------------------------- */

/* One character, escaped as the reference does; the number of its bytes. Control characters
 * are those of Unicode, so U+007F to U+009F, which JSON would allow, are among them. */
static size_t put_char(struct out *out, const uint8_t *p, size_t left)
{
    static const char special[] = "\"\\\n\r\t", letters[] = "\"\\nrt";
    bool upper = left > 1 && p[0] == 0xc2 && p[1] < 0xa0;
    const char *found = p[0] ? strchr(special, p[0]) : NULL;
    if (found)
        out_format(out, "\\%c", letters[found - special]);
    else if (upper || p[0] < 0x20 || p[0] == 0x7f)
        out_format(out, "\\u%04x", upper ? p[1] : p[0]);
    else
        out_byte(out, p[0]);
    return upper ? 2 : 1;
}

static void put_string(struct json *j, const char *key, struct ras_bytes s)
{
    struct out text = {0};
    out_byte(&text, '"');
    for (size_t i = 0; i < s.len;)
        i += put_char(&text, s.at + i, s.len - i);
    out_byte(&text, '"');
    json_raw(j, key, text.at, text.len);
    j->out->failed |= text.failed;
    out_free(&text);
}

static int check_text(struct ras_bytes text, const char *name, struct ras_error *err)
{
    struct utf8_fault bad;
    if (text.len && !utf8_check(text.at, text.len, &bad))
        return fail(err, RAS_EUSAGE, RAS_AERO_HEADER_SIZE, "%s is not UTF-8 at its byte %zu", name,
                    bad.at);
    return RAS_OK;
}

int ras_aero_meta_put(struct ras_bytes emulator_version, uint32_t command_abi_version,
                      const struct ras_bytes *notes, void *to, size_t room, size_t *size,
                      struct ras_error *err)
{
    int status = check_text(emulator_version, "emulator_version", err);
    if (status == RAS_OK && notes)
        status = check_text(*notes, "notes", err);
    if (status < 0)
        return status;
    struct out out = {0};
    struct json j = json_start(&out, 0);
    uint64_t need = (uint64_t)emulator_version.len + (notes ? notes->len : 0);
    if (need <= UINT32_MAX) {
        json_object(&j, NULL);
        put_string(&j, "emulator_version", emulator_version);
        json_uint(&j, "command_abi_version", command_abi_version);
        if (notes)
            put_string(&j, "notes", *notes);
        json_close(&j);
        need = out.len;
    }
    if (need > UINT32_MAX)
        status =
            fail(err, RAS_ELIMIT, RAS_AERO_HEADER_SIZE,
                 "meta_json of %" PRIu64 " bytes, %" PRIu32 " can be stored", need, UINT32_MAX);
    else if (out.failed)
        status = fail_memory(err);
    if (status == RAS_OK) {
        *size = out.len;
        if (out.len <= room)
            memcpy(to, out.at, out.len);
    }
    out_free(&out);
    return status;
}
