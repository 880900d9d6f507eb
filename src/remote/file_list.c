/* file_list.c - the files of a directory, from what its server shows: a page of links, or the list
 * of a bucket. */
#include "remote/file_list.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- names ----------------------------------------------------------------------------------- */

/* As a local directory is listed: nothing hidden, which "." and ".." are, too. */
static bool is_listable(const char *name)
{
    for (const char *at = name;; at++) {
        if (*at == '.' || *at == '/')
            return false;
        for (; *at && *at != '/'; at++)
            if ((unsigned char)*at < ' ' || *at == 127)
                return false;
        if (!*at || !at[1])
            return *name;
    }
}

static bool file_list_add(struct file_list *l, const char *below, const char *name, uint64_t size)
{
    char whole[FILE_LIST_NAME];
    int n = snprintf(whole, sizeof whole, "%s%s", below, name);
    if (!is_listable(name) || n < 0 || (size_t)n >= sizeof whole)
        return true;
    char *copy = text_copy(whole, (size_t)n);
    if (!copy || !array_grow(&l->at, &l->room, l->count + 1, sizeof *l->at)) {
        free(copy);
        return false;
    }
    l->at[l->count++] = (struct listed_file){copy, size};
    return true;
}

static int listed_order(const void *a, const void *b)
{
    return strcmp(((const struct listed_file *)a)->name, ((const struct listed_file *)b)->name);
}

void file_list_sort(struct file_list *l)
{
    size_t kept = 0;
    if (l->count)
        qsort(l->at, l->count, sizeof *l->at, listed_order);
    for (size_t i = 0; i < l->count; i++)
        if (kept && !strcmp(l->at[kept - 1].name, l->at[i].name))
            free(l->at[i].name);
        else
            l->at[kept++] = l->at[i];
    l->count = kept;
}

void file_list_free(struct file_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->at[i].name);
    free(l->at);
    *l = (struct file_list){0};
}

/* ---- text ------------------------------------------------------------------------------------ */

