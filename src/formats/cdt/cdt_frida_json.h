/* cdt_frida_json.h - typed values from a line of JSON; for the decoder of captures.
 *
 * Every function takes the current position and returns the next one; NULL: see *problem. The
 * caller skips blanks, so p is at a value. */
#ifndef CDT_FRIDA_JSON_H
#define CDT_FRIDA_JSON_H

#include "base/memory.h"
#include "codec/json_scan.h"
#include "codec/number.h"
#include "formats/cdt/cdt_frida.h"

struct frida_in {
    const uint8_t *base, *end;     /* *end is 0 */
    const struct cdt_model *model; /* NULL: rows of form 1 */
    struct arena *arena;
    struct cdt_problem *problem;
};

/* ---- problems ---------------------------------------- */

/* Sets *problem and returns NULL. */
const uint8_t *frida_bad(struct frida_in *d, const uint8_t *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), cold));
/* The text at p is malformed, or ends: msgspec reports these differently. */
const uint8_t *frida_malformed(struct frida_in *d, const uint8_t *p, const char *what)
    __attribute__((cold));
/* The value is not of type `type`, or `type | null`. */
const uint8_t *frida_expected(struct frida_in *d, const uint8_t *p, const char *type, bool null)
    __attribute__((cold));

/* Returns NULL after adding one more step to the path. */
#define frida_inside(d, ...) (cdt_problem_inside((d)->problem, __VA_ARGS__), (const uint8_t *)NULL)

/* ---- values --------------------------------------------- */

const uint8_t *frida_text(struct frida_in *d, const uint8_t *p, bool null, struct ras_bytes *out);
const uint8_t *frida_bool(struct frida_in *d, const uint8_t *p, bool null, bool *out);
/* `null` only affects the wording of problems. `loose`: values beyond 64 bits become the nearest
 * one. */
const uint8_t *frida_int(struct frida_in *d, const uint8_t *p, bool null, bool loose,
                         struct ras_cdt_int *out);
const uint8_t *frida_float(struct frida_in *d, const uint8_t *p, bool null, double *out);
/* Skips null; NULL if it is something else. */
static inline const uint8_t *frida_null(const uint8_t *p)
{
    return load_u32(p) == 0x6c6c756e ? p + 4 : NULL;
}
/* Skips any value. */
const uint8_t *frida_skip(struct frida_in *d, const uint8_t *p);

/* After an element: goes to the next one, or past the `close` and sets *more to false. */
const uint8_t *frida_next(struct frida_in *d, const uint8_t *p, char close, bool *more);
/* After a key's opening quote: reads the key and goes to its value. */
const uint8_t *frida_key(struct frida_in *d, const uint8_t *p, struct ras_bytes *key);
/* After an opening bracket: goes to the first element, or sets *more to false. */
static inline const uint8_t *frida_first(const uint8_t *p, char close, bool *more)
{
    p = json_white(p);
    *more = *p != (uint8_t)close;
    return *more ? p : p + 1;
}

/* ---- containers -------------------------------------------- */

/* A member of variable length. */
const uint8_t *frida_container(struct frida_in *d, const uint8_t *p, const struct cdt_field *f,
                               uint8_t *out);
/* cdt_frida_decode.c */
const uint8_t *frida_config(struct frida_in *d, const uint8_t *p, struct frida_config *out);
/* cdt_frida_decode.c: goes to the value of a key of the object at p; NULL without a problem: it has
 * no such key. */
const uint8_t *frida_find(struct frida_in *d, const uint8_t *p, const char *key, bool *bad);
/* cdt_frida_decode.c */
const uint8_t *frida_struct(struct frida_in *d, const uint8_t *p, const struct cdt_struct *s,
                            bool null, uint8_t *out);
#endif
