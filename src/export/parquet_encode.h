/* parquet_encode.h - the encodings of values in pages of Parquet. */
#ifndef EXPORT_PARQUET_ENCODE_H
#define EXPORT_PARQUET_ENCODE_H

#include "base/out.h"

/* As the format numbers them. */
enum parquet_encoding {
    PARQUET_PLAIN = 0,
    PARQUET_RLE = 3,
    PARQUET_DELTA = 5,      /* DELTA_BINARY_PACKED */
    PARQUET_DICTIONARY = 8, /* RLE_DICTIONARY */
};

/* Bits that the numbers 0 to `most` need. */
unsigned parquet_width(uint32_t most);

/* The hybrid of runs and bit-packed groups: levels of a width, and indexes into a dictionary. */
void parquet_put_levels(struct out *, const uint8_t *levels, size_t count, unsigned width);
void parquet_put_indexes(struct out *, const uint32_t *indexes, size_t count, unsigned width);

/* The differences between numbers of `size` bytes, 4 or 8, packed in blocks of 128. */
void parquet_put_delta(struct out *, const void *values, size_t count, size_t size);

/* One bit each, of one byte each. */
void parquet_put_bits(struct out *, const uint8_t *values, size_t count);

/* The distinct numbers of `size` bytes, 4 or 8, in order of appearance. */
enum { PARQUET_ENTRIES_MOST = 32 << 10 };
struct parquet_entries {
    uint64_t *values; /* PARQUET_ENTRIES_MOST */
    uint32_t count;
    uint32_t *slots; /* 1 + the entry; 0: free */
    size_t mask;     /* of their number, which is a power of two */
    unsigned shift;  /* 64 minus its exponent */
};
bool parquet_entries_new(struct parquet_entries *);
void parquet_entries_free(struct parquet_entries *);
/* The entry of each number. False: there are more than `most` distinct ones. */
bool parquet_entries_find(struct parquet_entries *, const void *values, size_t count, size_t size,
                          uint32_t most, uint32_t *indexes);
#endif