/* A code point as UTF-8; 0: it is none. */
static size_t put_utf8(unsigned long c, char out[4])
{
    if (!c || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    out[0] = (char)(lead[more] | c >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        out[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
    return more + 1;
}

/* One reference of HTML or XML, from its '&' on: how long it is, 0: it is none. */
static size_t reference(const char *text, size_t len, char out[4], size_t *n)
{
    static const struct {
        const char *name, is;
    } names[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (len >= strlen(names[i].name) && !memcmp(text, names[i].name, strlen(names[i].name))) {
            out[0] = names[i].is;
            *n = 1;
            return strlen(names[i].name);
        }
    char number[12];
    const char *end = memchr(text, ';', len < sizeof number ? len : sizeof number);
    if (!end || end - text < 3 || text[1] != '#')
        return 0;
    bool hex = (text[2] | 0x20) == 'x';
    const char *from = text + (hex ? 3 : 2);
    memcpy(number, from, (size_t)(end - from));
    number[end - from] = 0;
    if (!*number || strspn(number, hex ? "0123456789abcdefABCDEF" : "0123456789") != strlen(number))
        return 0;
    *n = put_utf8(strtoul(number, NULL, hex ? 16 : 10), out);
    return *n ? (size_t)(end - text) + 1 : 0;
}

/* Without references; false: too long, or it has a NUL. */
static bool unescape(struct ras_bytes in, char *out, size_t room)
{
    const char *text = (const char *)in.at;
    size_t len = 0;
    for (size_t i = 0; i < in.len;) {
        char bytes[4] = {text[i]};
        size_t n = 1, took = text[i] == '&' ? reference(text + i, in.len - i, bytes, &n) : 0;
        if (!took) {
            bytes[0] = text[i];
            n = 1;
        }
        if (!bytes[0] || len + n >= room)
            return false;
        memcpy(out + len, bytes, n);
        len += n;
        i += took ? took : 1;
    }
    out[len] = 0;
    return true;
}

static int hex_digit(char c)
{
    const char *at = c ? strchr("0123456789abcdef", c | 0x20) : NULL;
    return c >= '0' && at ? (int)(at - "0123456789abcdef") : -1;
}

/* %XX in place; false: one is malformed, or stands for a '/' or NUL, which no name has. */
static bool decode_percent(char *text)
{
    char *out = text;
    for (; *text; text++) {
        if (*text != '%') {
            *out++ = *text;
            continue;
        }
        int high = hex_digit(text[1]), low = high < 0 ? -1 : hex_digit(text[2]);
        if (low < 0 || !(high | low) || (high << 4 | low) == '/')
            return false;
        *out++ = (char)(high << 4 | low);
        text += 2;
    }
    *out = 0;
    return true;
}

/* ---- a page of links ------------------------------------------------------------------------- */

static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_space(struct ras_bytes *in)
{
    while (in->len && is_space(*in->at)) {
        in->at++;
        in->len--;
    }
}

static void step_over(struct ras_bytes *in, size_t n)
{
    in->at += n;
    in->len -= n;
}

/* The value of an attribute, after its '='. */
static struct ras_bytes attribute(struct ras_bytes *in)
{
    struct ras_bytes value = {in->at, 0};
    uint8_t quote = in->len && (*in->at == '"' || *in->at == '\'') ? *in->at : 0;
    if (quote)
        step_over(in, 1);
    value.at = in->at;
    while (in->len && (quote ? *in->at != quote : !is_space(*in->at) && *in->at != '>'))
        step_over(in, 1);
    value.len = (size_t)(in->at - value.at);
    if (quote && in->len)
        step_over(in, 1);
    return value;
}

/* The href of the next <a>; false: there is none. */
static bool next_link(struct ras_bytes *in, struct ras_bytes *href)
{
    for (;;) {
        const uint8_t *tag = in->len ? memchr(in->at, '<', in->len) : NULL;
        if (!tag)
            return false;
        step_over(in, (size_t)(tag - in->at) + 1);
        if (in->len < 2 || (*in->at | 0x20) != 'a' || !is_space(in->at[1]))
            continue;
        step_over(in, 1);
        for (skip_space(in); in->len && *in->at != '>'; skip_space(in)) {
            const char *name = (const char *)in->at;
            while (in->len && !is_space(*in->at) && *in->at != '=' && *in->at != '>')
                step_over(in, 1);
            size_t len = (size_t)((const char *)in->at - name);
            skip_space(in);
            if (!in->len || *in->at != '=')
                continue;
            step_over(in, 1);
            skip_space(in);
            *href = attribute(in);
            if (len == 4 && !strncasecmp(name, "href", 4))
                return true;
        }
    }
}

/* Below the page, and still encoded; NULL: elsewhere. */
static const char *link_below(const char *link, const char *path)
{
    if (strpbrk(link, "?#"))
        return NULL;
    if (!strncmp(link, "./", 2))
        return link + 2;
    if (*link == '/') {
        size_t len = strlen(path);
        return strncmp(link, path, len) ? NULL : link + len;
    }
    const char *colon = strchr(link, ':'), *slash = strchr(link, '/');
    return colon && (!slash || colon < slash) ? NULL : link; /* a scheme */
}

bool file_list_page(struct file_list *l, struct ras_bytes html, const char *path, const char *below)
{
    struct ras_bytes href;
    char link[FILE_LIST_NAME], name[FILE_LIST_NAME];
    while (next_link(&html, &href)) {
        const char *at = unescape(href, link, sizeof link) ? link_below(link, path) : NULL;
        if (!at)
            continue;
        memcpy(name, at, strlen(at) + 1);
        if (decode_percent(name) && !file_list_add(l, below, name, RAS_NONE))
            return false;
    }
    return true;
}

/* ---- the list of a bucket -------------------------------------------------------------------- */

/* What is between <name> and </name>; *in goes on after it. */
static bool element(struct ras_bytes *in, const char *name, struct ras_bytes *inside)
{
    char open[40], close[40];
    int n = snprintf(open, sizeof open, "<%s>", name);
    snprintf(close, sizeof close, "</%s>", name);
    const uint8_t *from = in->len ? memmem(in->at, in->len, open, (size_t)n) : NULL;
    if (!from)
        return false;
    from += n;
    size_t left = in->len - (size_t)(from - in->at);
    const uint8_t *to = memmem(from, left, close, (size_t)n + 1);
    if (!to)
        return false;
    *inside = (struct ras_bytes){from, (size_t)(to - from)};
    step_over(in, (size_t)(to - in->at) + (size_t)n + 1);
    return true;
}

static bool text_in(struct ras_bytes in, const char *name, char *out, size_t room)
{
    struct ras_bytes inside;
    return element(&in, name, &inside) && unescape(inside, out, room);
}

bool file_list_is_bucket(struct ras_bytes xml)
{
    static const char root[] = "<ListBucketResult", end[] = "</ListBucketResult>";
    return xml.len && memmem(xml.at, xml.len, root, sizeof root - 1) &&
           memmem(xml.at, xml.len, end, sizeof end - 1);
}

bool file_list_goes_on(struct ras_bytes xml)
{
    char truncated[8];
    return text_in(xml, "IsTruncated", truncated, sizeof truncated) && !strcmp(truncated, "true");
}

bool file_list_bucket(struct file_list *l, struct ras_bytes xml, const char *prefix, char *next,
                      size_t room)
{
    struct ras_bytes in = xml, one;
    char key[FILE_LIST_NAME], number[24], *end;
    size_t len = strlen(prefix);
    while (element(&in, "Contents", &one)) {
        if (!text_in(one, "Key", key, sizeof key) || strncmp(key, prefix, len) != 0)
            continue;
        size_t size = strlen(key);
        bool known =
            text_in(one, "Size", number, sizeof number) && *number >= '0' && *number <= '9';
        uint64_t bytes = known ? strtoull(number, &end, 10) : RAS_NONE;
        if (size && key[size - 1] == '/') /* what some programs put in place of a directory */
            continue;
        if (!file_list_add(l, "", key + len, known && !*end ? bytes : RAS_NONE))
            return false;
    }
    if (!file_list_goes_on(xml) || !text_in(xml, "NextContinuationToken", next, room))
        *next = 0;
    return true;
}
