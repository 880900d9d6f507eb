/* aerogpu_meta.c - what meta_json says. */
#include "codec/json_read.h"
#include "formats/aerogpu/aerogpu_wire.h"

/* The next key of the object with its value; false at its end or a fault. */
static bool next_member(struct json_read *in, struct json_token *key, struct json_token *value)
{
    return json_read_next(in, key) == JSON_KEY && json_read_next(in, value) != JSON_BAD;
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Of what is known to be an object. */
static void find_braces(struct ras_bytes b, struct aero_meta *meta)
{
    size_t at = b.len - 1;
    while (is_blank(b.at[at]))
        at--;
    meta->close_at = at--;
    while (is_blank(b.at[at]))
        at--;
    meta->empty = b.at[at] == '{';
}

struct aero_meta aero_meta_get(struct ras_bytes bytes)
{
    struct aero_meta meta = {.why = "", .abi_version = RAS_NONE};
    struct json_read in = json_read_bytes(bytes);
    struct json_token key, value;
    bool object = json_read_next(&in, &key) == JSON_OBJECT;
    while (object && next_member(&in, &key, &value)) {
        if (JSON_IS(&key, "emulator_version"))
            meta.has_emulator_version = value.kind == JSON_STRING;
        if (JSON_IS(&key, "command_abi_version")) {
            meta.has_abi_version = value.kind == JSON_NUMBER;
            if (!json_u64_of(&value, &meta.abi_version))
                meta.abi_version = RAS_NONE;
        }
        if (JSON_IS(&key, AERO_FIRST_FRAME) && value.kind == JSON_NUMBER) {
            meta.first_frame_text = value.span;
            if (!json_u64_of(&value, &meta.first_frame))
                meta.first_frame = RAS_NONE;
        }
        if (!json_read_skip(&in, &value))
            break;
    }
    meta.object = object && !in.fault && json_read_next(&in, &value) == JSON_END;
    if (meta.object)
        find_braces(bytes, &meta);
    if (in.fault) {
        meta.why = in.why;
        meta.fault_at = in.fault_at;
    } else if (!meta.object) {
        meta.why = "it is not an object";
    }
    return meta;
}
