/* murk_compare_match.c - pairs the commands of two frames.
 *
 * The commands of a tick are an ordered set. A common prefix and suffix are skipped. Of the other
 * commands those that are equal byte for byte are paired, then those that agree in fewer and fewer
 * fields: a changed command is not reported as one removed and one added. Of the pairs, those of
 * the longest ascending subsequence are in place, the others have moved. */
#include "base/memory.h"
#include "codec/fnv1a.h"
#include "formats/murk/murk_compare.h"

#include <stdlib.h>

void murk_match_free(struct murk_match *m)
{
    for (int i = 0; i < 2; i++) {
        free(m->sides[i].at);
        free(m->keys[i]);
    }
    free(m->chain);
}

void murk_entry_get(const struct murk_entries *e, size_t i, struct ras_murk_command *k)
{
    struct ras_murk_fault fault;
    struct ras_bytes bytes = {e->bytes.at + e->at[i].at, e->at[i].size};
    if (!ras_murk_command_get(bytes, k, &fault))
        *k = (struct ras_murk_command){0}; /* it was valid before: the file has changed */
}

/* ---- entries --------------------------------------------------------------------- */

static bool same_entries(const struct murk_match *m, size_t a, size_t b)
{
    const struct murk_entries *x = &m->sides[0], *y = &m->sides[1];
    return x->at[a].size == y->at[b].size &&
           !memcmp(x->bytes.at + x->at[a].at, y->bytes.at + y->at[b].at, x->at[a].size);
}

static bool list_commands(struct murk_entries *e, struct ras_bytes commands, size_t from)
{
    struct in in = in_bytes(commands);
    const uint8_t *front = in.at;
    struct ras_murk_command k;
    struct ras_murk_fault fault;
    e->bytes = commands;
    e->count = 0;
    in_take(&in, from);
    for (uint32_t at = (uint32_t)from; in_left(&in) && murk_command(&in, &k, &fault);
         at = (uint32_t)(in.at - front)) {
        if (!array_grow(&e->at, &e->room, e->count + 1, sizeof *e->at))
            return false;
        e->at[e->count++] =
            (struct murk_entry){.at = at, .size = (uint32_t)k.size, .match = MURK_UNMATCHED};
    }
    return true;
}

/* Length of the common prefix in bytes, of whole commands. */
static size_t common_front(struct ras_bytes a, struct ras_bytes b, size_t *commands)
{
    struct in in = in_bytes(a);
    const uint8_t *front = in.at;
    struct ras_murk_command k;
    struct ras_murk_fault fault;
    size_t at = 0;
    *commands = 0;
    while (in_left(&in) && murk_command(&in, &k, &fault)) {
        if (k.size > b.len - at || memcmp(front + at, b.at + at, k.size) != 0)
            break;
        at += k.size;
        ++*commands;
    }
    return at;
}

static void pair_entries(struct murk_match *m, size_t a, size_t b, bool same)
{
    struct murk_entry *x = &m->sides[0].at[a], *y = &m->sides[1].at[b];
    x->match = (uint32_t)b;
    y->match = (uint32_t)a;
    x->same = y->same = same;
}

static void pair_tails(struct murk_match *m)
{
    size_t a = m->sides[0].count, b = m->sides[1].count;
    while (a && b && same_entries(m, a - 1, b - 1))
        pair_entries(m, --a, --b, true);
}

/* ---- by keys ----------------------------------------------------------------------- */

/* What two commands must agree in to be paired, from everything to nothing. */
enum { WHOLE, ALL_BUT_ARRIVAL, SOURCE, TARGET, TYPE, ANY, KEYS };

static uint64_t hash_number(uint64_t h, uint64_t number)
{
    return fnv1a_bytes(h, &number, sizeof number);
}

/* The target of a command: the first fields of its payload. */
static struct ras_bytes target_of(const struct ras_murk_command *k)
{
    struct ras_murk_payload p;
    struct ras_murk_fault fault;
    struct ras_bytes target = k->payload;
    if (!ras_murk_payload_get(k->payload_type, k->payload, &p, &fault))
        return target;
    switch (k->payload_type) {
    case RAS_MURK_MOVE:
    case RAS_MURK_DESPAWN:
        target.len = 8; /* entity_id */
        break;
    case RAS_MURK_SPAWN:
        target.len = 4 + p.coord.len;
        break;
    case RAS_MURK_SET_FIELD:
        target.len = 4 + p.coord.len + 4; /* coord, field_id */
        break;
    default:
        target.len = 4; /* type_id, key, or how many keys */
    }
    return target;
}

