/* aws.c - keys of S3 from the usual environment, and requests signed with them (Signature v4). */
#include "remote/aws.h"
#include "base/os.h"
#include "codec/calendar.h"
#include "codec/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_FILE_MOST = 1 << 20 };

/* ---- keys -------------------------------------------------------------------------------- */

static void trim(const char **at, const char **end)
{
    while (*at < *end && strchr(" \t\r", **at) && **at)
        ++*at;
    while (*end > *at && strchr(" \t\r", (*end)[-1]) && (*end)[-1])
        --*end;
}

static void keep_once(char *out, size_t room, const char *at, const char *end)
{
    size_t n = (size_t)(end - at);
    if (*out || n >= room || memchr(at, '\n', n) || memchr(at, 0, n))
        return;
    memcpy(out, at, n);
    out[n] = 0;
}

static bool is_word(const char *at, const char *end, const char *word)
{
    return (size_t)(end - at) == strlen(word) && !memcmp(at, word, (size_t)(end - at));
}

static void keep_pair(struct aws_keys *keys, const char *at, const char *end)
{
    const char *equals = memchr(at, '=', (size_t)(end - at));
    if (!equals)
        return;
    const char *name_end = equals, *value = equals + 1;
    trim(&at, &name_end);
    trim(&value, &end);
    if (is_word(at, name_end, "aws_access_key_id"))
        keep_once(keys->id, sizeof keys->id, value, end);
    else if (is_word(at, name_end, "aws_secret_access_key"))
        keep_once(keys->secret, sizeof keys->secret, value, end);
    else if (is_word(at, name_end, "aws_session_token"))
        keep_once(keys->token, sizeof keys->token, value, end);
    else if (is_word(at, name_end, "region"))
        keep_once(keys->region, sizeof keys->region, value, end);
}

void aws_keys_parse(struct aws_keys *keys, const char *text, size_t len, const char *profile)
{
    bool inside = false;
    for (const char *at = text, *all = text + len; at < all;) {
        const char *line_end = memchr(at, '\n', (size_t)(all - at));
        const char *end = line_end ? line_end : all, *next = line_end ? line_end + 1 : all;
        trim(&at, &end);
        if (at < end && *at == '[' && end[-1] == ']') {
            const char *name = at + 1, *name_end = end - 1;
            if (name > name_end)
                name_end = name;
            trim(&name, &name_end);
            inside = is_word(name, name_end, profile);
        } else if (inside && at < end && *at != '#' && *at != ';') {
            keep_pair(keys, at, end);
        }
        at = next;
    }
}

static void read_keys_file(struct aws_keys *keys, const char *path, const char *profile)
{
    int fd = os_open(path, OS_READ);
    char *text = fd >= 0 ? malloc(KEYS_FILE_MOST) : NULL;
    int64_t got, len = 0;
    while (text && len < KEYS_FILE_MOST &&
           (got = os_read(fd, text + len, (size_t)(KEYS_FILE_MOST - len))) > 0)
        len += got;
    if (text)
        aws_keys_parse(keys, text, (size_t)len, profile);
    free(text);
    if (fd >= 0)
        os_close(fd);
}

static void from_environment(char *out, size_t room, const char *name)
{
    const char *value = getenv(name);
    if (value && !*out)
        keep_once(out, room, value, value + strlen(value));
}

void aws_keys_get(struct aws_keys *keys)
{
    *keys = (struct aws_keys){0};
    const char *profile = getenv("AWS_PROFILE"), *home = getenv("HOME");
    const char *file = getenv("AWS_SHARED_CREDENTIALS_FILE");
    char path[1024] = "";
    from_environment(keys->region, sizeof keys->region, "AWS_REGION");
    from_environment(keys->region, sizeof keys->region, "AWS_DEFAULT_REGION");
    from_environment(keys->id, sizeof keys->id, "AWS_ACCESS_KEY_ID");
    from_environment(keys->secret, sizeof keys->secret, "AWS_SECRET_ACCESS_KEY");
    if (*keys->id && *keys->secret) {
        from_environment(keys->token, sizeof keys->token, "AWS_SESSION_TOKEN");
    } else {
        *keys->id = *keys->secret = 0;
        if (!file && home && snprintf(path, sizeof path, "%s/.aws/credentials", home) > 0)
            file = path;
        if (file)
            read_keys_file(keys, file, profile && *profile ? profile : "default");
    }
    if (!*keys->secret)
        *keys->id = 0;
    if (!*keys->region)
        snprintf(keys->region, sizeof keys->region, "us-east-1");
}

