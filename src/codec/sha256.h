/* sha256.h - SHA-256 (FIPS 180-4), piece by piece. */
#ifndef CODEC_SHA256_H
#define CODEC_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_SIZE = 32, SHA256_BLOCK = 64 };

/* Take `count` whole blocks. */
typedef void sha256_blocks(uint32_t state[8], const uint8_t *at, size_t count);

struct sha256 {
    sha256_blocks *blocks; /* the fastest on this processor */
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    uint8_t block[SHA256_BLOCK];
};

struct sha256 sha256_start(void);
void sha256_add(struct sha256 *sha, const void *bytes, size_t len);
/* The digest of everything added; `sha` is used up. */
void sha256_end(struct sha256 *sha, uint8_t digest[SHA256_SIZE]);

/* ---- the two implementations, for tests -------------------------------- */

sha256_blocks sha256_plain;
/* With the instructions of x86; NULL where the processor has none. */
sha256_blocks *sha256_fast(void);
#endif
