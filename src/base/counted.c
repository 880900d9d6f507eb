/* counted.c - a number and its noun: "1 frame", "2 frames". */
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
