/* script.h - a fuzzer's bytes as numbers and spans: the input of a writer. */
#ifndef FUZZ_SCRIPT_H
#define FUZZ_SCRIPT_H

#include <rastrum/rastrum.h>

struct script {
    const uint8_t *at, *end;
};

static inline uint64_t number(struct script *s, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size && s->at < s->end; i++)
        value |= (uint64_t)*s->at++ << 8 * i;
    return value;
}

/* Up to 255 bytes, as a first one says. */
static inline struct ras_bytes data(struct script *s)
{
    size_t size = (size_t)number(s, 1);
    if (size > (size_t)(s->end - s->at))
        size = (size_t)(s->end - s->at);
    struct ras_bytes b = {s->at, size};
    s->at += size;
    return b;
}
#endif
