/* recipe_text.c - the text of a recipe: a statement a line, in words. */
#include "world/recipe_text.h"
#include "base/error.h"

#include <string.h>

int recipe_wrong(const struct recipe_line *l, const char *word, const char *what)
{
    return fail(l->err, RAS_EFORMAT, RAS_NONE, "recipe line %u: %s: %s", l->number, word, what);
}

bool recipe_number(const char *word, uint64_t most, uint64_t *out)
{
    uint64_t value = 0;
    if (!*word)
        return false;
    for (; *word; word++) {
        if (*word < '0' || *word > '9' || value > most / 10)
            return false;
        value = value * 10 + (uint64_t)(*word - '0');
    }
    *out = value;
    return value <= most;
}

bool recipe_hex(const char *word, unsigned digits, uint64_t *out)
{
    static const char all[] = "0123456789abcdef";
    uint64_t value = 0;
    if (strlen(word) != digits)
        return false;
    for (; *word; word++) {
        const char *digit = strchr(all, *word | 32);
        if (!digit)
            return false;
        value = value << 4 | (uint64_t)(digit - all);
    }
    *out = value;
    return true;
}

/* The words of the next line. */
static int split(struct recipe_line *l, struct ras_bytes *rest)
{
    unsigned length = 0;
    l->count = 0;
    l->number++;
    memset(l->words, 0, sizeof l->words);
    while (rest->len) {
        uint8_t c = *rest->at++;
        rest->len--;
        if (c == '\n')
            break;
        if (c == ' ') {
            length = 0;
            continue;
        }
        l->count += length == 0;
        if (c < 33 || c > 126)
            return fail(l->err, RAS_EFORMAT, RAS_NONE,
                        "recipe line %u: byte 0x%02x is no printing ASCII, a space or the LF that "
                        "ends a line",
                        l->number, c);
        if (l->count > RECIPE_WORDS || ++length >= RECIPE_WORD)
            return fail(l->err, RAS_EFORMAT, RAS_NONE, "recipe line %u: more than %d %s", l->number,
                        l->count > RECIPE_WORDS ? RECIPE_WORDS : RECIPE_WORD - 1,
                        l->count > RECIPE_WORDS ? "words" : "letters in a word");
        l->words[l->count - 1][length - 1] = (char)c;
    }
    return RAS_OK;
}

int recipe_lines(struct recipe_line *l, struct ras_bytes text, int (*read)(struct recipe_line *))
{
    if (text.len > RAS_WORLD_RECIPE_MAX)
        return fail(l->err, RAS_ELIMIT, RAS_NONE, "a recipe of %zu bytes, at most %u", text.len,
                    RAS_WORLD_RECIPE_MAX);
    while (text.len) {
        int status = split(l, &text);
        if (status == RAS_OK && l->count)
            status = read(l);
        if (status < 0)
            return status;
    }
    return RAS_OK;
}
