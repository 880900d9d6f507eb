/* libc_windows.c - functions of the C library that Windows lacks, by their usual names. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *memmem(const void *in, size_t size, const void *what, size_t len)
{
    const uint8_t *at = in, *first = what;
    if (!len)
        return (void *)(uintptr_t)in;
    for (; size >= len; at++, size--) {
        const uint8_t *found = memchr(at, *first, size - len + 1);
        if (!found)
            return NULL;
        size -= (size_t)(found - at);
        at = found;
        if (!memcmp(at, what, len))
            return (void *)(uintptr_t)at;
    }
    return NULL;
}

char *strndup(const char *text, size_t most)
{
    size_t len = strnlen(text, most);
    char *copy = malloc(len + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, len);
    copy[len] = 0;
    return copy;
}

char *strsep(char **rest, const char *marks)
{
    char *word = *rest;
    if (!word)
        return NULL;
    char *end = word + strcspn(word, marks);
    *rest = *end ? end + 1 : NULL;
    *end = 0;
    return word;
}

ssize_t getline(char **line, size_t *room, FILE *file)
{
    size_t len = 0;
    for (int c = 0; c != '\n' && (c = getc(file)) != EOF;) {
        if (len + 2 > *room || !*line) {
            size_t more = *line ? 2 * *room : 256;
            char *bigger = realloc(*line, more);
            if (!bigger)
                return -1;
            *line = bigger;
            *room = more;
        }
        (*line)[len++] = (char)c;
        (*line)[len] = 0;
    }
    return len ? (ssize_t)len : -1;
}
