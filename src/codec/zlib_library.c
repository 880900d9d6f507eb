/* zlib_library.c - the zlib format (RFC 1950), at once, by libdeflate. */
#include "codec/zlib_block.h"

#include <libdeflate.h>

/* Rendered pictures are flat and repeat themselves: the fastest level finds nearly everything. */
enum { DEFLATE_LEVEL = 1 };

size_t zlib_bound(size_t len)
{
    return libdeflate_zlib_compress_bound(NULL, len);
}

size_t zlib_put(struct ras_bytes in, uint8_t *out)
{
    struct libdeflate_compressor *codec = libdeflate_alloc_compressor(DEFLATE_LEVEL);
    if (!codec)
        return 0;
    size_t made = libdeflate_zlib_compress(codec, in.at, in.len, out, zlib_bound(in.len));
    libdeflate_free_compressor(codec);
    return made;
}

int zlib_get(struct ras_bytes in, uint8_t *out, size_t len)
{
    struct libdeflate_decompressor *codec = libdeflate_alloc_decompressor();
    size_t made = 0;
    if (!codec)
        return RAS_EMEMORY;
    enum libdeflate_result result =
        libdeflate_zlib_decompress(codec, in.at, in.len, out, len, &made);
    libdeflate_free_decompressor(codec);
    return result == LIBDEFLATE_SUCCESS && made == len ? RAS_OK : RAS_EFORMAT;
}
