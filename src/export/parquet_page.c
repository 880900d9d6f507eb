/* parquet_page.c - the gathered values of a column as the pages of a Parquet file: which encoding
 * is smaller is found by trial, pages are compressed, bounds are kept for the indexes. */
#include "base/error.h"
#include "base/memory.h"
#include "codec/zstd_chunk.h"
#include "export/parquet_chunk.h"
#include "export/thrift.h"

#include <math.h>
#include <stdlib.h>

enum {
    TRIAL = 8192,        /* values that both encodings are tried on */
    SHARE = 8,           /* of the values, that a dictionary may have entries */
    TEXT_MOST = 1 << 20, /* bytes of a dictionary of text */
    BOUND_MOST = 64,     /* bytes of a bound */
    LEVEL_ZSTD = 1,
    PAGE_DATA = 0,
    PAGE_DICTIONARY = 2,
};

bool parquet_tools_new(struct parquet_tools *t)
{
    t->zstd = zstd_maker_new(LEVEL_ZSTD);
    return parquet_entries_new(&t->entries) && t->zstd;
}

void parquet_tools_free(struct parquet_tools *t)
{
    zstd_maker_free(t->zstd);
    parquet_entries_free(&t->entries);
    free(t->indexes);
    free(t->seen);
    out_free(&t->plain);
    out_free(&t->packed);
    out_free(&t->trial);
}

/* Into t->packed; its size. */
static size_t compress_page(struct parquet_tools *t, const struct out *from)
{
    size_t bound = zstd_chunk_bound(from->len);
    t->packed.len = 0;
    uint8_t *to = out_room(&t->packed, bound);
    size_t size =
        to ? zstd_chunk_put(t->zstd, (struct ras_bytes){from->at, from->len}, to, bound) : 0;
    if (!size)
        t->packed.failed = true;
    t->packed.len = size;
    return size;
}

/* ---- which encoding --------------------------------------------------------------------- */

static const uint32_t *lengths_of(const struct parquet_chunk *k)
{
    return (const uint32_t *)(const void *)k->lengths.at;
}

/* Values from..to in the encoding that is meant. */
static void put_page_values(const struct parquet_chunk *k, const uint32_t *indexes, unsigned width,
                            enum parquet_encoding encoding, struct out *out, size_t from, size_t to)
{
    size_t size = k->kind->width;
    const uint8_t *values = from < to ? k->values.at + from * size : NULL;
    if (encoding == PARQUET_DICTIONARY) {
        out_byte(out, (uint8_t)width);
        parquet_put_indexes(out, from < to ? indexes + from : NULL, to - from, width);
    } else if (k->kind->physical == PARQUET_BOOLEAN) {
        parquet_put_bits(out, values, to - from);
    } else if (encoding == PARQUET_DELTA) {
        parquet_put_delta(out, values, to - from, size);
    } else {
        out_bytes(out, values, (to - from) * size);
    }
}

static size_t trial_size(struct parquet_chunk *k, struct parquet_tools *t, unsigned width,
                         enum parquet_encoding encoding)
{
    size_t count = k->value_count < TRIAL ? k->value_count : TRIAL;
    t->trial.len = 0;
    put_page_values(k, t->indexes, width, encoding, &t->trial, 0, count);
    return compress_page(t, &t->trial);
}

static unsigned index_width(uint32_t entries)
{
    unsigned width = parquet_width(entries ? entries - 1 : 0);
    return width ? width : 1; /* readers exist that do not take a width of 0 */
}

/* Numbers: a dictionary where there are few and it is smaller by trial. */
static enum parquet_encoding choose_number(struct parquet_chunk *k, struct parquet_tools *t)
{
    bool is_float = k->kind->physical == PARQUET_FLOAT || k->kind->physical == PARQUET_DOUBLE;
    enum parquet_encoding other = is_float ? PARQUET_PLAIN : PARQUET_DELTA;
    size_t most = k->value_count / SHARE;
    if (!k->value_count)
        return PARQUET_PLAIN;
    if (most < 2)
        return other;
    if (most > PARQUET_ENTRIES_MOST)
        most = PARQUET_ENTRIES_MOST;
    if (!parquet_entries_find(&t->entries, k->values.at, k->value_count, k->kind->width,
                              (uint32_t)most, t->indexes))
        return other;
    size_t entries = t->entries.count;
    size_t with = trial_size(k, t, index_width(t->entries.count), PARQUET_DICTIONARY);
    size_t share =
        entries * k->kind->width * TRIAL / (k->value_count > TRIAL ? k->value_count : TRIAL);
    return with + share < trial_size(k, t, 0, other) ? PARQUET_DICTIONARY : other;
}

