/* blake2b.h - BLAKE2b (RFC 7693) without key, salt or personalisation. */
#ifndef CODEC_BLAKE2B_H
#define CODEC_BLAKE2B_H

#include <rastrum/rastrum.h>

#define BLAKE2B_DIGEST_MOST 64

/* The digest of len bytes, digest_len (1 to 64) bytes long. The length is part
 * of the hash: a shorter digest is not the beginning of a longer one. */
void blake2b(void *digest, size_t digest_len, const void *bytes, size_t len);

/* The digest of eight bytes, read as a little-endian number. */
uint64_t blake2b64(const void *bytes, size_t len);
/* The same of four messages: about three times as fast where their lengths are similar. */
void blake2b64_four(const struct ras_bytes in[4], uint64_t out[4]);
#endif
