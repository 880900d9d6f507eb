/* cdt_table.h - macros for the rows of the struct tables; for the table files only. */
#ifndef FORMATS_CDT_TABLE_H
#define FORMATS_CDT_TABLE_H

#include "formats/cdt/cdt_encoder.h"

#include <stddef.h>

#define MEMBER(type_, member) MEMBER_AS(type_, member, #member)
#define MEMBER_AS(type_, member, key)                                                              \
    .head = 0xa0 | (sizeof key - 1), .name = key, .offset = offsetof(type_, member),               \
    .size = sizeof(((type_ *)0)->member)

/* One member: its C struct, its name, enum cdt_type, enum cdt_need. */
#define FIELD(struct_, member, kind, need_)                                                        \
    {                                                                                              \
        MEMBER(struct ras_cdt_##struct_, member), .type = CDT_##kind, .need = CDT_##need_          \
    }
/* The same with the extra members of its kind: the struct, the count, the default. */
#define FIELD_WITH(struct_, member, kind, need_, ...)                                              \
    {                                                                                              \
        MEMBER(struct ras_cdt_##struct_, member), .type = CDT_##kind, .need = CDT_##need_,         \
                                                  __VA_ARGS__                                      \
    }

/* The same under another key. */
#define FIELD_AS(struct_, member, key, kind, need_, ...)                                           \
    {                                                                                              \
        MEMBER_AS(struct ras_cdt_##struct_, member, key), .type = CDT_##kind, .need = CDT_##need_, \
                                                          __VA_ARGS__                              \
    }

#define STRUCT(struct_, name_, closed_, plain_)                                                    \
    STRUCT_PUT(struct_, name_, closed_, plain_, false, NULL)
/* A struct whose rows are records of their own. */
#define STRUCT_OWN(struct_, name_, closed_) STRUCT_PUT(struct_, name_, closed_, NODE, true, NULL)

/* A struct that occurs often: its encoder is instantiated where its table is visible. */
#define STRUCT_HOT(struct_, name_, closed_)                                                        \
    static uint8_t *put_##struct_(struct cdt_encoder *e, uint8_t *p, const uint8_t *from)          \
    {                                                                                              \
        return put_members(e, p, &cdt_##struct_, from);                                            \
    }                                                                                              \
    STRUCT_PUT(struct_, name_, closed_, NODE, true, put_##struct_)

#define STRUCT_PUT(struct_, name_, closed_, plain_, own_, put_)                                    \
    const struct cdt_struct cdt_##struct_ = {.name = name_,                                        \
                                             .fields = struct_##_fields,                           \
                                             .count = sizeof struct_##_fields /                    \
                                                      sizeof *struct_##_fields,                    \
                                             .size = sizeof(struct ras_cdt_##struct_),             \
                                             .closed = closed_,                                    \
                                             .plain = plain_,                                      \
                                             .own = own_,                                          \
                                             .put = put_}

/* Whether unknown keys are refused, and whether the C struct starts with a node. */
#define CLOSED true
#define OPEN   false
#define NODE   false
#define PLAIN  true
#endif
