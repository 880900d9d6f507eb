/* packet_blob.h - the blobs that packets of Appendix A refer to, and the numbers in them. */
#ifndef GPU_PACKET_BLOB_H
#define GPU_PACKET_BLOB_H

#include "gpu/backends.h"

/* The blob of that id, which must be of that kind; errors begin with the opcode's name. */
int packet_blob(const struct gpu_source *source, const char *opcode, uint64_t id, uint32_t kind,
                struct ras_bytes *data, struct ras_error *err);

/* Floats that every vertex has at an offset. */
struct packet_attribute {
    const char *what;
    uint32_t offset, size; /* bytes */
};

/* Whether all of them are numbers, of `count` vertices that are known to lie in the buffer. A
 * stride of 0 is that of the attribute alone. False: `why` says which is not. */
bool packet_numbers(const struct packet_attribute *attribute, const uint8_t *buffer,
                    uint32_t stride, uint32_t first, uint32_t count, char why[80]);
#endif
