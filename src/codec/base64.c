/* base64.c - RFC 4648 section 4, strictly: whole groups of four, padded. */
#include "codec/base64.h"

static int digit(uint8_t c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool base64_get(struct ras_bytes text, uint8_t *out, size_t *len)
{
    size_t n = text.len, pads = 0;
    *len = 0;
    while (pads < 2 && pads < n && text.at[n - 1 - pads] == '=')
        pads++;
    if (n % 4)
        return false;
    uint32_t group = 0;
    for (size_t i = 0; i < n; i++) {
        int value = i < n - pads ? digit(text.at[i]) : 0;
        if (value < 0)
            return false;
        group = group << 6 | (uint32_t)value;
        if (i % 4 != 3)
            continue;
        for (int k = 2; k >= 0; k--)
            out[(*len)++] = (uint8_t)(group >> 8 * k);
    }
    *len -= pads;
    return true;
}
