/* arena_recipe.c - what an arena is made of, from its text. */
#include "base/error.h"
#include "world/arena_world.h"
#include "world/float_bits.h"
#include "world/recipe.h"

#include <string.h>

enum { SIDE_LEAST = 8, SIDE_MOST = 256, STATEMENTS = 7 };
#define DT_USUAL UINT64_C(0x3f91111111111111) /* 1/60 */

struct statement {
    const char *word;
    bool again; /* it may be repeated */
    int (*read)(struct recipe_line *, struct arena_recipe *);
};
static const struct statement statements[STATEMENTS];

static int arena_words(const struct recipe_line *l, unsigned count, const char *what)
{
    return l->count == count ? RAS_OK : recipe_wrong(l, l->words[0], what);
}

static int arena_read_name(struct recipe_line *l, struct arena_recipe *r)
{
    (void)r;
    if (l->number != 1 || l->count != 3 || strcmp(l->words[1], "1") != 0 ||
        strcmp(l->words[2], arena_world.name) != 0)
        return recipe_wrong(l, l->words[0], "only the first line is `murkworld 1 arena-1`");
    return RAS_OK;
}

static int read_size(struct recipe_line *l, struct arena_recipe *r)
{
    uint64_t wide, high;
    int status = arena_words(l, 3, "takes W H");
    if (status < 0)
        return status;
    if (!recipe_number(l->words[1], SIDE_MOST, &wide) || wide < SIDE_LEAST ||
        !recipe_number(l->words[2], SIDE_MOST, &high) || high < SIDE_LEAST)
        return recipe_wrong(l, "size", "a side is 8 to 256 cells");
    r->space.cols = (uint32_t)wide;
    r->space.rows = (uint32_t)high;
    return RAS_OK;
}

static int read_mode(struct recipe_line *l, struct arena_recipe *r)
{
    if (l->count == 2 && !strcmp(l->words[1], "survival"))
        return RAS_OK;
    if (l->count == 3 && !strcmp(l->words[1], "quest") &&
        recipe_number(l->words[2], ARENA_QUESTS, &r->quest) && r->quest)
        return RAS_OK;
    return recipe_wrong(l, "mode", "is `survival`, or `quest N`, N being 1 to 50");
}

static int read_players(struct recipe_line *l, struct arena_recipe *r)
{
    int status = arena_words(l, 2, "takes N");
    if (status < 0)
        return status;
    if (!recipe_number(l->words[1], ARENA_PLAYERS, &r->players) || !r->players)
        return recipe_wrong(l, l->words[1], "an arena has 1 to 4 players");
    return RAS_OK;
}

/* A whole number, or the bits of an f64. */
static int read_rule(struct recipe_line *l, struct arena_recipe *r, unsigned at)
{
    uint64_t bits, whole = 0;
    uint32_t key = 0;
    while (key < ARENA_RULES && strcmp(l->words[at], arena_rule(key)->name) != 0)
        key++;
    if (key == ARENA_RULES)
        return recipe_wrong(l, l->words[at], "no such rule");
    const char *word = l->words[at + 1];
    bool exact = recipe_hex(word, 16, &bits);
    if (!exact && !recipe_number(word, 1000000, &whole))
        return recipe_wrong(l, word, "not a whole number or 16 hexadecimal digits");
    double value = exact ? double_of(bits) : (double)whole;
    if (!arena_rule_fits(key, value))
        return fail(l->err, RAS_EFORMAT, RAS_NONE, "recipe line %u: %s: %g, not %g to %g",
                    l->number, l->words[at], value, (double)arena_rule(key)->least,
                    (double)arena_rule(key)->most);
    r->rules[key] = (float)value;
    return RAS_OK;
}

static int read_rules(struct recipe_line *l, struct arena_recipe *r)
{
    if (l->count % 2 == 0)
        return recipe_wrong(l, "rules", "takes NAME VALUE ...");
    for (unsigned i = 1; i < l->count; i += 2) {
        int status = read_rule(l, r, i);
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

static int arena_read_dt(struct recipe_line *l, struct arena_recipe *r)
{
    int status = arena_words(l, 2, "takes HEX16");
    if (status < 0)
        return status;
    if (!recipe_hex(l->words[1], 16, &r->dt_bits))
        return recipe_wrong(l, l->words[1], "not 16 hexadecimal digits");
    double dt = double_of(r->dt_bits);
    if (dt >= 0.001 && dt <= 0.1)
        return RAS_OK;
    return fail(l->err, RAS_EFORMAT, RAS_NONE, "recipe line %u: dt: %g, a step is 0.001 to 0.1",
                l->number, dt);
}

static int arena_read_queue(struct recipe_line *l, struct arena_recipe *r)
{
    int status = arena_words(l, 2, "takes N");
    if (status < 0)
        return status;
    return recipe_number(l->words[1], RAS_MURK_COMMANDS_MAX, &r->queue)
               ? RAS_OK
               : recipe_wrong(l, l->words[1], "a queue holds 0 to 1000000 commands");
}

static int arena_read_line(struct recipe_line *l)
{
    struct arena_recipe *r = l->recipe;
    if (l->number == 1 && strcmp(l->words[0], statements[0].word) != 0)
        return arena_read_name(l, r);
    for (unsigned i = 0; i < STATEMENTS; i++) {
        const struct statement *s = &statements[i];
        if (strcmp(l->words[0], s->word) != 0)
            continue;
        if (r->given >> i & 1 && !s->again)
            return recipe_wrong(l, s->word, "there is one already");
        r->given |= 1u << i;
        return s->read(l, r);
    }
    return recipe_wrong(l, l->words[0], "no such statement in this world");
}

int arena_recipe_read(struct arena_recipe *r, struct ras_bytes text, struct ras_error *err)
{
    struct recipe_line l = {.recipe = r, .err = err};
    *r = (struct arena_recipe){
        .space = {.kind = SPACE_SQUARE4, .edge = EDGE_ABSORB, .rows = 32, .cols = 32},
        .dt_bits = DT_USUAL,
        .queue = 1024,
        .players = 2};
    for (uint32_t i = 0; i < ARENA_RULES; i++)
        r->rules[i] = arena_rule(i)->usual;
    int status = recipe_lines(&l, text, arena_read_line);
    if (status == RAS_OK && text.len && !(r->given & 1))
        status = fail(err, RAS_EFORMAT, RAS_NONE, "recipe: the first line is not `murkworld 1 %s`",
                      arena_world.name);
    r->space.cells = (uint64_t)r->space.rows * r->space.cols;
    return status;
}

static const struct statement statements[STATEMENTS] = {
    {"murkworld", false, arena_read_name},
    {"size", false, read_size},
    {"mode", false, read_mode},
    {"players", false, read_players},
    {"rules", true, read_rules},
    {"dt", false, arena_read_dt},
    {"queue", false, arena_read_queue},
};
