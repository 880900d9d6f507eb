/* snapshot.c - the hashes of a replay: of a frame's fields and of its header. */
#include "base/store.h"
#include "codec/fnv1a.h"
#include <rastrum/world.h>

/* What n zero bytes do: xor with 0 is nothing, so they are one multiplication. */
static uint64_t power(uint64_t n)
{
    uint64_t result = 1;
    for (uint64_t square = FNV1A_PRIME; n; n >>= 1, square *= square)
        if (n & 1)
            result *= square;
    return result;
}

enum { BLOCK = 16 };

static bool is_zero(const uint32_t *at)
{
    uint32_t any = 0;
    for (unsigned i = 0; i < BLOCK; i++)
        any |= at[i];
    return !any;
}

/* The hash is one chain of multiplications, a byte each: four cycles that nothing shortens,
 * but for zero bytes. Fields are full of them: whole blocks of 0.0, and the low halves of
 * round numbers. */
static uint64_t hash_words(uint64_t hash, const uint32_t *at, uint64_t count)
{
    const uint64_t two = FNV1A_PRIME * FNV1A_PRIME, four = two * two;
    for (uint64_t i = 0; i < count;) {
        uint64_t from = i;
        while (count - i >= BLOCK && is_zero(at + i))
            i += BLOCK;
        if (i > from)
            hash *= power(4 * (i - from));
        for (uint64_t end = count - i < BLOCK ? count : i + BLOCK; i < end; i++) {
            uint32_t v = at[i];
            if (!v) {
                hash *= four;
                continue;
            }
            if (v & 0xffff) {
                hash = (hash ^ (v & 0xff)) * FNV1A_PRIME;
                hash = (hash ^ (v >> 8 & 0xff)) * FNV1A_PRIME;
            } else {
                hash *= two;
            }
            hash = (hash ^ (v >> 16 & 0xff)) * FNV1A_PRIME;
            hash = (hash ^ v >> 24) * FNV1A_PRIME;
        }
    }
    return hash;
}

static uint64_t one_field(uint64_t hash, uint32_t index, const struct ras_world_field *f)
{
    return hash_words(hash_words(hash, &index, 1), f->values, f->values ? f->count : 0);
}

uint64_t ras_snapshot_hash(const struct ras_world_field *fields, uint32_t field_count)
{
    uint64_t hash = FNV1A_START;
    for (uint32_t i = 0; i < field_count; i++)
        hash = one_field(hash, i, &fields[i]);
    return hash;
}

uint64_t ras_world_hash(const struct ras_world_type *type, const void *world)
{
    uint64_t hash = FNV1A_START;
    uint32_t count = type->shape(world).field_count;
    for (uint32_t i = 0; i < count; i++) {
        struct ras_world_field f = type->field(world, i);
        hash = one_field(hash, i, &f);
    }
    return hash;
}

uint64_t ras_config_hash(uint64_t seed, const struct ras_world_shape *shape,
                         struct ras_bytes descriptor)
{
    uint8_t head[28];
    store_u64(head, seed);
    store_u64(head + 8, shape->dt_bits);
    store_u32(head + 16, shape->field_count);
    store_u64(head + 20, shape->cell_count);
    uint64_t hash = fnv1a_bytes(FNV1A_START, head, sizeof head);
    return fnv1a_bytes(hash, descriptor.at, descriptor.len);
}
