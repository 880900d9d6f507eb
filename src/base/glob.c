/* glob.c - shell patterns, without the locale and the memory that the system's take. */
#include "base/glob.h"

/* Whether `c` is in the brackets at `at`, which then moves behind them. */
static bool is_in(const char **at, char c)
{
    const char *p = *at + 1;
    bool not = *p == '!' || *p == '^', found = false;
    p += not ;
    for (const char *first = p; *p && (*p != ']' || p == first); p++) {
        char low = *p, high = *p;
        if (p[1] == '-' && p[2] && p[2] != ']') {
            high = p[2];
            p += 2;
        }
        found |= c >= low && c <= high;
    }
    *at = *p ? p + 1 : p;
    return found != not ;
}

bool glob_matches(const char *pattern, const char *text)
{
    const char *star = NULL, *retry = NULL;
    while (*text) {
        const char *next = pattern;
        bool good = false;
        if (*pattern == '*') {
            star = pattern++;
            retry = text;
            continue;
        }
        if (*pattern == '[') {
            good = is_in(&next, *text);
        } else if (*pattern) {
            good = *pattern == '?' || *pattern == *text;
            next++;
        }
        if (good) {
            pattern = next;
            text++;
        } else if (star) { /* the star takes one more */
            pattern = star + 1;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}
