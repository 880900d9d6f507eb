/* world_state.c - the state of a world as a file, so that a replay can begin in the middle.
 *
 *   0  "RASSTAT1"            40  u64 config_hash
 *   8  u64 bytes of numbers  48  u64 snapshot_hash
 *  16  u32 CRC-32 of them    56  name of the world, 64 bytes, NUL-padded
 *  20  u32 zero             120  the numbers, little-endian, in the world's own order
 *  24  u64 tick_id
 *  32  u64 seed
 */
#include "base/error.h"
#include "base/in.h"
#include "base/out.h"
#include "codec/crc32.h"
#include "codec/fnv1a.h"
#include "world/worlds.h"
#include <rastrum/world.h>

#include <stdlib.h>
#include <string.h>

/* ---- snapshot ---------------------------------------------------------------------------- */

/* The hashes of a replay: of a frame's fields and of its header. */

/* The effect of n zero bytes: xor with 0 is a no-op, so they are one multiplication. */
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

enum { HEAD_SIZE = 120, NAME_AT = 56, NAME_SIZE = 64, MAGIC_SIZE = 8 };
static const char magic[MAGIC_SIZE + 1] = "RASSTAT1";
_Static_assert(NAME_AT + NAME_SIZE == HEAD_SIZE, "the name ends the head");
_Static_assert(sizeof((struct ras_world_state *)0)->world == NAME_SIZE + 1, "a name and its NUL");

/* ---- numbers ----------------------------------------------------------------------------- */

struct saver {
    struct ras_world_keeper keeper; /* first */
    struct out out;
};

struct restorer {
    struct ras_world_keeper keeper; /* first */
    struct in in;
};

static uint64_t number_at(const uint8_t *at, unsigned width)
{
    uint8_t one = *at;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (width) {
    case 1:
        return one;
    case 2:
        memcpy(&two, at, sizeof two);
        return two;
    case 4:
        memcpy(&four, at, sizeof four);
        return four;
    default:
        memcpy(&eight, at, sizeof eight);
        return eight;
    }
}

static void number_to(uint8_t *at, unsigned width, uint64_t value)
{
    uint8_t one = (uint8_t)value;
    uint16_t two = (uint16_t)value;
    uint32_t four = (uint32_t)value;
    switch (width) {
    case 1:
        *at = one;
        return;
    case 2:
        memcpy(at, &two, sizeof two);
        return;
    case 4:
        memcpy(at, &four, sizeof four);
        return;
    default:
        memcpy(at, &value, sizeof value);
        return;
    }
}

static bool is_width(unsigned width)
{
    return width == 1 || width == 2 || width == 4 || width == 8;
}

static bool save_numbers(struct ras_world_keeper *keeper, void *at, unsigned width, size_t count)
{
    struct saver *s = (struct saver *)(void *)keeper;
    if (!is_width(width))
        return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = number_at((const uint8_t *)at + i * width, width);
        uint8_t *to = out_reserve(&s->out, width);
        if (!to)
            return false;
        for (unsigned k = 0; k < width; k++)
            to[k] = (uint8_t)(value >> 8 * k);
        s->out.len += width;
    }
    return true;
}

static bool restore_numbers(struct ras_world_keeper *keeper, void *at, unsigned width, size_t count)
{
    struct restorer *r = (struct restorer *)(void *)keeper;
    if (!is_width(width) || count > in_left(&r->in) / width) {
        r->in.cut = true;
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const uint8_t *from = in_take(&r->in, width);
        uint64_t value = 0;
        for (unsigned k = 0; k < width; k++)
            value |= (uint64_t)from[k] << 8 * k;
        number_to((uint8_t *)at + i * width, width, value);
    }
    return true;
}

/* ---- files ------------------------------------------------------------------------------- */

static void put_u64(uint8_t *to, uint64_t value)
{
    for (unsigned k = 0; k < 8; k++)
        to[k] = (uint8_t)(value >> 8 * k);
}