static enum parquet_encoding choose(struct parquet_chunk *k, struct parquet_tools *t)
{
    if (k->kind->physical == PARQUET_BOOLEAN || (!k->kind->width && !k->entry_count))
        return PARQUET_PLAIN;
    if (k->kind->width)
        return choose_number(k, t);
    return k->values.len <= TEXT_MOST ? PARQUET_DICTIONARY : PARQUET_PLAIN;
}

/* ---- bounds ----------------------------------------------------------------------------- */

static struct ras_bytes entry_bytes(const struct parquet_chunk *k, uint32_t entry)
{
    const uint32_t *ends = (const uint32_t *)(const void *)k->entry_ends.at;
    uint32_t from = entry ? ends[entry - 1] : 0;
    return (struct ras_bytes){k->values.at + from, ends[entry] - from};
}

static int bytes_order(struct ras_bytes a, struct ras_bytes b)
{
    size_t both = a.len < b.len ? a.len : b.len;
    int order = both ? memcmp(a.at, b.at, both) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* A float, as a number of its bits. */
static uint64_t number_of(const struct parquet_chunk *k, size_t i)
{
    const uint32_t *words = (const uint32_t *)(const void *)k->values.at;
    const uint64_t *longs = (const uint64_t *)(const void *)k->values.at;
    return k->kind->width == 4 ? words[i] : longs[i];
}

static double float_of(const struct parquet_chunk *k, uint64_t number)
{
    float f32;
    double f64;
    uint32_t word = (uint32_t)number;
    memcpy(&f32, &word, sizeof f32);
    memcpy(&f64, &number, sizeof f64);
    return k->kind->physical == PARQUET_FLOAT ? (double)f32 : f64;
}

static bool is_float(const struct parquet_chunk *k)
{
    return k->kind->physical == PARQUET_FLOAT || k->kind->physical == PARQUET_DOUBLE;
}

static bool is_nan(const struct parquet_chunk *k, uint64_t number)
{
    return is_float(k) && isnan(float_of(k, number));
}

static bool below(const struct parquet_chunk *k, uint64_t a, uint64_t b)
{
    if (is_float(k))
        return float_of(k, a) < float_of(k, b);
    return k->kind->is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static void widen(const struct parquet_chunk *k, struct parquet_range *r, struct parquet_bound b)
{
    bool is_number = k->kind->width;
    if (!r->known) {
        *r = (struct parquet_range){true, b, b};
        return;
    }
    if (is_number ? below(k, b.number, r->least.number) : bytes_order(b.bytes, r->least.bytes) < 0)
        r->least = b;
    if (is_number ? below(k, r->most.number, b.number) : bytes_order(b.bytes, r->most.bytes) > 0)
        r->most = b;
}

static struct parquet_range long_range(const uint64_t *values, size_t count, uint64_t flip)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = values[i] ^ flip; /* signed ones in the order of unsigned ones */
        least = number < least ? number : least;
        most = number > most ? number : most;
    }
    return (struct parquet_range){count, {.number = least ^ flip}, {.number = most ^ flip}};
}

static struct parquet_range word_range(const uint32_t *values, size_t count)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    return (struct parquet_range){count, {.number = least}, {.number = most}};
}

static struct parquet_range byte_range(const uint8_t *values, size_t count)
{
    uint8_t least = UINT8_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    return (struct parquet_range){count, {.number = least}, {.number = most}};
}

static struct parquet_range integer_range(const struct parquet_chunk *k, size_t from, size_t to)
{
    const void *values = k->values.at + from * k->kind->width;
    if (k->kind->width == 8)
        return long_range(values, to - from, k->kind->is_signed ? (uint64_t)1 << 63 : 0);
    return k->kind->width == 4 ? word_range(values, to - from) : byte_range(values, to - from);
}

static struct parquet_range number_range(const struct parquet_chunk *k, size_t from, size_t to)
{
    struct parquet_range r = {false, {0}, {0}};
    if (!is_float(k))
        return integer_range(k, from, to);
    for (size_t i = from; i < to; i++) {
        uint64_t number = number_of(k, i);
        if (!is_nan(k, number))
            widen(k, &r, (struct parquet_bound){.number = number});
    }
    return r;
}

/* Each entry of a dictionary is compared once, however often it occurs; `indexes` are the entries
 * of the values. `seen` has a byte for each. */
