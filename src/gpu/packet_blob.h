/* packet_blob.h - the blobs that packets of Appendix A refer to. */
#ifndef GPU_PACKET_BLOB_H
#define GPU_PACKET_BLOB_H

#include "gpu/gpu.h"

/* The blob of that id, which must be of that kind; errors begin with the opcode's name. */
int packet_blob(const struct gpu_source *source, const char *opcode, uint64_t id, uint32_t kind,
                struct ras_bytes *data, struct ras_error *err);
#endif
