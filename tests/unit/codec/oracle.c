/* oracle.c - the codecs as a filter, for oracle.py to compare with Python's own.
 *
 * Input: items of a little-endian u32 length and that many bytes. Output: one line for each, the
 * result of the codec named on the command line. */
#include "base/in.h"
#include "codec/blake2b.h"
#include "codec/crc32.h"
#include "codec/fnv1a.h"
#include "codec/json_read.h"
#include "codec/json_scan.h"
#include "codec/json_write.h"
#include "codec/leb128.h"
#include "codec/number.h"
#include "codec/sha256.h"
#include "codec/utf8.h"

#include <stdio.h>
#include <stdlib.h>

static void say_f64(struct out *out, const uint8_t *at, size_t len)
{
    double value;
    if (len != sizeof value)
        return;
    memcpy(&value, at, sizeof value);
    char text[NUMBER_TEXT_SIZE];
    out_bytes(out, text, f64_text(text, value));
}

static void say_utf8(struct out *out, const uint8_t *at, size_t len)
{
    struct utf8_fault fault;
    out_format(out, "%zu", utf8_prefix(at, len));
    if (!utf8_check(at, len, &fault))
        out_format(out, " %zu %u", fault.at, fault.length);
}

static void say_json(struct out *out, const uint8_t *at, size_t len)
{
    json_put_string(out, at, len);
}

static void say_hex(struct out *out, const uint8_t *at, size_t len)
{
    json_put_blob(out, at, len);
}

/* The first byte is the length of the digest. */
static void say_blake2b(struct out *out, const uint8_t *at, size_t len)
{
    if (len < 1 || *at < 1 || *at > BLAKE2B_DIGEST_MOST)
        return;
    uint8_t digest[BLAKE2B_DIGEST_MOST];
    blake2b(digest, *at, at + 1, len - 1);
    json_put_blob(out, digest, *at);
    out_byte(out, ' ');
    out_u64(out, blake2b64(at + 1, len - 1));
}

static void say_crc32(struct out *out, const uint8_t *at, size_t len)
{
    out_u64(out, crc32_update(crc32_update(0, at, len / 3), at + len / 3, len - len / 3));
}

static void say_sha256(struct out *out, const uint8_t *at, size_t len)
{
    struct sha256 sha = sha256_start();
    uint8_t digest[SHA256_SIZE];
    sha256_add(&sha, at, len / 3);
    sha256_add(&sha, at + len / 3, len - len / 3);
    sha256_end(&sha, digest);
    json_put_blob(out, digest, sizeof digest);
}

/* A number as text: the bits of the nearest double, by the tokenizer and, if it decides,
 * in one product. */
static void say_real(struct out *out, const uint8_t *at, size_t len)
{
    uint8_t text[1024 + JSON_PADDING] = {0};
    struct json_read in = json_read_bytes((struct ras_bytes){at, len});
    struct json_token token;
    struct json_number n;
    const uint8_t *fault;
    double slow, quick;
    if (len >= 1024 || json_read_next(&in, &token) != JSON_NUMBER)
        return;
    memcpy(text, at, len);
    if (!json_f64_of(&token, &slow)) {
        out_text(out, "beyond");
        return;
    }
    if (json_number(text, &n, &fault) != text + len)
        out_text(out, "unlike ");
    if (n.exact && decimal_f64(n.digits, n.exponent, &quick) &&
        (n.negative ? -quick : quick) != slow)
        out_text(out, "wrong ");
    uint64_t bits;
    memcpy(&bits, &slow, sizeof bits);
    out_hex(out, bits, 16);
}

static void say_fnv1a(struct out *out, const uint8_t *at, size_t len)
{
    out_u64(out, fnv1a_bytes(FNV1A_START, at, len));
}

/* Number after number: its value and where it ends. */
static void say_leb128(struct out *out, const uint8_t *at, size_t len)
{
    struct in in = in_bytes((struct ras_bytes){at, len});
    bool bad = false;
    while (!in.cut && !bad && in_left(&in)) {
        out_u64(out, in_leb128(&in, &bad));
        out_format(out, "@%td ", in.at - at);
    }
    out_text(out, bad ? "bad" : in.cut ? "cut" : "end");
}

static bool to_stdout(void *user, const uint8_t *bytes, size_t len)
{
    (void)user;
    return fwrite(bytes, 1, len, stdout) == len;
}

static const struct {
    const char *name;
    void (*say)(struct out *out, const uint8_t *at, size_t len);
} codecs[] = {
    {"blake2b", say_blake2b}, {"crc32", say_crc32},   {"f64", say_f64},       {"fnv1a", say_fnv1a},
    {"hex", say_hex},         {"json", say_json},     {"leb128", say_leb128}, {"utf8", say_utf8},
    {"real", say_real},       {"sha256", say_sha256},
};

static bool read_all(struct out *all)
{
    uint8_t *at;
    size_t n = 1;
    while (n > 0 && (at = out_reserve(all, 65536))) {
        n = fread(at, 1, 65536, stdin);
        all->len += n;
    }
    return !all->failed;
}

int main(int argc, char **argv)
{
    struct out all = {0}, out = {.drain = to_stdout};
    int status = 1;
    for (size_t i = 0; argc == 2 && i < sizeof codecs / sizeof *codecs; i++) {
        if (strcmp(argv[1], codecs[i].name) != 0 || !read_all(&all))
            continue;
        struct in in = in_bytes((struct ras_bytes){all.at, all.len});
        out_reserve(&out, 65536);
        while (in_left(&in)) {
            struct ras_bytes item = in_span(&in, in_u32(&in));
            codecs[i].say(&out, item.at, item.len);
            out_byte(&out, '\n');
        }
        out_flush(&out);
        status = in.cut || out.failed;
    }
    out_free(&all);
    out_free(&out);
    return status;
}
