/* recipe_text.h - the text of a recipe: a statement a line, in words. */
#ifndef WORLD_RECIPE_TEXT_H
#define WORLD_RECIPE_TEXT_H

#include <rastrum/world.h>

enum { RECIPE_WORDS = 8, RECIPE_WORD = 64 };

struct recipe_line {
    void *recipe;    /* what is being read */
    unsigned number; /* from 1 */
    unsigned count;  /* of words */
    char words[RECIPE_WORDS][RECIPE_WORD];
    struct ras_error *err;
};

/* Call `read` with each line that has words, until it fails. */
int recipe_lines(struct recipe_line *, struct ras_bytes text, int (*read)(struct recipe_line *));
int recipe_wrong(const struct recipe_line *, const char *word, const char *what);
bool recipe_number(const char *word, uint64_t most, uint64_t *out);
bool recipe_hex(const char *word, unsigned digits, uint64_t *out);
#endif
