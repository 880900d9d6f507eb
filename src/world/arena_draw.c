/* arena_draw.c - the arena as it is seen from above: a floor with walls, and all that is alive.
 *
 * The picture is a square, the longer side of the arena across, the first row on top. Layers,
 * from the floor up: heat, the dead, bonuses, creatures, shots and rockets with their hits,
 * players. */
#include "world/arena_world.h"

/* ---- arena shapes ------------------------------------------------------------------------ */

/* What players, creatures, bonuses and shots look like from above. Shapes are a few flat facets: a
 * light side and a dark one are enough to see where something is heading. Colours are whole 255ths,
 * so that a pixel is the same wherever it is painted, and no two things that mean something else
 * share a colour. */

#define ARENA_RGB(r, g, b)                                                                         \
    {                                                                                              \
        r / 255.0f, g / 255.0f, b / 255.0f                                                         \
    }

static const struct arena_looks creatures[ARENA_KINDS], players[ARENA_PLAYERS], bonuses[BONUS_IDS],
    others[ARENA_LOOKS];

static const struct arena_looks *arena_creature_looks(uint32_t type)
{
    return &creatures[type % ARENA_KINDS];
}

static const struct arena_looks *arena_player_looks(uint32_t player)
{
    return &players[player % ARENA_PLAYERS];
}

static const struct arena_looks *arena_bonus_looks(uint32_t id)
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

#define EDGE         0.92f /* where the floor ends: objects there are still in the picture */
#define WALL         0.955f
#define GLOWS        1.0f /* heat that is seen */
#define RGB(r, g, b) ((struct arena_colour)ARENA_RGB(r, g, b))
enum {
    TILES = 32,  /* on the longer side, at most */
    GRID = 8192, /* a 256th of a pixel in pictures of 64 x 64, more in others */
};

/* Where the picture goes, and what a unit of the arena is in it. */
struct brush {
    struct ras_drawing *to;
    float half_width, half_height, unit;
};

static struct brush brush_of(const struct arena *a, struct ras_drawing *to)
{
    float side = a->width > a->height ? a->width : a->height;
    return (struct brush){to, a->width * 0.5f, a->height * 0.5f, 2 * EDGE / side};
}

static float mixed(float from, float to, float part)
{
    return (float)(int32_t)((from + (to - from) * part) * 255 + 0.5f) / 255;
}

/* Whole 255ths again: a colour between two is rounded here, not by the rasteriser. */
static struct arena_colour between(struct arena_colour from, struct arena_colour to, float part)
{
    return (struct arena_colour){mixed(from.r, to.r, part), mixed(from.g, to.g, part),
                                 mixed(from.b, to.b, part)};
}

/* ---- triangles --------------------------------------------------------------------------- */

/* The nearest even or odd multiple of a GRIDth. */
static float snapped(float at, unsigned odd)
{
    float half = at * (GRID / 2) - 0.5f * (float)odd;
    int32_t whole = (int32_t)(half + (GRID + 0.5f)) - GRID; /* rounded values are not negative */
    return (float)(2 * whole + (int32_t)odd) * (1.0f / GRID);
}

/* The corners of a triangle are odd and even, even and odd, odd and odd: so no edge meets the
 * middle of a pixel, all of which are even, and no back end has to break ties. */
static struct ras_vertex vertex(const struct brush *b, struct arena_vec at, unsigned corner,
                                struct arena_colour c)
{
    float x = snapped((at.x - b->half_width) * b->unit, corner != 1);
    float y = snapped((b->half_height - at.y) * b->unit, corner != 0);
    return (struct ras_vertex){x, y, c.r, c.g, c.b, 1};
}

static void triangle(const struct brush *b, const struct arena_vec at[3], struct arena_colour c)
{
    struct ras_drawing *to = b->to;
    if (to->count + 3 <= to->room)
        for (unsigned i = 0; i < 3; i++)
            to->vertices[to->count + i] = vertex(b, at[i], i, c);
    to->count += 3;
}

/* Corners in turn round it; those that both triangles have are the same corner of both. */
static void quad(const struct brush *b, struct arena_vec p, struct arena_vec q, struct arena_vec r,
                 struct arena_vec s, struct arena_colour c)
{
    triangle(b, (const struct arena_vec[]){p, q, r}, c);
    triangle(b, (const struct arena_vec[]){p, s, r}, c);
}

static void box(const struct brush *b, struct arena_vec at, float width, float height,
                struct arena_colour c)
{
    quad(b, at, (struct arena_vec){at.x + width, at.y},
         (struct arena_vec){at.x + width, at.y + height}, (struct arena_vec){at.x, at.y + height},
         c);
}

