/* regex.h - regular expressions that are matched in one pass over the text.
 *
 * POSIX extended syntax: . [a-z] [^a-z] [[:alpha:]] ( ) | * + ? {m,n} ^ $, and the
 * escapes \d \w \s \D \W \S \n \r \t \xNN, also in brackets; (?i) at the start ignores
 * the case of ASCII letters. There are no back references and no captures: every
 * state is tried at once, so the time is the length of the text times that of the
 * pattern, and nothing is allocated after parsing. Characters are those of UTF-8; a byte
 * that is not UTF-8 matches itself. */
#ifndef CODEC_REGEX_H
#define CODEC_REGEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REGEX_LENGTH_MAX = 4096, /* bytes of a pattern */
    REGEX_DEPTH_MAX = 64,    /* of parentheses */
    REGEX_REPEAT_MAX = 255,  /* in {m,n} */
    REGEX_STEPS_MAX = 8192,  /* of the program of a pattern */
};

struct regex;

/* NULL: *why (static) is the fault, or "out of memory", and *at its offset. */
struct regex *regex_parse(const void *pattern, size_t len, const char **why, size_t *at);
/* Whether the pattern matches anywhere in the text. */
bool regex_search(struct regex *, const void *text, size_t len);
void regex_free(struct regex *); /* or NULL */
#endif
