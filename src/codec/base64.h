/* base64.h - RFC 4648 section 4, strictly: whole groups of four, padded. */
#ifndef CODEC_BASE64_H
#define CODEC_BASE64_H

#include <rastrum/rastrum.h>

/* Decode `text`; `out` has room for as many bytes as the text. False: not base64. */
bool base64_get(struct ras_bytes text, uint8_t *out, size_t *len);

/* Append the text of some bytes. */
struct out;
void base64_put(struct out *, struct ras_bytes);
#endif