int ras_world_save(const struct ras_world_type *type, const void *world,
                   const struct ras_world_state *about, struct ras_sink *sink,
                   struct ras_error *err)
{
    struct saver s = {.keeper = {.numbers = save_numbers}};
    uint8_t head[HEAD_SIZE] = {0};
    if (!type->keep)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "the state of the world %s cannot be saved",
                    type->name);
    int status = world_keep(type, (void *)(uintptr_t)world, &s.keeper, err);
    if (status == RAS_OK && s.out.failed)
        status = fail_memory(err);
    if (status == RAS_OK) {
        memcpy(head, magic, MAGIC_SIZE);
        put_u64(head + 8, s.out.len);
        put_u64(head + 16, crc32_update(0, s.out.at, s.out.len));
        put_u64(head + 24, about->tick_id);
        put_u64(head + 32, about->seed);
        put_u64(head + 40, about->config_hash);
        put_u64(head + 48, ras_world_hash(type, world));
        size_t len = strlen(type->name);
        memcpy(head + NAME_AT, type->name, len < NAME_SIZE ? len : NAME_SIZE);
        status = ras_sink_write(sink, head, sizeof head, err);
    }
    if (status == RAS_OK)
        status = ras_sink_write(sink, s.out.at, s.out.len, err);
    out_free(&s.out);
    return status;
}

static int read_head(struct ras_bytes file, struct ras_world_state *about, struct ras_bytes *body,
                     struct ras_error *err)
{
    struct in in = in_bytes(file);
    struct ras_bytes first = in_span(&in, MAGIC_SIZE);
    uint64_t size = in_u64(&in);
    uint32_t crc = in_u32(&in);
    in_u32(&in);
    about->tick_id = in_u64(&in);
    about->seed = in_u64(&in);
    about->config_hash = in_u64(&in);
    about->snapshot_hash = in_u64(&in);
    struct ras_bytes name = in_span(&in, NAME_SIZE);
    if (!first.at || memcmp(first.at, magic, MAGIC_SIZE) != 0)
        return fail(err, RAS_EFORMAT, 0,
                    "state: not the state of a world: it does not begin with %s", magic);
    if (in.cut || size != in_left(&in))
        return fail(err, RAS_ECUT, file.len, "state: cut: %" PRIu64 " bytes long, %zu are there",
                    in.cut ? HEAD_SIZE : HEAD_SIZE + size, file.len);
    memcpy(about->world, name.at, NAME_SIZE);
    about->world[NAME_SIZE] = 0;
    *body = in_span(&in, size);
    uint32_t computed = crc32_update(0, body->at, body->len);
    if (crc != computed)
        return fail(err, RAS_EFORMAT, 16, "state: checksum 0x%08" PRIx32 ", computed 0x%08" PRIx32,
                    crc, computed);
    return RAS_OK;
}

static int restore_world(const struct ras_world_type *type, void *world, struct ras_bytes file,
                         struct ras_world_state *about, struct ras_error *err)
{
    struct restorer r = {.keeper = {.restoring = true, .numbers = restore_numbers}};
    struct ras_bytes body = {0};
    *about = (struct ras_world_state){0};
    int status = read_head(file, about, &body, err);
    if (status < 0)
        return status;
    char name[NAME_SIZE + 1] = {0};
    size_t len = strlen(type->name);
    memcpy(name, type->name, len < NAME_SIZE ? len : NAME_SIZE);
    if (!type->keep || memcmp(about->world, name, sizeof name) != 0)
        return fail(err, RAS_EUSAGE, NAME_AT, "state: of the world %s, the replay is of %s",
                    about->world, type->name);
    r.in = in_bytes(body);
    status = world_keep(type, world, &r.keeper, err);
    if (status < 0)
        return status;
    if (r.in.cut || in_left(&r.in))
        return fail(err, RAS_EFORMAT, HEAD_SIZE,
                    "state: %zu bytes do not fit the world: %" PRIu64 " are left", body.len,
                    in_left(&r.in));
    uint64_t hash = ras_world_hash(type, world);
    if (hash != about->snapshot_hash)
        return fail(err, RAS_EFORMAT, 48,
                    "state: the restored world has the hash 0x%016" PRIx64
                    ", saved was 0x%016" PRIx64,
                    hash, about->snapshot_hash);
    return RAS_OK;
}

int ras_world_restore(const struct ras_world_type *type, void *world, struct ras_bytes file,
                      struct ras_world_state *about, struct ras_error *err)
{
    return fail_about(restore_world(type, world, file, about, err), RAS_ABOUT_STATE, err);
}
