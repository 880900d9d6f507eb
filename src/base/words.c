/* words.c - texts for people: a number with its noun, known names similar to an unknown one. */
#include <rastrum/rastrum.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool ends_with(const char *noun, size_t len, const char *end)
{
    size_t size = strlen(end);
    return len >= size && !memcmp(noun + len - size, end, size);
}

struct ras_counted ras_counted(uint64_t count, const char *noun)
{
    struct ras_counted out;
    size_t len = strlen(noun);
    bool plural = ends_with(noun, len, "es"); /* blob_bytes */
    bool hisses = (ends_with(noun, len, "s") && !plural) || ends_with(noun, len, "x") ||
                  ends_with(noun, len, "ch") || ends_with(noun, len, "sh");
    bool changes = len > 1 && noun[len - 1] == 'y' && !strchr("aeiou", noun[len - 2]);
    const char *end = count == 1 || plural ? "" : changes ? "ies" : hisses ? "es" : "s";
    int most = (int)sizeof out.text / 2, whole = (int)(len < (size_t)most ? len : (size_t)most);
    snprintf(out.text, sizeof out.text, "%" PRIu64 " %.*s%s", count,
             count != 1 && changes && whole == (int)len ? whole - 1 : whole, noun, end);
    return out;
}

enum { WORD_MOST = 63 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    unsigned ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Letters to insert, delete, replace or swap with their neighbour, ignoring case. */
static unsigned edits(const char *a, size_t a_len, const char *b, size_t b_len)
{
    unsigned rows[3][WORD_MOST + 2];
    unsigned *above2 = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_len; j++)
        above[j] = (unsigned)j;
    for (size_t i = 1; i <= a_len; i++) {
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_len; j++) {
            bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = least(above[j] + 1, row[j - 1] + 1, above[j - 1] + !same);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]) && above2[j - 2] + 1 < row[j])
                row[j] = above2[j - 2] + 1;
        }
        unsigned *free_row = above2;
        above2 = above;
        above = row;
        row = free_row;
    }
    return above[b_len];
}

static bool contains(const char *text, size_t text_len, const char *word, size_t word_len)
{
    for (size_t i = 0; i + word_len <= text_len; i++) {
        size_t same = 0;
        while (same < word_len && lower(text[i + same]) == lower(word[same]))
            same++;
        if (same == word_len)
            return true;
    }
    return false;
}

/* The distance of a name from the word; UINT32_MAX: not similar. A word of three letters or more
 * that is a part of the name, or the name of at least half of the word, is similar, but never
 * closer than a typing error. */
static unsigned distance(const char *word, const char *name)
{
    size_t word_len = strlen(word), name_len = strlen(name);
    if (!word_len || !name_len || word_len > WORD_MOST)
        return UINT32_MAX;
    unsigned most = (unsigned)(word_len + 1) / 3;
    if (name_len <= WORD_MOST) {
        unsigned cost = edits(word, word_len, name, name_len);
        if (cost <= most && cost < word_len)
            return cost;
    }
    size_t gap = word_len < name_len ? name_len - word_len : word_len - name_len;
    if ((word_len >= 3 && contains(name, name_len, word, word_len)) ||
        (name_len >= 3 && 2 * name_len >= word_len && contains(word, word_len, name, name_len)))
        return most + 1 + (unsigned)gap;
    return UINT32_MAX;
}

void ras_near_start(struct ras_near *near, const char *word)
{
    *near = (struct ras_near){.word = word};
}

void ras_near_add(struct ras_near *near, const char *name)
{
    unsigned cost = distance(near->word, name);
    if (cost == UINT32_MAX)
        return;
    for (size_t i = 0; i < near->count; i++)
        if (!strcmp(near->names[i], name))
            return;
    size_t at = near->count;
    while (at && near->costs[at - 1] > cost)
        at--;
    if (at == RAS_NEAR_MOST)
        return;
    if (near->count < RAS_NEAR_MOST)
        near->count++;
    for (size_t i = near->count - 1; i > at; i--) {
        near->names[i] = near->names[i - 1];
        near->costs[i] = near->costs[i - 1];
    }
    near->names[at] = name;
    near->costs[at] = cost;
}

const char *ras_near_text(const struct ras_near *near, char *text, size_t size)
{
    size_t at = 0;
    if (size)
        text[0] = 0;
    for (size_t i = 0; i < near->count && at < size; i++) {
        const char *joint = !i ? "; did you mean " : i + 1 < near->count ? ", " : " or ";
        int made = snprintf(text + at, size - at, "%s'%s'", joint, near->names[i]);
        if (made < 0 || (size_t)made + 1 >= size - at) { /* whole names, or none */
            text[at] = 0;
            break;
        }
        at += (size_t)made;
    }
    if (at && at + 1 < size)
        memcpy(text + at, "?", 2);
    return text;
}
