/* cdt_table.h - how the rows of the struct tables are written; for the table files only. */
#ifndef FORMATS_CDT_TABLE_H
#define FORMATS_CDT_TABLE_H

#include "formats/cdt/cdt_model.h"

#include <stddef.h>

#define MEMBER(type_, member)                                                                      \
    .head = 0xa0 | (sizeof #member - 1), .name = #member, .offset = offsetof(type_, member),       \
    .size = sizeof(((type_ *)0)->member)

/* One member: its C struct, its name, enum cdt_type, enum cdt_need. */
#define FIELD(struct_, member, kind, need_)                                                        \
    {                                                                                              \
        MEMBER(struct ras_cdt_##struct_, member), .type = CDT_##kind, .need = CDT_##need_          \
    }
/* The same with what its kind needs besides: the struct, the count, the default. */
#define FIELD_WITH(struct_, member, kind, need_, ...)                                              \
    {                                                                                              \
        MEMBER(struct ras_cdt_##struct_, member), .type = CDT_##kind, .need = CDT_##need_,         \
                                                  __VA_ARGS__                                      \
    }

#define STRUCT(struct_, name_, closed_, plain_)                                                    \
    const struct cdt_struct cdt_##struct_ = {.name = name_,                                        \
                                             .fields = struct_##_fields,                           \
                                             .count = sizeof struct_##_fields /                    \
                                                      sizeof *struct_##_fields,                    \
                                             .size = sizeof(struct ras_cdt_##struct_),             \
                                             .closed = closed_,                                    \
                                             .plain = plain_}

/* The policy for unknown keys, and whether the C struct starts with a node. */
#define CLOSED true
#define OPEN   false
#define NODE   false
#define PLAIN  true
#endif
