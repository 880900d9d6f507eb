/* remote_fuzz.c - any bytes as headers of an answer, a credentials file, a URL and a list of files.
 */
#include "fuzz.h"
#include "remote/answer.h"
#include "remote/aws.h"
#include "remote/file_list.h"
#include "remote/url.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void read_headers(const char *text, size_t size)
{
    struct answer a = {.total = ANSWER_UNKNOWN, .length = ANSWER_UNKNOWN};
    for (const char *at = text, *end = text + size; at < end;) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        size_t n = line ? (size_t)(line - at) + 1 : (size_t)(end - at);
        answer_line(&a, at, n);
        at += n;
    }
    expect(!a.has_range || (a.from <= a.to && (a.total == ANSWER_UNKNOWN || a.to <= a.total)));
    expect(a.status < 1000 && !memchr(a.etag.text, '\n', strlen(a.etag.text)));
}

/* A password is never shown. */
static void read_url(const char *text)
{
    char shown[URL_MOST], host[300], path[URL_MOST], bucket[200], encoded[URL_MOST];
    const char *key;
    url_show(text, shown, sizeof shown);
    enum url_scheme scheme = url_scheme_of(text);
    if (scheme == URL_HTTP || scheme == URL_HTTPS) {
        const char *start = strstr(shown, "://") + 3;
        expect(!memchr(start, '@', strcspn(start, "/")));
        expect(!url_host(text, host, sizeof host) || !strpbrk(host, "/?#@"));
        expect(!url_path(text, path, sizeof path) || *path == '/');
    }
    if (url_bucket(text, bucket, sizeof bucket, &key) &&
        url_encode(key, "/", encoded, sizeof encoded))
        expect(url_is_plain(encoded));
}

/* Names stay below the directory, and have nothing that a terminal would obey. */
static void read_listing(const char *text, size_t size)
{
    struct file_list files = {0};
    const struct ras_bytes bytes = {(const uint8_t *)text, size};
    char next[200];
    expect(file_list_page(&files, bytes, "/a/", "below/"));
    expect(file_list_bucket(&files, bytes, "", next, sizeof next));
    file_list_sort(&files);
    for (size_t i = 0; i < files.count; i++) {
        const char *name = files.at[i].name;
        expect(*name && *name != '/' && *name != '.' && !strstr(name, "/.") && !strstr(name, "//"));
        expect(i == 0 || strcmp(files.at[i - 1].name, name) < 0);
        for (; *name; name++)
            expect((unsigned char)*name >= ' ');
    }
    file_list_free(&files);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct aws_keys *keys = calloc(1, sizeof *keys);
    struct aws_headers *headers = malloc(sizeof *headers);
    char *text = malloc(size + 1);
    expect(keys && headers && text);
    if (size)
        memcpy(text, bytes, size);
    text[size] = 0;
    read_headers(text, size);
    aws_keys_parse(keys, text, size, "default");
    expect(!memchr(keys->id, '\n', strlen(keys->id)));
    aws_sign(keys, &(const struct aws_request){"host", "/path", "", (int64_t)size}, headers);
    read_url(text);
    read_listing(text, size);
    free(keys);
    free(headers);
    free(text);
    return 0;
}
