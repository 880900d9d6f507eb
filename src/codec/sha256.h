/* sha256.h - SHA-256 (FIPS 180-4), piece by piece. */
#ifndef CODEC_SHA256_H
#define CODEC_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_SIZE = 32, SHA256_BLOCK = 64 };

/* Take `count` whole blocks. */
typedef void sha256_blocks(uint32_t state[8], const uint8_t *at, size_t count);

struct sha256 {
    sha256_blocks *blocks; /* the quickest way here */
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    uint8_t block[SHA256_BLOCK];
};

struct sha256 sha256_start(void);
void sha256_add(struct sha256 *sha, const void *bytes, size_t len);
/* The digest of everything added; `sha` is used up. */
void sha256_end(struct sha256 *sha, uint8_t digest[SHA256_SIZE]);

/* ---- for the two implementations ---------------------------------------- */

extern const uint32_t sha256_constants[64];
sha256_blocks sha256_plain;
/* By the processor's own instructions; NULL where it has none. */
sha256_blocks *sha256_fast(void);
#endif
