/* world_life.c - a world of your own: Conway's Life, for `rastrum run` and `rastrum replay`.
 *
 *   cc -shared -fPIC -Iinclude -o life.so examples/world_life.c
 *   rastrum run --world ./life.so --ticks 50 -o life
 *   rastrum replay --world ./life.so life/replay.murk
 *
 * (-Iinclude where rastrum is not installed.) The recipe in the recording's space_descriptor is
 * `life ROWS COLS`. SetField sets a cell before the rule is applied; no other command acts. There
 * is one field, 1.0 where a cell lives, on a torus. */
#include <rastrum/world.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIVE 0x3f800000u /* 1.0f as bits */

struct life {
    uint32_t rows, cols;
    uint64_t tick, seed;
    uint32_t *now, *next;
};

static int fail(struct ras_error *err, int status, const char *text)
{
    if (err) {
        *err = (struct ras_error){.status = status, .offset = RAS_NONE};
        snprintf(err->text, sizeof err->text, "%s", text);
    }
    return status;
}

static void destroy(void *world)
{
    struct life *l = world;
    if (l) {
        free(l->now);
        free(l->next);
    }
    free(l);
}

static int create(void **world, struct ras_bytes recipe, uint64_t seed, struct ras_error *err)
{
    char text[64] = {0};
    struct life *l = calloc(1, sizeof *l);
    *world = NULL;
    if (!l)
        return fail(err, RAS_EMEMORY, "out of memory");
    l->seed = seed;
    memcpy(text, recipe.at, recipe.len < sizeof text ? recipe.len : sizeof text - 1);
    if (sscanf(text, "life %u %u", &l->rows, &l->cols) != 2 || l->rows < 1 || l->rows > 4096 ||
        l->cols < 1 || l->cols > 4096) {
        destroy(l);
        return fail(err, RAS_EFORMAT, "the recipe is not `life ROWS COLS`, up to 4096 each");
    }
    l->now = calloc((size_t)l->rows * l->cols, sizeof *l->now);
    l->next = calloc((size_t)l->rows * l->cols, sizeof *l->next);
    if (!l->now || !l->next) {
        destroy(l);
        return fail(err, RAS_EMEMORY, "out of memory");
    }
    *world = l;
    return RAS_OK;
}

static struct ras_world_shape shape(const void *world)
{
    const struct life *l = world;
    return (struct ras_world_shape){.dt_bits = UINT64_C(0x3ff0000000000000), /* 1.0 */
                                    .field_count = 1,
                                    .cell_count = (uint64_t)l->rows * l->cols};
}

static struct ras_world_field field(const void *world, uint32_t index)
{
    const struct life *l = world;
    (void)index;
    return (struct ras_world_field){"alive", l->now, (uint64_t)l->rows * l->cols, 1};
}

