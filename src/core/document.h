/* document.h - what verbs report, under construction: values as cells, and lists of remarks.
 *
 * A document has texts of its own. Cells move while it grows, so a place in it is an index. Memory
 * that is short sticks and is checked once, at the end. */
#ifndef CORE_DOCUMENT_H
#define CORE_DOCUMENT_H

#include "base/id_table.h"
#include "base/memory.h"
#include "core/cells.h"

#include <stdarg.h>

struct document {
    struct cells cells;
    struct arena texts; /* those of its cells, unless they were named */
};

void document_free(struct document *);
/* Take everything after `count` cells back; their texts stay. */
void document_cut(struct document *, size_t count);

/* Begin a RAS_LIST or RAS_MAP: its index, for document_close(). */
size_t document_open(struct document *, enum ras_kind);
void document_close(struct document *, size_t open);
/* A key, or a name of a type or field (RAS_NAME_NUL is NUL); copied, as texts are. */
void document_key(struct document *, const char *key);
/* The same of a text that outlives the document: it is not copied. */
void document_name(struct document *, const char *key);
void document_null(struct document *);
void document_bool(struct document *, bool);
void document_int(struct document *, int64_t);
void document_uint(struct document *, uint64_t);
void document_f64(struct document *, double);
void document_text(struct document *, const void *, size_t);
void document_bytes(struct document *, struct ras_bytes);
void document_format(struct document *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A value with all that lies in it, NULL is null; the second: one of this document. */
void document_copy(struct document *, const struct ras_value *from);
void document_copy_own(struct document *, size_t from);
/* Text of the value at this index, as json_python() lays it out. */
void document_json(struct document *, size_t from, unsigned how);
/* A member of the open map: a key, which outlives the document, and its value. */
void document_put_uint(struct document *, const char *key, uint64_t);
void document_put_int(struct document *, const char *key, int64_t);
void document_put_bool(struct document *, const char *key, bool);
void document_put_name(struct document *, const char *key, const char *name);
void document_put_text(struct document *, const char *key, const char *text);
size_t document_put_open(struct document *, const char *key, enum ras_kind);
/* Set a number that was not known when its cell was put. */
void document_set_uint(struct document *, size_t cell, uint64_t);

/* ---- remarks, one line each -------------------------------------------------- */

/* Append a line unless it is there already. `known` has the hashes of a list that may become
 * long, and is for the caller to free; NULL: the list stays short. False: memory is short. */
bool lines_add(char ***lines, size_t *count, size_t *room, struct id_table *known, const char *fmt,
               va_list args) __attribute__((format(printf, 5, 0)));
void lines_free(char **lines, size_t count);
#endif
