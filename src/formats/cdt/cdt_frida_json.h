/* cdt_frida_json.h - typed values out of a line of JSON; for the decoder of captures.
 *
 * Every function takes where it stands and returns where it goes on; NULL: *problem tells
 * why not. Blanks are stepped over by whoever calls, so p is at a value. */
#ifndef CDT_FRIDA_JSON_H
#define CDT_FRIDA_JSON_H

#include "base/arena.h"
#include "codec/decimal.h"
#include "codec/json_scan.h"
#include "formats/cdt/cdt_frida.h"

struct frida_in {
    const uint8_t *base, *end; /* *end is 0 */
    struct arena *arena;
    struct cdt_problem *problem;
};

/* ---- problems ---------------------------------------- */

/* NULL, with the words of *problem. */
const uint8_t *frida_bad(struct frida_in *d, const uint8_t *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), cold));
/* At p the text breaks the grammar, or ends: msgspec tells the two apart. */
const uint8_t *frida_malformed(struct frida_in *d, const uint8_t *p, const char *what)
    __attribute__((cold));
/* A value of another type than `type`, or `type | null`. */
const uint8_t *frida_expected(struct frida_in *d, const uint8_t *p, const char *type, bool null)
    __attribute__((cold));

/* NULL, with one more step of the path told. */
#define frida_inside(d, ...) (cdt_problem_inside((d)->problem, __VA_ARGS__), (const uint8_t *)NULL)

/* ---- values --------------------------------------------- */

const uint8_t *frida_text(struct frida_in *d, const uint8_t *p, bool null, struct ras_bytes *out);
const uint8_t *frida_bool(struct frida_in *d, const uint8_t *p, bool null, bool *out);
/* `null` in either: for the words alone. `loose`: beyond 64 bits is the nearest there is. */
const uint8_t *frida_int(struct frida_in *d, const uint8_t *p, bool null, bool loose,
                         struct ras_cdt_int *out);
const uint8_t *frida_float(struct frida_in *d, const uint8_t *p, bool null, double *out);
/* null, if it is that. */
static inline const uint8_t *frida_null(const uint8_t *p)
{
    return load_u32(p) == 0x6c6c756e ? p + 4 : NULL;
}
/* Any value, which is ignored. */
const uint8_t *frida_skip(struct frida_in *d, const uint8_t *p);

/* Behind an element: at the next one, or behind the `close` with *more false. */
const uint8_t *frida_next(struct frida_in *d, const uint8_t *p, char close, bool *more);
/* Behind a key's opening quote: the key, and then at its value. */
const uint8_t *frida_key(struct frida_in *d, const uint8_t *p, struct ras_bytes *key);
/* Behind the bracket that opens: at the first element, or *more false. */
static inline const uint8_t *frida_first(const uint8_t *p, char close, bool *more)
{
    p = json_white(p);
    *more = *p != (uint8_t)close;
    return *more ? p : p + 1;
}

/* ---- containers -------------------------------------------- */

/* A member that has a length of its own. */
const uint8_t *frida_container(struct frida_in *d, const uint8_t *p, const struct cdt_field *f,
                               uint8_t *out);
/* cdt_frida_decode.c */
const uint8_t *frida_config(struct frida_in *d, const uint8_t *p, struct frida_config *out);
/* cdt_frida_decode.c */
const uint8_t *frida_struct(struct frida_in *d, const uint8_t *p, const struct cdt_struct *s,
                            bool null, uint8_t *out);
#endif