static uint32_t number(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static enum ras_receipt_reason apply(struct life *l, const struct ras_world_command *c)
{
    if (c->wire.payload_type != RAS_MURK_SET_FIELD)
        return RAS_RECEIPT_UNSUPPORTED;
    if (c->typed.coord.len != 8 || c->typed.field_id != 0)
        return RAS_RECEIPT_NOT_APPLIED;
    uint32_t row = number(c->typed.coord.at), col = number(c->typed.coord.at + 4);
    if (row >= l->rows || col >= l->cols)
        return RAS_RECEIPT_NOT_APPLIED;
    l->now[row * l->cols + col] = c->typed.value_f32 ? ALIVE : 0;
    return RAS_RECEIPT_APPLIED;
}

static unsigned neighbours(const struct life *l, uint32_t row, uint32_t col)
{
    unsigned count = 0;
    for (uint32_t r = row + l->rows - 1; r <= row + l->rows + 1; r++)
        for (uint32_t c = col + l->cols - 1; c <= col + l->cols + 1; c++)
            if (r != row + l->rows || c != col + l->cols)
                count += l->now[r % l->rows * l->cols + c % l->cols] != 0;
    return count;
}

static int step(void *world, struct ras_step *s, struct ras_error *err)
{
    struct life *l = world;
    (void)err;
    s->tick = ++l->tick;
    s->result = RAS_STEP_OK;
    s->why[0] = 0;
    s->receipt_count = s->command_count;
    for (uint32_t i = 0; i < s->command_count; i++) {
        enum ras_receipt_reason reason = apply(l, &s->commands[i]);
        bool applied = reason == RAS_RECEIPT_APPLIED;
        s->receipts[i] = (struct ras_receipt){.command_index = i,
                                              .accepted = applied,
                                              .reason = (uint8_t)reason,
                                              .applied_tick = applied ? l->tick : RAS_NONE};
    }
    for (uint32_t r = 0; r < l->rows; r++)
        for (uint32_t c = 0; c < l->cols; c++) {
            unsigned n = neighbours(l, r, c);
            bool lives = n == 3 || (n == 2 && l->now[r * l->cols + c]);
            l->next[r * l->cols + c] = lives ? ALIVE : 0;
        }
    uint32_t *was = l->now;
    l->now = l->next;
    l->next = was;
    return RAS_OK;
}

static void put_number(uint8_t *p, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(value >> 8 * i);
}

/* When nobody else plays, five cells come to life at the first tick, where the seed says; they
 * go on changing for 1103 ticks where there is room. */
static int play(const void *world, uint64_t tick, struct ras_play *p)
{
    enum { CELLS = 5, SIZE = 20 }; /* u32 2, i32 row, i32 col, u32 field, f32 value */
    static const uint8_t cells[CELLS][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 1}, {2, 1}};
    const struct life *l = world;
    p->count = 0;
    if (tick != 1)
        return RAS_OK;
    if (p->room < CELLS || p->bytes_room < CELLS * SIZE)
        return RAS_ELIMIT;
    for (; p->count < CELLS; p->count++) {
        uint8_t *to = p->bytes + SIZE * p->count;
        put_number(to, 2);
        put_number(to + 4, (uint32_t)((l->rows / 2 + l->seed + cells[p->count][0]) % l->rows));
        put_number(to + 8, (uint32_t)((l->cols / 2 + l->seed / 7 + cells[p->count][1]) % l->cols));
        put_number(to + 12, 0);
        put_number(to + 16, ALIVE);
        p->commands[p->count].wire = (struct ras_murk_command){
            .payload_type = RAS_MURK_SET_FIELD,
            .payload = {to, SIZE},
            .expires_after_tick = UINT64_MAX,
            .arrival_seq = p->count,
        };
    }
    return RAS_OK;
}

/* A vertex at a corner of a cell, the first row on top, all of it in green. */
static void put_vertex(const struct life *l, struct ras_drawing *d, uint32_t row, uint32_t col)
{
    float side = 2.0f / (float)(l->rows > l->cols ? l->rows : l->cols);
    float x = ((float)col - 0.5f * (float)l->cols) * side;
    float y = (0.5f * (float)l->rows - (float)row) * side;
    if (d->count < d->room)
        d->vertices[d->count] = (struct ras_vertex){x, y, 0.2f, 0.8f, 0.4f, 1};
    d->count++;
}

/* Cells that live side by side are one rectangle: two triangles. There is no scenery. */
static void draw(const void *world, bool scenery, struct ras_drawing *d)
{
    static const uint8_t corners[6][2] = {{0, 0}, {0, 1}, {1, 1}, {0, 0}, {1, 1}, {1, 0}};
    const struct life *l = world;
    d->count = d->layer_count = 0;
    d->backdrop[0] = d->backdrop[1] = d->backdrop[2] = 0;
    d->backdrop[3] = 1;
    for (uint32_t row = 0; row < l->rows && !scenery; row++)
        for (uint32_t from = 0, to; from < l->cols; from = to + 1) {
            for (to = from; to < l->cols && l->now[row * l->cols + to];)
                to++;
            bool drawn = to > from && d->count + 6 <= RAS_DRAW_VERTICES;
            for (unsigned i = 0; i < 6 && drawn; i++)
                put_vertex(l, d, row + corners[i][0], corners[i][1] ? to : from);
        }
}

__attribute__((visibility("default"))) extern const struct ras_world_type ras_world_type;
const struct ras_world_type ras_world_type = {
    .abi = RAS_WORLD_ABI,
    .name = "life",
    .title = "Conway's Life on a torus",
    .create = create,
    .destroy = destroy,
    .shape = shape,
    .step = step,
    .field = field,
    .play = play,
    .draw = draw,
    .recipe = "life 24 24\n",
};
