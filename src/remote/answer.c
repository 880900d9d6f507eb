/* answer.c - what the headers of an answer say. */
#include "remote/answer.h"

#include <string.h>
#include <strings.h>

static bool take_number(const char **at, const char *end, uint64_t *value)
{
    const char *start = *at;
    *value = 0;
    while (*at < end && **at >= '0' && **at <= '9') {
        unsigned digit = (unsigned)(**at - '0');
        if (*value > (UINT64_MAX - 1 - digit) / 10)
            return false;
        *value = *value * 10 + digit;
        ++*at;
    }
    return *at > start;
}

static bool take_char(const char **at, const char *end, char c)
{
    if (*at == end || **at != c)
        return false;
    ++*at;
    return true;
}

bool answer_range(const char *text, size_t len, struct answer *a)
{
    static const char unit[] = "bytes ";
    const char *at = text, *end = text + len;
    uint64_t first = 0, last = 0, total = ANSWER_UNKNOWN;
    if (len < sizeof unit - 1 || strncasecmp(text, unit, sizeof unit - 1) != 0)
        return false;
    at += sizeof unit - 1;
    bool none = take_char(&at, end, '*');
    if (!none && (!take_number(&at, end, &first) || !take_char(&at, end, '-') ||
                  !take_number(&at, end, &last) || last < first))
        return false;
    if (!take_char(&at, end, '/'))
        return false;
    if (!take_char(&at, end, '*') && !take_number(&at, end, &total))
        return false;
    if (at != end || (!none && last >= total) || (none && total == ANSWER_UNKNOWN))
        return false;
    a->from = first;
    a->to = none ? first : last + 1;
    a->total = total;
    return true;
}

/* The value of the header `name`; NULL: it is another. */
static const char *value_of(const char *line, size_t len, const char *name, size_t *size)
{
    size_t n = strlen(name);
    if (len <= n || strncasecmp(line, name, n) != 0 || line[n] != ':')
        return NULL;
    const char *at = line + n + 1, *end = line + len;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *size = (size_t)(end - at);
    return at;
}

static void keep(char *out, size_t room, const char *text, size_t len)
{
    size_t n = len < room ? len : room - 1;
    for (size_t i = 0; i < n; i++)
        out[i] = (unsigned char)text[i] < ' ' ? '?' : text[i];
    out[n] = 0;
}

static void keep_tag(struct answer_tag *tag, const char *text, size_t len)
{
    keep(tag->text, sizeof tag->text, text, len);
    tag->cut = len >= sizeof tag->text;
}

/* "HTTP/1.1 206 Partial Content" */
static void status_line(struct answer *a, const char *line, size_t len)
{
    const char *space = memchr(line, ' ', len), *end = line + len;
    uint64_t status;
    *a = (struct answer){.total = ANSWER_UNKNOWN, .length = ANSWER_UNKNOWN};
    if (space && ++space < end && take_number(&space, end, &status) && status < 1000)
        a->status = (unsigned)status;
}

void answer_line(struct answer *a, const char *line, size_t len)
{
    size_t n;
    const char *value;
    while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
        len--;
    if (len >= 5 && !memcmp(line, "HTTP/", 5)) {
        status_line(a, line, len);
    } else if ((value = value_of(line, len, "content-range", &n))) {
        a->has_range = answer_range(value, n, a);
        a->bad_range |= !a->has_range;
    } else if ((value = value_of(line, len, "content-length", &n))) {
        const char *at = value;
        if (!take_number(&at, value + n, &a->length) || at != value + n)
            a->length = ANSWER_UNKNOWN;
    } else if ((value = value_of(line, len, "etag", &n))) {
        keep_tag(&a->etag, value, n);
    } else if ((value = value_of(line, len, "last-modified", &n))) {
        keep_tag(&a->modified, value, n);
    } else if ((value = value_of(line, len, "x-amz-bucket-region", &n))) {
        keep(a->region, sizeof a->region, value, n);
    }
}