/* A sprite at its place, of its size, turned to where it is heading; a part of another colour
 * upon its own. */
struct sprite {
    const struct arena_looks *looks;
    struct arena_vec pos;
    float size, angle, tint_part;
    struct arena_colour tint;
};

static void sprite(const struct brush *b, const struct sprite *s)
{
    const float size = s->size * s->looks->size * (1 / 64.0f);
    const float ahead = arena_cos(s->angle) * size, aside = arena_sin(s->angle) * size;
    struct arena_colour tones[ARENA_TONES];
    for (unsigned i = 0; i < ARENA_TONES; i++)
        tones[i] = s->tint_part > 0 ? between(s->looks->tones[i], s->tint, s->tint_part)
                                    : s->looks->tones[i];
    for (const struct arena_facet *f = s->looks->facets; f->at[0][0] || f->at[0][1]; f++) {
        struct arena_vec at[3];
        for (unsigned i = 0; i < 3; i++) {
            float x = f->at[i][0], y = f->at[i][1];
            at[i].x = s->pos.x + x * ahead - y * aside;
            at[i].y = s->pos.y + x * aside + y * ahead;
        }
        triangle(b, at, tones[f->tone]);
    }
}

static void layer(struct ras_drawing *to)
{
    to->layer_end[to->layer_count++] = to->count;
}

/* ---- the scenery ------------------------------------------------------------------------- */

static struct arena_colour floor_colour(uint32_t col, uint32_t row)
{
    return (col + row) % 2 ? RGB(48, 52, 64) : RGB(38, 41, 50);
}

static uint32_t tile_cells(const struct arena *a)
{
    const struct space *s = &a->recipe.space;
    uint32_t side = s->cols > s->rows ? s->cols : s->rows;
    return (side + TILES - 1) / TILES;
}

static void draw_floor(const struct arena *a, const struct brush *b)
{
    const struct space *s = &a->recipe.space;
    const uint32_t step = tile_cells(a);
    const float side = (float)step * ARENA_CELL;
    box(b, (struct arena_vec){0, 0}, a->width, a->height, floor_colour(0, 0));
    for (uint32_t row = 0; row * step < s->rows; row++)
        for (uint32_t col = 1 - row % 2; col * step < s->cols; col += 2) {
            struct arena_vec at = {(float)col * side, (float)row * side};
            box(b, at, arena_clamp(a->width - at.x, 0, side),
                arena_clamp(a->height - at.y, 0, side), floor_colour(1, 0));
        }
    layer(b->to);
}

/* Light falls from the top left. The floor is laid upon their feet. */
static void draw_walls(const struct arena *a, const struct brush *b)
{
    const float thick = (WALL - EDGE) / b->unit, foot = thick / 4;
    const float w = a->width, h = a->height;
    const struct arena_vec out[4] = {
        {-thick, -thick}, {w + thick, -thick}, {w + thick, h + thick}, {-thick, h + thick}};
    const struct arena_vec in[4] = {
        {foot, foot}, {w - foot, foot}, {w - foot, h - foot}, {foot, h - foot}};
    const struct arena_colour faces[4] = {RGB(128, 122, 110), RGB(84, 80, 74), RGB(70, 66, 62),
                                          RGB(112, 106, 96)};
    for (unsigned i = 0; i < 4; i++)
        quad(b, out[i], out[(i + 1) % 4], in[(i + 1) % 4], in[i], faces[i]);
    layer(b->to);
}

/* ---- objects on the floor ---------------------------------------------------------------- */

static void draw_heat(const struct arena *a, const struct brush *b)
{
    const struct space *s = &a->recipe.space;
    const float *heat = a->fields[ARENA_HEAT];
    const uint32_t step = tile_cells(a);
    for (uint32_t row = 0; row < s->rows; row++)
        for (uint32_t col = 0; col < s->cols; col++) {
            float hot = heat[(uint64_t)row * s->cols + col];
            if (hot >= GLOWS)
                box(b, (struct arena_vec){(float)col * ARENA_CELL, (float)row * ARENA_CELL},
                    ARENA_CELL, ARENA_CELL,
                    between(floor_colour(col / step, row / step), RGB(255, 106, 20),
                            hot * (1 / 16.0f)));
        }
    layer(b->to);
}

