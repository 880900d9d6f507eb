/* dial9_wire.h - the bytes of dial9 frames and values: pure get, no memory.
 *
 * Every function reads from a struct in and sets `cut` when the bytes end too early; its output
 * is then not valid. */
#ifndef DIAL9_WIRE_H
#define DIAL9_WIRE_H

#include "base/in.h"
#include <rastrum/dial9.h>

#define DIAL9_MAGIC        "TRC\0"
#define DIAL9_MAGIC_SIZE   4u
#define DIAL9_LEGACY_MAGIC "TOKIOTRC"
#define DIAL9_EVENT_SIZE   3u /* tag, type_id */
#define DIAL9_DELTA_SIZE   3u
#define DIAL9_DELTA_MOST   0xffffffu
#define DIAL9_RESET_SIZE   9u
#define DIAL9_ADDRESS_SIZE 8u
#define DIAL9_VARINT_MAX   10u
#define DIAL9_DEPTH_MOST   1024u /* whatever limits.depth says: reading recurses */

/* Why a value cannot be read. */
enum wire_fault {
    WIRE_FINE,
    WIRE_VARINT,   /* more than 64 bits or 10 bytes */
    WIRE_TYPE,     /* no such field type, or an optional one inside a container */
    WIRE_TOO_DEEP, /* nested beyond limits.depth */
};
const char *dial9_fault_text(enum wire_fault fault);

/* A name as C text, in which RAS_NAME_NUL represents NUL, and back. Sizes are without the
 * terminator, which only the text has. */
size_t dial9_name_size(struct ras_bytes name);
size_t dial9_name_text(char *text, struct ras_bytes name);
size_t dial9_name_bytes(uint8_t *to, const char *text);

/* A name from the stream for a line of text: clipped, no control characters. Valid until the end
 * of the expression: dial9_label(name).text. */
struct label {
    char text[64];
};
struct label dial9_label(const char *name);
struct label dial9_label_bytes(struct ras_bytes name);

/* 4 and 1 byte. False: not a header. */
bool dial9_header_get(struct in *in, uint8_t *version);
/* The bytes end inside a possible header. */
bool dial9_header_begins(const struct in *in);

struct wire_schema {
    uint16_t type_id;
    struct ras_bytes name;
    uint8_t has_timestamp;
    uint16_t field_count;
    struct ras_bytes fields; /* FieldDefs, for wire_field_get */
};
struct wire_field {
    struct ras_bytes name;
    uint8_t type;
};
/* Frames are read from after their tag. */
void dial9_schema_get(struct in *in, struct wire_schema *schema);
void dial9_field_get(struct in *in, struct wire_field *field);
bool dial9_type_known(unsigned type, enum ras_dial9_dialect dialect);

struct wire_string {
    uint32_t pool_id;
    struct ras_bytes text;
};
struct wire_stack {
    uint32_t pool_id;
    struct ras_dial9_stack frames;
};
void dial9_string_get(struct in *in, struct wire_string *entry);
void dial9_stack_get(struct in *in, struct wire_stack *entry);
void dial9_annotation_get(struct in *in, struct ras_dial9_annotation *entry);

/* One value of a field type, its contents checked; `depth` is how many levels may still be
 * nested. */
enum wire_fault dial9_value_get(struct in *in, uint8_t type, unsigned depth,
                                struct ras_dial9_value *value);

/* The elements of a container; its bytes end before `end`. */
struct ras_dial9_items dial9_items(const struct ras_dial9_value *container, const uint8_t *end);
#endif
