/* aerogpu_facts.c - meta_json as facts about a trace. */
#include "codec/json_read.h"
#include "formats/aerogpu/aerogpu_driver.h"

#include <stdlib.h>

enum { KEY_MAX = 64, FACTS_MAX = 64 }; /* info is read by people */

static bool tell_text(struct ras_trace *t, const char *key, struct json_read *in,
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
        return tell_text(t, key, in, value);
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
