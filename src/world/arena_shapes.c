/* arena_shapes.c - what players, creatures, bonuses and shots look like from above.
 *
 * Shapes are a few flat facets: a light side and a dark one are enough to see where
 * something is heading. Colours are whole 255ths, so that a pixel is the same wherever it is
 * painted, and no two things that mean something else share a colour. */
#include "world/arena_world.h"

#define ARENA_RGB(r, g, b)                                                                         \
    {                                                                                              \
        r / 255.0f, g / 255.0f, b / 255.0f                                                         \
    }

static const struct arena_looks creatures[ARENA_KINDS], players[ARENA_PLAYERS], bonuses[BONUS_IDS],
    others[ARENA_LOOKS];

const struct arena_looks *arena_creature_looks(uint32_t type)
{
    return &creatures[type % ARENA_KINDS];
}

const struct arena_looks *arena_player_looks(uint32_t player)
{
    return &players[player % ARENA_PLAYERS];
}

const struct arena_looks *arena_bonus_looks(uint32_t id)
{
    return &bonuses[id < BONUS_IDS && bonuses[id].facets ? id : BONUS_POINTS];
}

const struct arena_looks *arena_looks(enum arena_look look)
{
    return &others[look];
}

/* Facets that share an edge have its ends as the same corners: see arena_draw.c. */
static const struct arena_facet dart[] = {
    {{{64, 0}, {-52, -46}, {-26, 0}}, TONE_LIGHT},
    {{{64, 0}, {-52, 46}, {-26, 0}}, TONE_DARK},
    {{{0}}, 0},
};
static const struct arena_facet needle[] = {
    {{{64, 0}, {-8, -38}, {-64, 0}}, TONE_LIGHT},
    {{{64, 0}, {-8, 38}, {-64, 0}}, TONE_DARK},
    {{{0}}, 0},
};
static const struct arena_facet shield[] = {
    {{{52, -30}, {-56, -48}, {-56, 48}}, TONE_LIGHT},
    {{{52, -30}, {52, 30}, {-56, 48}}, TONE_DARK},
    {{{0}}, 0},
};
static const struct arena_facet hexagon[] = {
    {{{60, 0}, {30, -52}, {-30, -52}}, TONE_LIGHT},
    {{{60, 0}, {-60, 0}, {-30, -52}}, TONE_BRIGHT},
    {{{60, 0}, {-60, 0}, {-30, 52}}, TONE_LIGHT},
    {{{60, 0}, {30, 52}, {-30, 52}}, TONE_DARK},
    {{{0}}, 0},
};
static const struct arena_facet gunner[] = {
    {{{64, 10}, {64, -10}, {0, -10}}, TONE_DARK},    {{{64, 10}, {0, 10}, {0, -10}}, TONE_DARK},
    {{{34, 0}, {0, -40}, {-38, 0}}, TONE_LIGHT},     {{{34, 0}, {0, 40}, {-38, 0}}, TONE_DARK},
    {{{18, 0}, {-14, -16}, {-14, 16}}, TONE_BRIGHT}, {{{0}}, 0},
};
static const struct arena_facet crate[] = {
    {{{-48, -48}, {48, -48}, {48, 48}}, TONE_LIGHT},
    {{{-48, -48}, {-48, 48}, {48, 48}}, TONE_DARK},
    {{{30, 0}, {0, -30}, {-30, 0}}, TONE_BRIGHT},
    {{{30, 0}, {0, 30}, {-30, 0}}, TONE_BRIGHT},
    {{{0}}, 0},
};
static const struct arena_facet tracer[] = {
    {{{40, -9}, {40, 9}, {-64, 0}}, TONE_LIGHT},
    {{{0}}, 0},
};
static const struct arena_facet missile[] = {
    {{{-20, -14}, {-64, 0}, {-20, 14}}, TONE_BRIGHT},
    {{{56, 0}, {-24, -20}, {-24, 0}}, TONE_LIGHT},
    {{{56, 0}, {-24, 20}, {-24, 0}}, TONE_DARK},
    {{{0}}, 0},
};
static const struct arena_facet star[] = {
    {{{60, 8}, {-34, -46}, {-22, 52}}, TONE_LIGHT},
    {{{-60, -8}, {34, 46}, {22, -52}}, TONE_BRIGHT},
    {{{0}}, 0},
};

