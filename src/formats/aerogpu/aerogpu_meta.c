/* aerogpu_meta.c - meta_json: what the specification requires of it, and its members as facts. */
#include "codec/json_read.h"
#include "formats/aerogpu/aerogpu_driver.h"
#include "formats/aerogpu/aerogpu_wire.h"

#include <stdlib.h>

/* The next key of the object with its value; false at its end or a fault. */
static bool next_member(struct json_read *in, struct json_token *key, struct json_token *value)
{
    return json_read_next(in, key) == JSON_KEY && json_read_next(in, value) != JSON_BAD;
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The members of meta_json, which is an object. */
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

/* ---- facts about a trace ------------------------------------------------------------- */

enum { KEY_MAX = 64, FACTS_MAX = 64 }; /* info is read by people */

static bool add_text_fact(struct ras_trace *t, const char *key, struct json_read *in,
                          const struct json_token *value)
{
    size_t len;
    char *text = malloc(value->span.len + 1);
    bool ok = text != NULL;
    if (ok && json_read_text(in, value, text, value->span.len, &len))
        ok = fact_str(t, key, text, len);
    free(text);
    return ok;
}

static bool add_fact_of(struct ras_trace *t, const char *key, struct json_read *in,
                        const struct json_token *value)
{
    uint64_t u;
    int64_t i;
    double f;
    if (value->kind == JSON_STRING)
        return add_text_fact(t, key, in, value);
    if (value->kind == JSON_BOOL)
        return fact_bool(t, key, value->truth);
    if (json_u64_of(value, &u))
        return fact_uint(t, key, u, 0);
    if (json_i64_of(value, &i))
        return fact_int(t, key, i);
    return !json_f64_of(value, &f) || fact_f64(t, key, f);
}

static bool known(const struct ras_trace *t, const char *key)
{
    for (size_t i = 0; i < t->fact_count; i++)
        if (!strcmp(t->facts[i].key, key))
            return true;
    return false;
}

bool aero_meta_facts(struct ras_trace *t, struct ras_bytes bytes, uint32_t command_abi_version)
{
    struct json_read in = json_read_bytes(bytes);
    struct json_token key, value;
    bool ok = true;
    bool object = json_read_next(&in, &key) == JSON_OBJECT;
    for (unsigned i = 0; ok && object && i < FACTS_MAX && json_read_next(&in, &key) == JSON_KEY;
         i++) {
        char name[KEY_MAX + 1];
        size_t len;
        if (json_read_next(&in, &value) == JSON_BAD)
            break;
        if (key.span.len <= KEY_MAX && json_read_text(&in, &key, name, KEY_MAX, &len)) {
            name[len] = 0;
            ok = known(t, name) || add_fact_of(t, name, &in, &value);
        }
        if (!json_read_skip(&in, &value))
            break;
    }
    struct aero_meta meta = aero_meta_get(bytes);
    if (!meta.object)
        note_add(t, "meta_json is not valid: %s", meta.why);
    else if (meta.has_abi_version && meta.abi_version != command_abi_version)
        note_add(t, "command_abi_version is %" PRIu32 " in the header, another in meta_json",
                 command_abi_version);
    return ok;
}
