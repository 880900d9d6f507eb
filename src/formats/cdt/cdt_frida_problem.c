/* cdt_frida_problem.c - what is wrong with a row, as the reference's decoder words it. */
#include "codec/json_read.h"
#include "formats/cdt/cdt_frida_json.h"

#include <stdarg.h>
#include <stdio.h>

const uint8_t *frida_bad(struct frida_in *d, const uint8_t *at, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(d->problem->what, sizeof d->problem->what, fmt, args);
    va_end(args);
    d->problem->status = RAS_EFORMAT;
    d->problem->at = (uint64_t)(at - d->base);
    d->problem->path[0] = 0;
    return NULL;
}

const uint8_t *frida_no_memory(struct frida_in *d)
{
    frida_bad(d, d->end, "out of memory");
    d->problem->status = RAS_EMEMORY;
    return NULL;
}

/* A problem of the text has no path; its status tells the two apart on the way up. */
const uint8_t *frida_malformed(struct frida_in *d, const uint8_t *p, const char *what)
{
    if (p >= d->end)
        frida_bad(d, d->end, "Input data was truncated");
    else
        frida_bad(d, p, "JSON is malformed: %s (byte %zu)", what, (size_t)(p - d->base));
    d->problem->status = RAS_ECUT;
    return NULL;
}

/* What the value at p is; NULL: nothing that JSON has. */
static const char *frida_found(const struct frida_in *d, const uint8_t *p, struct json_read *in)
{
    struct json_token token;
    *in = json_read_bytes((struct ras_bytes){p, (size_t)(d->end - p)});
    switch (json_read_next(in, &token)) {
    case JSON_NULL:
        return "null";
    case JSON_BOOL:
        return "bool";
    case JSON_NUMBER:
        return token.integer ? "int" : "float";
    case JSON_STRING:
        return "str";
    case JSON_ARRAY:
        return "array";
    case JSON_OBJECT:
        return "object";
    default:
        return NULL;
    }
}

const uint8_t *frida_expected(struct frida_in *d, const uint8_t *p, const char *type, bool null)
{
    struct json_read in;
    const char *name = frida_found(d, p, &in);
    if (name)
        return frida_bad(d, p, "Expected `%s%s`, got `%s`", type, null ? " | null" : "", name);
    return frida_malformed(d, in.fault == JSON_SHORT ? d->end : p + in.fault_at,
                           "invalid character");
}
