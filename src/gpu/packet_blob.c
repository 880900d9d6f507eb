/* packet_blob.c - the blobs that packets of Appendix A refer to, and the numbers in them, for every
 * back end. */
#include "gpu/packet_blob.h"

#include "base/error.h"

#include <rastrum/aerogpu.h>

#include <math.h>
#include <string.h>

int packet_blob(const struct gpu_source *source, const char *opcode, uint64_t id, uint32_t kind,
                struct ras_bytes *data, struct ras_error *err)
{
    uint32_t found;
    if (!source->blob || !source->blob(source->user, id, &found, data))
        return fail(err, RAS_EFORMAT, source->offset, "%s: there is no blob %" PRIu64 " before it",
                    opcode, id);
    if (found == kind)
        return RAS_OK;
    const char *name = ras_aero_blob_kind_name(found);
    return fail(err, RAS_EFORMAT, source->offset,
                "%s: blob %" PRIu64 " is %s (0x%" PRIx32 "), not %s", opcode, id,
                name ? name : "unknown", found, ras_aero_blob_kind_name(kind));
}

bool packet_numbers(const struct packet_attribute *a, const uint8_t *buffer, uint32_t stride,
                    uint32_t first, uint32_t count, char why[80])
{
    uint64_t step = stride ? stride : a->size;
    for (uint64_t i = first; i < (uint64_t)first + count; i++)
        for (uint32_t at = 0; at < a->size; at += 4) {
            float value;
            memcpy(&value, buffer + a->offset + i * step + at, sizeof value);
            if (!isfinite(value)) {
                snprintf(why, 80, "the %s of vertex %" PRIu64 " is not a number", a->what, i);
                return false;
            }
        }
    return true;
}
