/* crc32.h - the CRC-32 of Ethernet, gzip and PNG (reflected 0x04c11db7). */
#ifndef CODEC_CRC32_H
#define CODEC_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The checksum with len more bytes; the first call passes 0. */
uint32_t crc32_update(uint32_t crc, const void *bytes, size_t len);
/* The same without a library. */
uint32_t crc32_plain(uint32_t crc, const void *bytes, size_t len);
#endif