/* Zero: it has no such key. */
static uint64_t key_of(const struct murk_entries *e, size_t i, unsigned by)
{
    struct ras_murk_command k;
    if (by == WHOLE)
        return fnv1a_bytes(FNV1A_START, e->bytes.at + e->at[i].at, e->at[i].size) | 1;
    if (by == ANY)
        return 1;
    murk_entry_get(e, i, &k);
    uint64_t h = hash_number(FNV1A_START, k.payload_type);
    if (by == ALL_BUT_ARRIVAL) {
        h = fnv1a_bytes(h, k.payload.at, k.payload.len);
        h = hash_number(hash_number(h, k.priority_class),
                        (k.has_source_id ? 1u : 0u) | (k.has_source_seq ? 2u : 0u));
        h = hash_number(hash_number(h, k.source_id), k.source_seq);
    } else if (by == SOURCE) {
        if (!k.has_source_id || !k.has_source_seq)
            return 0;
        h = hash_number(hash_number(FNV1A_START, k.source_id), k.source_seq);
    } else if (by == TARGET) {
        struct ras_bytes target = target_of(&k);
        h = fnv1a_bytes(h, target.at, target.len);
    }
    return h | 1;
}

static int by_match_key(const void *a, const void *b)
{
    const struct murk_key *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Lists the unmatched commands in the order of their keys; SIZE_MAX: out of memory. */
static size_t list_keys(struct murk_match *m, int side, unsigned by)
{
    const struct murk_entries *e = &m->sides[side];
    size_t count = 0;
    if (!array_grow(&m->keys[side], &m->key_rooms[side], e->count + 1, sizeof **m->keys))
        return SIZE_MAX;
    for (size_t i = 0; i < e->count; i++) {
        uint64_t key = e->at[i].match == MURK_UNMATCHED ? key_of(e, i, by) : 0;
        if (key)
            m->keys[side][count++] = (struct murk_key){key, (uint32_t)i};
    }
    if (count)
        qsort(m->keys[side], count, sizeof **m->keys, by_match_key);
    return count;
}

/* Pairs commands of equal key in their order. Zero: one side has no unmatched commands left;
 * negative: out of memory. */
static int pair_by(struct murk_match *m, unsigned by)
{
    size_t n = list_keys(m, 0, by), k = list_keys(m, 1, by);
    if (n == SIZE_MAX || k == SIZE_MAX)
        return -1;
    for (size_t a = 0, b = 0; a < n && b < k;) {
        const struct murk_key *x = &m->keys[0][a], *y = &m->keys[1][b];
        if (x->key != y->key) {
            a += x->key < y->key;
            b += x->key > y->key;
            continue;
        }
        bool same = same_entries(m, x->index, y->index);
        if (by != WHOLE || same)
            pair_entries(m, x->index, y->index, same);
        a++;
        b++;
    }
    return (n && k) || by == SOURCE; /* not every command has a source */
}

/* ---- order ------------------------------------------------------------------------- */

/* Pairs of the longest subsequence that ascends on both sides are in place. `chain` is two arrays:
 * the entry that ends the best subsequence of each length, and for each entry its predecessor. */
static bool find_moved(struct murk_match *m)
{
    struct murk_entries *e = &m->sides[0];
    size_t length = 0;
    if (!array_grow(&m->chain, &m->chain_room, 2 * e->count + 1, sizeof *m->chain))
        return false;
    uint32_t *ends = m->chain, *before = m->chain + e->count;
    for (size_t i = 0; i < e->count; i++) {
        if (e->at[i].match == MURK_UNMATCHED)
            continue;
        size_t low = 0, high = length;
        while (low < high) {
            size_t mid = low + (high - low) / 2;
            if (e->at[ends[mid]].match < e->at[i].match)
                low = mid + 1;
            else
                high = mid;
        }
        e->at[i].moved = true;
        before[i] = low ? ends[low - 1] : MURK_UNMATCHED;
        ends[low] = (uint32_t)i;
        length += low == length;
    }
    for (uint32_t i = length ? ends[length - 1] : MURK_UNMATCHED; i != MURK_UNMATCHED;
         i = before[i])
        e->at[i].moved = false;
    return true;
}

bool murk_match(struct murk_match *m, const struct ras_murk_frame *a,
                const struct ras_murk_frame *b)
{
    size_t from = common_front(a->commands, b->commands, &m->skipped);
    if (!list_commands(&m->sides[0], a->commands, from) ||
        !list_commands(&m->sides[1], b->commands, from))
        return false;
    pair_tails(m);
    for (unsigned by = WHOLE; by < KEYS; by++) {
        int more = pair_by(m, by);
        if (more < 0)
            return false;
        if (!more)
            break;
    }
    return find_moved(m);
}