static struct parquet_range entry_range(const struct parquet_chunk *k,
                                        const struct parquet_tools *t, const uint32_t *indexes,
                                        size_t from, size_t to)
{
    bool is_number = k->kind->width;
    uint32_t count = is_number ? t->entries.count : k->entry_count;
    struct parquet_range r = {false, {0}, {0}};
    memset(t->seen, 0, count);
    for (size_t i = from; i < to; i++)
        t->seen[indexes[i]] = 1;
    for (uint32_t entry = 0; entry < count; entry++) {
        if (!t->seen[entry])
            continue;
        struct parquet_bound b = {0};
        if (is_number)
            b.number = t->entries.values[entry];
        else
            b.bytes = entry_bytes(k, entry);
        if (!is_number || !is_nan(k, b.number))
            widen(k, &r, b);
    }
    return r;
}

/* Of bytes, whose place is that after those of the pages before. */
static struct parquet_range bytes_range(const struct parquet_chunk *k, size_t at, size_t from,
                                        size_t to)
{
    struct parquet_range r = {false, {0}, {0}};
    for (size_t i = from; i < to; i++) {
        struct ras_bytes bytes = {k->values.at + at, lengths_of(k)[i]};
        widen(k, &r, (struct parquet_bound){.bytes = bytes});
        at += bytes.len;
    }
    return r;
}

/* Text is cut where a character begins; the larger bound must stay above what was cut off. */
static bool put_cut_bound(struct ras_bytes b, bool is_text, bool is_most, struct out *out)
{
    size_t len = BOUND_MOST;
    while (is_text && len && (b.at[len] & 0xc0) == 0x80)
        len--;
    size_t raised = len;
    while (is_most && raised && b.at[raised - 1] >= (is_text ? 0x7e : 0xff))
        raised--;
    if (is_most && !raised)
        return false;
    out_bytes(out, b.at, is_most ? raised : len);
    if (is_most && !out->failed)
        out->at[out->len - 1]++;
    return true;
}

bool parquet_bound_put(const struct parquet_chunk *k, const struct parquet_bound *b, bool is_most,
                       struct out *out)
{
    uint64_t number = b->number;
    size_t width = k->kind->width;
    if (!width && b->bytes.len > BOUND_MOST)
        return put_cut_bound(b->bytes, k->kind->is_text, is_most, out);
    if (!width) {
        out_bytes(out, b->bytes.at, b->bytes.len);
        return true;
    }
    bool is_zero = is_float(k) && float_of(k, number) == 0;
    if (is_zero) /* both zeros are equal: the bounds have room for either */
        number = is_most ? 0 : (uint64_t)1 << (8 * width - 1);
    uint8_t bytes[8];
    store_u64(bytes, number);
    out_bytes(out, bytes, width);
    return true;
}

/* ---- pages ------------------------------------------------------------------------------ */

/* The head and the compressed bytes of a page that lies in t->plain. */
static int write_page(struct parquet_chunk *k, struct parquet_tools *t, int type, size_t values,
                      enum parquet_encoding encoding, struct ras_sink *sink, struct ras_error *err)
{
    struct out head = {0};
    struct thrift h = {.out = &head};
    size_t packed = compress_page(t, &t->plain);
    if (t->plain.failed || t->packed.failed)
        return fail_memory(err);
    thrift_i32(&h, 1, type);
    thrift_i32(&h, 2, (int32_t)t->plain.len);
    thrift_i32(&h, 3, (int32_t)packed);
    thrift_struct(&h, type == PAGE_DATA ? 5 : 7);
    thrift_i32(&h, 1, (int32_t)values);
    thrift_i32(&h, 2, (int32_t)encoding);
    if (type == PAGE_DATA) {
        thrift_i32(&h, 3, PARQUET_RLE);
        thrift_i32(&h, 4, PARQUET_RLE);
    }
    thrift_close(&h);
    thrift_close(&h);
    k->plain += head.len + t->plain.len;
    k->stored += head.len + packed;
    int status = head.failed ? fail_memory(err) : ras_sink_write(sink, head.at, head.len, err);
    out_free(&head);
    return status == RAS_OK ? ras_sink_write(sink, t->packed.at, packed, err) : status;
}

/* Levels with their length before them. */
static void put_level_part(struct out *out, const uint8_t *levels, size_t count, unsigned width)
{
    size_t at = out->len;
    out_bytes(out, "\0\0\0\0", 4);
    parquet_put_levels(out, levels, count, width);
    if (!out->failed)
        store_u32(out->at + at, (uint32_t)(out->len - at - 4));
}

/* Bytes or text, each with its length; where the bytes after them are. */
static size_t put_plain_bytes(const struct parquet_chunk *k, struct out *out, size_t at,
                              size_t from, size_t to)
{
    const uint32_t *lengths = lengths_of(k);
    for (size_t i = from; i < to; i++) {
        struct ras_bytes b = {k->values.at + at, lengths[i]};
        if (k->entry_count)
            b = entry_bytes(k, lengths[i]);
        else
            at += b.len;
        uint8_t length[4];
        store_u32(length, (uint32_t)b.len);
        out_bytes(out, length, sizeof length);
        out_bytes(out, b.at, b.len);
    }
    return at;
}