/* In the order of arena_kind: those that chase, that circle, that follow, and the heavy ones. */
static const struct arena_looks creatures[ARENA_KINDS] = {
    {dart, 1.5f, {ARENA_RGB(122, 201, 67), ARENA_RGB(71, 133, 44), ARENA_RGB(190, 235, 140)}},
    {needle, 1.6f, {ARENA_RGB(181, 101, 216), ARENA_RGB(114, 52, 150), ARENA_RGB(226, 178, 245)}},
    {shield, 1.3f, {ARENA_RGB(46, 176, 164), ARENA_RGB(24, 110, 108), ARENA_RGB(150, 230, 218)}},
    {hexagon, 1.4f, {ARENA_RGB(206, 66, 58), ARENA_RGB(128, 32, 36), ARENA_RGB(232, 112, 88)}},
};

static const struct arena_looks players[ARENA_PLAYERS] = {
    {gunner, 30, {ARENA_RGB(92, 160, 255), ARENA_RGB(36, 84, 180), ARENA_RGB(230, 242, 255)}},
    {gunner, 30, {ARENA_RGB(255, 176, 59), ARENA_RGB(184, 106, 20), ARENA_RGB(255, 240, 206)}},
    {gunner, 30, {ARENA_RGB(255, 128, 190), ARENA_RGB(176, 56, 116), ARENA_RGB(255, 228, 242)}},
    {gunner, 30, {ARENA_RGB(170, 232, 240), ARENA_RGB(88, 150, 166), ARENA_RGB(244, 254, 255)}},
};

static const struct arena_looks bonuses[BONUS_IDS] = {
    [BONUS_POINTS] = {crate,
                      20,
                      {ARENA_RGB(214, 178, 54), ARENA_RGB(150, 118, 26), ARENA_RGB(255, 236, 150)}},
    [BONUS_ENERGIZER] =
        {crate, 20, {ARENA_RGB(78, 88, 220), ARENA_RGB(46, 50, 150), ARENA_RGB(196, 202, 255)}},
    [BONUS_WEAPON] = {crate,
                      20,
                      {ARENA_RGB(140, 148, 160), ARENA_RGB(88, 94, 106), ARENA_RGB(34, 38, 46)}},
    [BONUS_POWER_UP] =
        {crate, 20, {ARENA_RGB(232, 120, 38), ARENA_RGB(160, 74, 16), ARENA_RGB(255, 216, 176)}},
    [BONUS_BLAST] = {crate,
                     20,
                     {ARENA_RGB(84, 84, 88), ARENA_RGB(46, 46, 50), ARENA_RGB(255, 84, 48)}},
    [BONUS_DOUBLE] = {crate,
                      20,
                      {ARENA_RGB(214, 178, 54), ARENA_RGB(150, 118, 26), ARENA_RGB(64, 160, 72)}},
    [BONUS_REFLEX] = {crate,
                      20,
                      {ARENA_RGB(160, 92, 190), ARENA_RGB(100, 50, 128), ARENA_RGB(255, 255, 255)}},
    [BONUS_MEDIKIT] =
        {crate, 20, {ARENA_RGB(236, 236, 232), ARENA_RGB(186, 186, 184), ARENA_RGB(214, 40, 48)}},
    [BONUS_FREEZE] =
        {crate, 20, {ARENA_RGB(150, 212, 244), ARENA_RGB(92, 156, 200), ARENA_RGB(248, 254, 255)}},
};

static const struct arena_looks others[ARENA_LOOKS] = {
    [LOOK_SHOT] = {tracer,
                   18,
                   {ARENA_RGB(255, 240, 150), ARENA_RGB(255, 240, 150), ARENA_RGB(255, 240, 150)}},
    [LOOK_ROCKET] = {missile,
                     16,
                     {ARENA_RGB(228, 228, 232), ARENA_RGB(140, 142, 152), ARENA_RGB(255, 144, 40)}},
    [LOOK_SPARK] = {star,
                    12,
                    {ARENA_RGB(255, 220, 110), ARENA_RGB(255, 220, 110), ARENA_RGB(255, 250, 224)}},
};
