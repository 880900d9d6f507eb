/* rust.c - names of Rust: those of its first scheme, which look like C++. */
#include "symbols/naming.h"

#include <stdlib.h>
#include <string.h>

enum { HASH = 19 }; /* ::h and 16 digits */

/* What is not allowed in a name of the linker, and how it is written. */
static const struct {
    const char *code;
    char means;
} escapes[] = {{"$SP$", '@'}, {"$BP$", '*'}, {"$RF$", '&'}, {"$LT$", '<'},
               {"$GT$", '>'}, {"$LP$", '('}, {"$RP$", ')'}, {"$C$", ','}};

static size_t escape_at(const char *at, char *means)
{
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        size_t len = strlen(escapes[i].code);
        if (!strncmp(at, escapes[i].code, len)) {
            *means = escapes[i].means;
            return len;
        }
    }
    char *end;
    unsigned long code = at[1] == 'u' ? strtoul(at + 2, &end, 16) : 0;
    if (code < 0x20 || code > 0x7e || *end != '$')
        return 0;
    *means = (char)code;
    return (size_t)(end + 1 - at);
}

/* Never longer than it was. */
static void resolve(char *name)
{
    char *to = name;
    for (const char *from = name; *from;) {
        size_t len = *from == '$' ? escape_at(from, to) : 0;
        if (len) {
            from += len;
            to++;
        } else if (from[0] == '.' && from[1] == '.') {
            *to++ = ':';
            *to++ = ':';
            from += 2;
        } else if (*from == '_' && from[1] == '$' && (from == name || from[-1] == ':')) {
            from++; /* stands before an escape that begins a part */
        } else {
            *to++ = *from++;
        }
    }
    *to = 0;
}

bool rust_clean(char *name)
{
    size_t len = strlen(name);
    if (len <= HASH || strncmp(name + len - HASH, "::h", 3) ||
        strspn(name + len - HASH + 3, "0123456789abcdef") != HASH - 3)
        return false;
    name[len - HASH] = 0;
    resolve(name);
    return true;
}