static int write_dictionary_page(struct parquet_chunk *k, struct parquet_tools *t,
                                 struct ras_sink *sink, struct ras_error *err)
{
    uint32_t count = k->kind->width ? t->entries.count : k->entry_count;
    uint8_t bytes[8];
    t->plain.len = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct ras_bytes b = {bytes, k->kind->width};
        if (k->kind->width) {
            store_u64(bytes, t->entries.values[i]);
        } else {
            b = entry_bytes(k, i);
            store_u32(bytes, (uint32_t)b.len);
            out_bytes(&t->plain, bytes, 4);
        }
        out_bytes(&t->plain, b.at, b.len);
    }
    k->has_dictionary = true;
    k->dictionary_at = ras_sink_size(sink);
    return write_page(k, t, PAGE_DICTIONARY, count, PARQUET_PLAIN, sink, err);
}

/* What a page holds, into t->plain, and its bounds. *at is where the bytes of values are. */
static void fill_page(struct parquet_chunk *k, struct parquet_tools *t, struct parquet_page *page,
                      const struct parquet_cut *from, const struct parquet_cut *to, size_t *at)
{
    struct out *out = &t->plain;
    bool is_number = k->kind->width, has_text = k->entry_count;
    out->len = 0;
    if (k->is_list)
        put_level_part(out, k->repeats.at + from->levels, to->levels - from->levels, 1);
    if (k->is_optional)
        put_level_part(out, k->levels.at + from->levels, to->levels - from->levels,
                       k->is_list ? 2 : 1);
    page->nulls = k->is_optional ? to->levels - from->levels - (to->values - from->values) : 0;
    page->range.known = false;
    const uint32_t *indexes = is_number ? t->indexes : lengths_of(k);
    uint32_t entries = is_number ? t->entries.count : k->entry_count;
    if (has_text || k->encoding == PARQUET_DICTIONARY)
        page->range = entry_range(k, t, indexes, from->values, to->values);
    else if (is_number)
        page->range = number_range(k, from->values, to->values);
    else
        page->range = bytes_range(k, *at, from->values, to->values);
    if (is_number || k->encoding == PARQUET_DICTIONARY)
        put_page_values(k, indexes, index_width(entries), k->encoding, out, from->values,
                        to->values);
    else
        *at = put_plain_bytes(k, out, *at, from->values, to->values);
}

static int write_pages(struct parquet_chunk *k, struct parquet_tools *t, struct ras_sink *sink,
                       struct ras_error *err)
{
    struct parquet_cut from = {0, 0, 0};
    size_t at = 0;
    int status = RAS_OK;
    k->data_at = ras_sink_size(sink);
    for (size_t i = 0; status == RAS_OK && i < k->cut_count; i++) {
        struct parquet_page *page = &k->pages[k->page_count++];
        const struct parquet_cut *to = &k->cuts[i];
        uint64_t stored = k->stored;
        fill_page(k, t, page, &from, to, &at);
        page->offset = ras_sink_size(sink);
        size_t values = k->is_optional ? to->levels - from.levels : to->values - from.values;
        status = write_page(k, t, PAGE_DATA, values, k->encoding, sink, err);
        page->stored = (uint32_t)(k->stored - stored);
        if (page->range.known) {
            widen(k, &k->range, page->range.least);
            widen(k, &k->range, page->range.most);
        }
        from = *to;
    }
    return status;
}

/* Room for the index of each value, and for a byte of each entry. */
static bool index_room(struct parquet_chunk *k, struct parquet_tools *t)
{
    size_t entries = k->entry_count > PARQUET_ENTRIES_MOST ? k->entry_count : PARQUET_ENTRIES_MOST;
    return out_room(&k->values, 1) && /* so that no value, or one of no bytes, is somewhere */
           array_grow(&t->indexes, &t->index_room, k->value_count + 1, sizeof *t->indexes) &&
           array_grow(&t->seen, &t->seen_room, entries, sizeof *t->seen);
}

int parquet_chunk_write(struct parquet_chunk *k, struct parquet_tools *t, struct ras_sink *sink,
                        struct ras_error *err)
{
    if (!index_room(k, t))
        return fail_memory(err);
    k->stored = k->plain = 0;
    k->encoding = choose(k, t);
    if (t->packed.failed || t->trial.failed)
        return fail_memory(err);
    int status =
        k->encoding == PARQUET_DICTIONARY ? write_dictionary_page(k, t, sink, err) : RAS_OK;
    return status == RAS_OK ? write_pages(k, t, sink, err) : status;
}
