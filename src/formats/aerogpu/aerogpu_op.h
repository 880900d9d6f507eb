/* aerogpu_op.h - tables of packets and commands, and the fields that they describe. */
#ifndef AEROGPU_OP_H
#define AEROGPU_OP_H

#include "core/format.h"
#include "core/row.h"
#include "formats/aerogpu/aerogpu_wire.h"

#define AERO_FIELD(name_, type_, at_, ...)                                                         \
    {                                                                                              \
        .name = name_, .name_len = sizeof name_ - 1, .type = RAS_AERO_##type_, .at = at_,          \
        __VA_ARGS__                                                                                \
    }
#define AERO_ALIAS(alias_)        .alias = alias_, .alias_len = sizeof alias_ - 1
#define AERO_NAMES(alias_, table) AERO_ALIAS(alias_), .names = table

#define U8(name, at)           AERO_FIELD(name, U8, at, )
#define U32(name, at)          AERO_FIELD(name, U32, at, )
#define I32(name, at)          AERO_FIELD(name, I32, at, )
#define F32(name, at)          AERO_FIELD(name, F32, at, )
#define U64(name, at)          AERO_FIELD(name, U64, at, )
#define NAMED(name, at, table) AERO_FIELD(name, U32, at, AERO_NAMES(name "_name", table))
#define SPARE(name, at)        AERO_FIELD(name, U32, at, .flags = RAS_AERO_RESERVED)
#define SPARE8(name, at)       AERO_FIELD(name, U8, at, .flags = RAS_AERO_RESERVED)
#define SPARE64(name, at)      AERO_FIELD(name, U64, at, .flags = RAS_AERO_RESERVED)
#define ABSENT(name)           AERO_FIELD(name, U32, 0, .flags = RAS_AERO_ABSENT)
/* `n` values in a row; `per` values for each of the u32 count stored at `count`. */
#define ROW(name, type, at_, n) AERO_FIELD(name, type, at_, .flags = RAS_AERO_LIST, .per = n)
#define LIST(name, type, at_, count, per_)                                                         \
    AERO_FIELD(name, type, at_, .flags = RAS_AERO_LIST | RAS_AERO_COUNTED, .count_at = count,      \
               .per = per_)
#define ITEMS(name, at_, count, table, size)                                                       \
    AERO_FIELD(name, STRUCT, at_, .flags = RAS_AERO_LIST | RAS_AERO_COUNTED, .count_at = count,    \
               .per = 1, .item = table, .item_size = size)
#define DATA(name, at_, count)                                                                     \
    AERO_FIELD(name, BYTES, at_, .flags = RAS_AERO_COUNTED, .count_at = count)
#define AERO_OP(opcode, size, name, fields)                                                        \
    {                                                                                              \
        opcode, size, name, sizeof name - 1, fields                                                \
    }
#define LAST                                                                                       \
    {                                                                                              \
        .type = RAS_AERO_END                                                                       \
    }

/* Rows of a table sorted by opcode; NULL when it is not there. */
const struct ras_aero_op *aero_op_find(const struct ras_aero_op *rows, size_t count,
                                       uint32_t opcode);

/* Bytes of one value of a field, and how many values it has in this payload:
 * by its count, and by the length of the payload. */
uint32_t aero_field_width(const struct ras_aero_field *);
uint64_t aero_field_promised(const struct ras_aero_field *, struct ras_bytes payload);
uint64_t aero_field_present(const struct ras_aero_field *, struct ras_bytes payload);
/* A single number, zero-extended; floats and signed numbers as their bits. */
uint64_t aero_field_number(const struct ras_aero_field *, struct ras_bytes item);
/* The u64 of which the field is the high half. */
uint64_t aero_field_whole(const struct ras_aero_field *, struct ras_bytes item);
/* Whether the field is a stage_ex in this payload (else it is reserved0). */
bool aero_stage_ex_counts(const struct ras_aero_op *, struct ras_bytes payload, uint32_t minor);

extern const struct ras_aero_op aero_command_ops[];
extern const size_t aero_command_op_count;

/* aerogpu_types.c: put a map of the fields that the payload has, in the table's order, as value of
 * `field`. An unknown opcode (op is NULL) gives its payload as bytes. `minor` is that of the
 * stream's ABI. False: out of memory. */
bool aero_fields_put(struct cells *, unsigned field, const struct ras_aero_op *op,
                     struct ras_bytes payload, uint32_t minor);

/* aerogpu_encode.c: append what follows the header of a packet or command. `fields` is its map, or
 * NULL; `size` the bytes to write, RAS_NONE: as many as the fields take. Reserved fields
 * and counts may be left out. */
int aero_encode(const struct json_row *, const struct ras_aero_op *, const struct ras_value *fields,
                uint64_t size, struct out *, struct ras_error *);
/* The row of a table by its number in `opcode` or by `name`; NULL: an unknown opcode or name. */
const struct ras_aero_op *aero_op_of_row(const struct json_row *, bool packet, uint64_t size_bytes);
#endif
