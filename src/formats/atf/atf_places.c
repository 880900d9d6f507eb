/* atf_places.c - addresses in details as what they lead to, which is the same in runs whose memory
 * is elsewhere. */
#include "formats/atf/atf_compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers of blocks --------------------------------------------------------------------- */

enum { NUMBERS_FIRST = 256 };

static size_t number_slot(const struct atf_numbers *n, uint64_t word)
{
    size_t at = (size_t)(word * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (n->room - 1);
    while (n->rows[at].number && n->rows[at].word != word)
        at = (at + 1) & (n->room - 1);
    return at;
}

static bool numbers_grow(struct atf_numbers *n)
{
    struct atf_numbers more = {.room = n->room ? 2 * n->room : NUMBERS_FIRST};
    more.rows = calloc(more.room, sizeof *more.rows);
    if (!more.rows)
        return false;
    for (size_t i = 0; i < n->room; i++)
        if (n->rows[i].number)
            more.rows[number_slot(&more, n->rows[i].word)] = n->rows[i];
    more.count = n->count;
    free(n->rows);
    *n = more;
    return true;
}

/* In order of first appearance, from 1; 0: memory is short. */
static uint64_t block_number(struct atf_numbers *n, uint64_t word)
{
    if (2 * n->count >= n->room && !numbers_grow(n))
        return 0;
    struct atf_number *row = &n->rows[number_slot(n, word)];
    if (!row->number)
        *row = (struct atf_number){word, ++n->count};
    return row->number;
}

void atf_numbers_free(struct atf_numbers *n)
{
    free(n->rows);
    *n = (struct atf_numbers){0};
}

/* ---- words ---------------------------------------------------------------------------------- */

static const struct atf_map *map_of(const struct atf_manifest *m, uint64_t word)
{
    for (size_t i = 0; i < m->map_count; i++)
        if (word >= m->maps[i].from && word < m->maps[i].to)
            return &m->maps[i];
    return NULL;
}

int atf_put_place(const struct atf_manifest *m, struct atf_numbers *numbers, uint64_t word,
                  char text[ATF_PLACE_TEXT])
{
    const struct atf_map *map = map_of(m, word);
    if (!map)
        return snprintf(text, ATF_PLACE_TEXT, "0x%016" PRIx64, word);
    if (!strcmp(map->what, "stack"))
        return snprintf(text, ATF_PLACE_TEXT, "stack-0x%" PRIx64, map->to - word);
    if (!strcmp(map->what, "heap") || !strcmp(map->what, "map")) {
        uint64_t number = numbers ? block_number(numbers, word) : 0;
        return number ? snprintf(text, ATF_PLACE_TEXT, "heap#%" PRIu64, number)
                      : snprintf(text, ATF_PLACE_TEXT, "heap");
    }
    uint64_t base = map->from;
    for (size_t i = m->map_count; i-- > 0;) /* ascending: the parts of a module are adjacent */
        if (m->maps[i].to == base && !strcmp(m->maps[i].what, map->what))
            base = m->maps[i].from;
    const char *slash = strrchr(map->what, '/');
    return snprintf(text, ATF_PLACE_TEXT, "%s+0x%" PRIx64, slash ? slash + 1 : map->what,
                    word - base);
}
