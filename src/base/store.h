/* store.h - little-endian stores to memory that is known to be there. */
#ifndef BASE_STORE_H
#define BASE_STORE_H

#include "base/in.h"

static inline uint8_t *store_u8(uint8_t *p, uint8_t v)
{
    *p = v;
    return p + 1;
}

static inline uint8_t *store_u16(uint8_t *p, uint16_t v)
{
    v = LITTLE16(v);
    memcpy(p, &v, sizeof v);
    return p + sizeof v;
}

static inline uint8_t *store_u32(uint8_t *p, uint32_t v)
{
    v = LITTLE32(v);
    memcpy(p, &v, sizeof v);
    return p + sizeof v;
}

static inline uint8_t *store_u64(uint8_t *p, uint64_t v)
{
    v = LITTLE64(v);
    memcpy(p, &v, sizeof v);
    return p + sizeof v;
}

static inline uint8_t *store_bytes(uint8_t *p, const void *bytes, size_t n)
{
    if (n)
        memcpy(p, bytes, n);
    return p + n;
}
#endif
