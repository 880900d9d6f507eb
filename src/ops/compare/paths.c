/* paths.c - which paths of fields a format knows, and suggestions for unknown ones. */
#include "ops/compare/paths.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void paths_add(struct known_paths *k, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    size_t len = strlen(text), shown = len;
    if (len > 3 && !strcmp(text + len - 3, "..."))
        shown -= 3;
    char *copy = strdup(text), *bare = strndup(text, shown);
    if (!copy || !bare || !array_grow(&k->items, &k->room, k->count + 1, sizeof *k->items) ||
        !array_grow(&k->shown, &k->shown_room, k->count + 1, sizeof *k->shown)) {
        free(copy);
        free(bare);
        k->nomem = true;
        return;
    }
    k->items[k->count] = copy;
    k->shown[k->count++] = bare;
}

void paths_free(struct known_paths *k)
{
    for (size_t i = 0; i < k->count; i++) {
        free(k->items[i]);
        free(k->shown[i]);
    }
    free(k->items);
    free(k->shown);
    *k = (struct known_paths){0};
}

/* One name, or brackets with their contents. */
static size_t step_len(const char *path)
{
    if (*path != '[')
        return strcspn(path, ".[");
    size_t len = strcspn(path, "]");
    return path[len] ? len + 1 : len;
}

/* A * at the end of a name matches its rest, [*] any index or key, on either side. */
static bool step_fits(const char *path, size_t len, const char *known, size_t known_len)
{
    bool index = *path == '[', known_index = *known == '[';
    if (index != known_index)
        return false;
    if (known_len == 3 && index && known[1] == '*')
        return true;
    if (index && len == 3 && path[1] == '*')
        return true;
    if (!index && len && path[len - 1] == '*')
        return known_len >= len - 1 && !memcmp(path, known, len - 1);
    if (!known_index && known_len && known[known_len - 1] == '*')
        return len >= known_len - 1 && !memcmp(path, known, known_len - 1);
    return len == known_len && !memcmp(path, known, len);
}

static bool names(const char *path, const char *known)
{
    while (*path) {
        if (!strcmp(known, "..."))
            return true;
        size_t len = step_len(path), known_len = step_len(known);
        if (!len || !known_len || !step_fits(path, len, known, known_len))
            return false;
        path += len;
        known += known_len;
        if (!strcmp(known, "..."))
            return true;
        if (*path == '.' && *known != '.')
            return false;
        path += *path == '.';
        known += *known == '.';
    }
    return true;
}

bool paths_know(const struct known_paths *k, const char *path)
{
    for (size_t i = 0; i < k->count; i++)
        if (names(path, k->items[i]))
            return true;
    return false;
}

/* With any index, as known paths have it. */
static void without_index(const char *path, char *text, size_t size)
{
    size_t n = 0;
    while (*path && n + 4 < size) {
        size_t len = step_len(path);
        if (*path == '[') {
            memcpy(text + n, "[*]", 3);
            n += 3;
            path += len ? len : 1;
        } else {
            text[n++] = *path++;
        }
    }
    text[n] = 0;
}

const char *paths_near(const struct known_paths *k, const char *path, char *text, size_t size)
{
    struct ras_near near;
    char bare[256];
    without_index(path, bare, sizeof bare);
    ras_near_start(&near, bare);
    for (size_t i = 0; i < k->count; i++)
        ras_near_add(&near, k->shown[i]);
    return ras_near_text(&near, text, size);
}
