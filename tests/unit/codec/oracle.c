/* oracle.c - the codecs as a filter, for oracle.py to hold against Python's own.
 *
 * Input: items of a little-endian u32 length and that many bytes. Output: one
 * line for each, what the codec named on the command line says of it. */
#include "base/in.h"
#include "codec/json_write.h"
#include "codec/number.h"
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

static void say_f32(struct out *out, const uint8_t *at, size_t len)
{
    float value;
    if (len != sizeof value)
        return;
    memcpy(&value, at, sizeof value);
    char text[NUMBER_TEXT_SIZE];
    out_bytes(out, text, f32_text(text, value));
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
    json_string(out, at, len);
}

static void say_hex(struct out *out, const uint8_t *at, size_t len)
{
    json_hex_bytes(out, at, len);
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
    {"f64", say_f64}, {"f32", say_f32}, {"utf8", say_utf8}, {"json", say_json}, {"hex", say_hex},
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
