/* json_python.h - values laid out as Python's json.dumps and repr do it.
 *
 * Reports that other tools compare byte by byte are written so: separators `, ` and
 * `: `, only ASCII, floats as repr has them, NaN and Infinity as bare words unless they
 * are asked for as strings, which is what JSON proper can hold. */
#ifndef CODEC_JSON_PYTHON_H
#define CODEC_JSON_PYTHON_H

#include "base/out.h"

enum json_python_how {
    JSON_SORTED = 1,     /* keys in the order of their code points; else as they stand */
    JSON_INDENTED = 2,   /* by two spaces a level; else on one line */
    JSON_NAN_QUOTED = 4, /* "NaN", "Infinity", "-Infinity" */
};

/* One value: a cell and, of a container, the cells inside it. Map keys are strings.
 * Containers nested deeper than 64 are null. */
void json_python(struct out *out, const struct ras_value *cell, unsigned how);
/* What stands for a scalar: JSON and repr differ in these. */
struct python_words {
    const char *none, *yes, *no;
    void (*real)(struct out *, double, unsigned how);
    void (*text)(struct out *, const void *, size_t);
    void (*blob)(struct out *, const void *, size_t);
};
void python_scalar(struct out *out, const struct ras_value *cell, const struct python_words *words,
                   unsigned how);

/* repr() of a string, or of any value: None, True, 1.0, 'text', [1, 2], {'a': 1}. */
void python_repr_text(struct out *out, const void *bytes, size_t len);
void python_repr(struct out *out, const struct ras_value *cell);
/* str(): the same, except that a text is itself. */
void python_str(struct out *out, const struct ras_value *cell);
#endif
