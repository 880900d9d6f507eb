/* json_python.h - values laid out as Python's json.dumps and repr do it.
 *
 * Reports that other tools compare byte by byte are written so: separators `, ` and
 * `: `, only ASCII, floats as repr has them, NaN and Infinity as bare words, or on
 * request as strings, which valid JSON needs. */
#ifndef CODEC_JSON_PYTHON_H
#define CODEC_JSON_PYTHON_H

#include "base/out.h"

enum json_python_how {
    JSON_SORTED = 1,     /* keys in the order of their code points; else in stored order */
    JSON_INDENTED = 2,   /* by two spaces a level; else on one line */
    JSON_NAN_QUOTED = 4, /* "NaN", "Infinity", "-Infinity" */
};

/* One value: a cell and, of a container, the cells inside it. Map keys are strings.
 * Containers nested deeper than 64 are null. */
void json_python(struct out *out, const struct ras_value *cell, unsigned how);

/* repr() of a string, or of any value: None, True, 1.0, 'text', [1, 2], {'a': 1}. */
void python_repr_text(struct out *out, const void *bytes, size_t len);
void python_repr(struct out *out, const struct ras_value *cell);
/* str(): the same, except that a string is unchanged. */
void python_str(struct out *out, const struct ras_value *cell);
#endif
