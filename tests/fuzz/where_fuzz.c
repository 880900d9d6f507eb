/* where_fuzz.c - any expression: parsed or refused with its column, and evaluated on every record
 * of a trace; the result is the same each time, and its negation is the opposite. */
#include "fuzz.h"
#include <rastrum/rastrum.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A Murk header, a frame with a Move and one without commands. */
static const uint8_t trace[] = "MURK\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                               "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                               "\0\0\0\0\0"
                               "\1\0\0\0\0\0\0\0\1\0\0\0"
                               "\0\24\0\0\0\7\0\0\0\0\0\0\0\2\0\0\0\3\0\0\0\374\377\377\377"
                               "\1\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                               "\1\1\1\1\1\1\1\1"
                               "\2\0\0\0\0\0\0\0\0\0\0\0\2\2\2\2\2\2\2\2";

static void walk(struct ras_where *where, struct ras_where *negated)
{
    struct ras_trace *t;
    struct ras_cursor *c;
    const struct ras_record *r;
    struct ras_options options = {.format = "murk"};
    if (ras_open_memory(&t, trace, sizeof trace - 1, &options, NULL) < 0)
        fuzz_wrong("the trace does not open");
    if (ras_where_begin(where, t, NULL) == RAS_OK && ras_where_begin(negated, t, NULL) == RAS_OK &&
        ras_cursor_open(&c, t, NULL, NULL) == RAS_OK) {
        while (ras_next(c, &r, NULL) == RAS_OK) {
            bool a, b, no;
            if (ras_where_matches(where, c, r, &a, NULL) < 0 ||
                ras_where_matches(where, c, r, &b, NULL) < 0 ||
                ras_where_matches(negated, c, r, &no, NULL) < 0)
                continue;
            if (a != b || a == no)
                fuzz_wrong("%d, then %d, and not: %d", a, b, no);
        }
        ras_cursor_close(c);
    }
    ras_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ras_where *where, *negated;
    struct ras_error err = {0};
    char *text = malloc(size + 1), *opposite = malloc(size + 8);
    memcpy(text, data, size);
    text[size] = 0;
    snprintf(opposite, size + 8, "not (%s)", text);
    int status = ras_where_parse(&where, text, &err);
    if (status < 0 && (where || !*err.text))
        fuzz_wrong("refused without a word");
    if (status == RAS_OK && ras_where_parse(&negated, opposite, &err) == RAS_OK) {
        walk(where, negated);
        ras_where_free(negated);
    }
    ras_where_free(where);
    free(text);
    free(opposite);
    return 0;
}