/* ---- signing ------------------------------------------------------------------------------- */

static void hash_text(const char *text, uint8_t digest[SHA256_SIZE])
{
    struct sha256 sha = sha256_start();
    sha256_add(&sha, text, strlen(text));
    sha256_end(&sha, digest);
}

/* HMAC (RFC 2104) with SHA-256. */
static void sign(const void *key, size_t key_len, const char *text, uint8_t digest[SHA256_SIZE])
{
    uint8_t inner[SHA256_BLOCK] = {0}, outer[SHA256_BLOCK], folded[SHA256_SIZE];
    struct sha256 sha = sha256_start();
    if (key_len > SHA256_BLOCK) {
        sha256_add(&sha, key, key_len);
        sha256_end(&sha, folded);
        key = folded;
        key_len = SHA256_SIZE;
        sha = sha256_start();
    }
    memcpy(inner, key, key_len);
    for (int i = 0; i < SHA256_BLOCK; i++) {
        outer[i] = inner[i] ^ 0x5c;
        inner[i] ^= 0x36;
    }
    sha256_add(&sha, inner, sizeof inner);
    sha256_add(&sha, text, strlen(text));
    sha256_end(&sha, digest);
    sha = sha256_start();
    sha256_add(&sha, outer, sizeof outer);
    sha256_add(&sha, digest, SHA256_SIZE);
    sha256_end(&sha, digest);
}

static void to_hex(const uint8_t digest[SHA256_SIZE], char text[2 * SHA256_SIZE + 1])
{
    for (int i = 0; i < SHA256_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

static void signing_key(const struct aws_keys *keys, const char *day, uint8_t key[SHA256_SIZE])
{
    char first[4 + sizeof keys->secret];
    int n = snprintf(first, sizeof first, "AWS4%s", keys->secret);
    sign(first, (size_t)n, day, key);
    sign(key, SHA256_SIZE, keys->region, key);
    sign(key, SHA256_SIZE, "s3", key);
    sign(key, SHA256_SIZE, "aws4_request", key);
}

void aws_sign(const struct aws_keys *keys, const struct aws_request *r, struct aws_headers *out)
{
    static const char empty[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    struct calendar c = calendar_of(r->seconds);
    char when[24], day[12], canonical[16384], to_sign[512], hex[2 * SHA256_SIZE + 1];
    uint8_t digest[SHA256_SIZE], key[SHA256_SIZE];
    snprintf(day, sizeof day, "%04u%02u%02u", (unsigned)c.year % 10000, c.month % 100, c.day % 100);
    snprintf(when, sizeof when, "%sT%02u%02u%02uZ", day, c.hour % 100, c.minute % 100,
             c.second % 100);
    const char *token = *keys->token ? ";x-amz-security-token" : "";
    *out = (struct aws_headers){0};
    snprintf(out->date, sizeof out->date, "x-amz-date: %s", when);
    snprintf(out->hash, sizeof out->hash, "x-amz-content-sha256: %s", empty);
    if (*token)
        snprintf(out->token, sizeof out->token, "x-amz-security-token: %s", keys->token);
    snprintf(canonical, sizeof canonical,
             "GET\n%s\n%s\nhost:%s\nx-amz-content-sha256:%s\nx-amz-date:%s\n%s%s%s\n"
             "host;x-amz-content-sha256;x-amz-date%s\n%s",
             r->path, r->query, r->host, empty, when, *token ? "x-amz-security-token:" : "",
             keys->token, *token ? "\n" : "", token, empty);
    hash_text(canonical, digest);
    to_hex(digest, hex);
    snprintf(to_sign, sizeof to_sign, "AWS4-HMAC-SHA256\n%s\n%s/%s/s3/aws4_request\n%s", when, day,
             keys->region, hex);
    signing_key(keys, day, key);
    sign(key, sizeof key, to_sign, digest);
    to_hex(digest, hex);
    snprintf(out->authorization, sizeof out->authorization,
             "Authorization: AWS4-HMAC-SHA256 Credential=%s/%s/%s/s3/aws4_request, "
             "SignedHeaders=host;x-amz-content-sha256;x-amz-date%s, Signature=%s",
             keys->id, day, keys->region, token, hex);
}
