/* base64.c - RFC 4648 section 4, strictly: whole groups of four, padded. */
#include "codec/base64.h"
#include "base/out.h"

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

void base64_put(struct out *out, struct ras_bytes bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i;
        uint32_t group = (uint32_t)bytes.at[i] << 16 |
                         (left > 1 ? (uint32_t)bytes.at[i + 1] << 8 : 0) |
                         (left > 2 ? (uint32_t)bytes.at[i + 2] : 0);
        for (size_t k = 0; k < 4; k++)
            out_byte(out, k <= left ? (uint8_t)digits[group >> (18 - 6 * k) & 63] : '=');
    }
}
