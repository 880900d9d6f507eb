/* crc32.c - the CRC-32 of Ethernet, gzip and PNG, by libdeflate. */
#include "codec/crc32.h"

#include <libdeflate.h>

uint32_t crc32_update(uint32_t crc, const void *bytes, size_t len)
{
    /* libdeflate starts over when it is given no buffer. */
    return len ? libdeflate_crc32(crc, bytes, len) : crc;
}