/* The dead shrink, and sink into the floor; the living are blue with cold, or red with heat. */
static void draw_creatures(const struct arena *a, const struct brush *b, bool living)
{
    for (uint32_t i = 0; i < a->creature_top; i++) {
        const struct arena_creature *c = &a->creatures[i];
        if (!c->active || arena_creature_lives(c) != living)
            continue;
        struct sprite s = {.looks = arena_creature_looks(c->type),
                           .pos = c->pos,
                           .size = arena_kind(c->type)->size,
                           .angle = c->heading};
        if (!living) {
            s.size *= 0.4f + 0.6f * c->stage * (1 / ARENA_ALIVE);
            s.tint = RGB(34, 30, 34);
            s.tint_part = 0.75f;
        } else if (a->timers[TIMER_FREEZE] > 0) {
            s.tint = RGB(190, 226, 255);
            s.tint_part = 0.5f;
        } else if (c->flags & ARENA_BURNING) {
            s.tint = RGB(255, 120, 24);
            s.tint_part = 0.5f;
        }
        sprite(b, &s);
    }
    layer(b->to);
}

/* One that is about to go blinks, eight times a second. */
static void draw_bonuses(const struct arena *a, const struct brush *b)
{
    for (uint32_t i = 0; i < ARENA_BONUSES; i++) {
        const struct arena_bonus *bonus = &a->bonuses[i];
        bool dark = !bonus->picked && bonus->left < 3 && (uint32_t)(bonus->left * 8) % 2;
        if (bonus->id == BONUS_NONE || dark)
            continue;
        sprite(b, &(struct sprite){.looks = arena_bonus_looks(bonus->id),
                                   .pos = bonus->pos,
                                   .size = bonus->picked ? 2 * bonus->left : 1});
    }
    layer(b->to);
}

static void draw_shots(const struct arena *a, const struct brush *b)
{
    uint32_t hits = a->now.hit_count < ARENA_HITS ? a->now.hit_count : ARENA_HITS;
    for (uint32_t i = 0; i < ARENA_SHOTS; i++)
        if (a->shots[i].active)
            sprite(b, &(struct sprite){.looks = arena_looks(LOOK_SHOT),
                                       .pos = a->shots[i].pos,
                                       .size = 1,
                                       .angle = a->shots[i].angle});
    for (uint32_t i = 0; i < ARENA_ROCKETS; i++)
        if (a->rockets[i].active)
            sprite(b, &(struct sprite){.looks = arena_looks(LOOK_ROCKET),
                                       .pos = a->rockets[i].pos,
                                       .size = 1,
                                       .angle = a->rockets[i].angle});
    for (uint32_t i = 0; i < hits; i++)
        sprite(b, &(struct sprite){.looks = arena_looks(LOOK_SPARK),
                                   .pos = a->now.hits[i].hit,
                                   .size = arena_arm(a->now.hits[i].type)->rocket ? 4 : 1,
                                   .angle = (float)(a->tick % 8)});
    layer(b->to);
}

/* What is left of the health, above the head. */
static void draw_health(const struct brush *b, const struct arena_player *p)
{
    const float long_ = 44, high = 6, left = p->health * (long_ / 100);
    struct arena_vec at = {p->pos.x - long_ * 0.5f, p->pos.y - 40};
    box(b, at, left, high, between(RGB(226, 52, 44), RGB(96, 214, 92), p->health * 0.01f));
    at.x += left;
    box(b, at, long_ - left, high, RGB(18, 18, 22));
}

static void draw_players(const struct arena *a, const struct brush *b)
{
    for (uint32_t i = 0; i < a->player_count; i++) {
        const struct arena_player *p = &a->players[i];
        bool safe = a->timers[TIMER_ENERGIZER] > 0;
        sprite(b, &(struct sprite){.looks = arena_player_looks(i),
                                   .pos = p->pos,
                                   .size = p->health > 0 ? 1 : 0.6f,
                                   .angle = p->heading,
                                   .tint = p->health > 0 ? RGB(255, 255, 255) : RGB(34, 30, 34),
                                   .tint_part = p->health <= 0 ? 0.75f
                                                : safe         ? 0.4f
                                                               : 0});
        if (p->health > 0)
            draw_health(b, p);
    }
    layer(b->to);
}

void arena_draw_picture(const void *world, bool scenery, struct ras_drawing *to)
{
    static const float backdrop[4] = {14 / 255.0f, 15 / 255.0f, 18 / 255.0f, 1};
    const struct arena *a = world;
    const struct brush b = brush_of(a, to);
    to->count = to->layer_count = 0;
    for (unsigned i = 0; i < 4; i++)
        to->backdrop[i] = backdrop[i];
    if (scenery) {
        draw_walls(a, &b);
        draw_floor(a, &b);
        return;
    }
    draw_heat(a, &b);
    draw_creatures(a, &b, false);
    draw_bonuses(a, &b);
    draw_creatures(a, &b, true);
    draw_shots(a, &b);
    draw_players(a, &b);
}
