/* aerogpu_fuzz.c - any bytes, read as a GPU trace, a command stream or an allocation table;
 * natively and through the model. */
#include "fuzz.h"
#include <rastrum/aerogpu.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Every field of every command that can be followed. */
static void look_at_commands(struct ras_bytes commands)
{
    struct ras_aero_command c;
    uint64_t at = 0, value;
    while (ras_aero_command_get(commands, &at, &c, NULL) == RAS_OK) {
        const struct ras_aero_op *op = ras_aero_command_op(c.opcode, c.size_bytes);
        for (const struct ras_aero_field *f = op ? op->fields : NULL; f && f->type; f++) {
            struct ras_bytes b = ras_aero_field_bytes(op, c.payload, f->name);
            if (b.len > c.payload.len)
                fuzz_wrong("%s of %s has %zu of %zu bytes", f->name, op->name, b.len,
                           c.payload.len);
            (void)ras_aero_field_uint(op, c.payload, f->name, &value);
        }
    }
}

static void look_at_table(const struct ras_aero_alloc_table *t)
{
    for (uint32_t i = 0; i < t->entry_count; i++)
        (void)ras_aero_alloc_at(t, i);
}

/* A blob found by its id is one that is there. */
static void look_at_blobs(struct ras_bytes file)
{
    struct ras_aero_blobs *blobs;
    if (ras_aero_blobs_open(&blobs, file, NULL) < 0)
        return;
    for (size_t i = 0; i < ras_aero_blobs_count(blobs); i++) {
        struct ras_aero_blob blob, found;
        uint64_t at;
        if (!ras_aero_blobs_at(blobs, i, &blob, &at) ||
            !ras_aero_blobs_find(blobs, blob.blob_id, at + 1, &found, NULL) ||
            found.data.at != blob.data.at)
            fuzz_wrong("blob %zu is not found by its id", i);
    }
    ras_aero_blobs_close(blobs);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct ras_bytes all = {bytes, size};
    struct ras_aero_stream stream;
    struct ras_aero_alloc_table table;
    if (ras_aero_stream_get(all, &stream, NULL) == RAS_OK)
        look_at_commands(stream.commands);
    else if (ras_aero_alloc_table_get(all, &table, NULL) == RAS_OK)
        look_at_table(&table);
    else
        look_at_blobs(all);
    fuzz_trace("aerogpu", bytes, size);
    return 0;
}
