/* packet_blob.c - the blobs that packets of Appendix A refer to, for every back end. */
#include "gpu/packet_blob.h"

#include "base/error.h"

#include <rastrum/aerogpu.h>

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
