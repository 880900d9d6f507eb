/* pens_loop.c - a game that owns its loop, and writes its run with every pen.
 *
 *   pens_loop [TICKS [FAULT]]        rastrum record --pens -o RUN -- pens_loop
 *
 * Balls bounce in a box; a random wind blows. With FAULT, one random number is drawn too many in
 * that tick: `rastrum diff` of two runs names it. Where nothing records, no pen does anything. */
#include <rastrum/dial9.h>
#include <rastrum/pens.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BALLS = 8, WIDTH = 64, HEIGHT = 48, DRAW_WIND = 1, DRAW_FAULT = 2 };

static struct ras_pens *pens; /* NULL: nothing is recorded */
static uint32_t wind_name, physics_name, bounce_type;

static uint32_t rng = 42;
static struct ball {
    double x, y, vx, vy;
} balls[BALLS];

/* A caller is a number of the program's own: the same in every run. */
static uint32_t draw(uint32_t caller)
{
    uint32_t before = rng;
    rng = rng * 1664525u + 1013904223u;
    ras_pens_draw(pens, caller, rng >> 16, before, rng);
    return rng >> 16;
}

static void bounce(struct ball *b, unsigned slot)
{
    const struct ras_dial9_value values[] = {{.type = RAS_DIAL9_U8, .u = slot},
                                             {.type = RAS_DIAL9_F64, .f64 = b->x}};
    b->vx = -b->vx;
    ras_pens_event(pens, bounce_type, values, 2);
}

static void simulate(double push)
{
    double wind = (draw(DRAW_WIND) % 21 - 10.0) / 100;
    ras_pens_begin(pens, physics_name);
    for (unsigned i = 0; i < BALLS; i++) {
        struct ball *b = &balls[i];
        b->vx += wind + push;
        b->x += b->vx;
        b->y += b->vy;
        if (b->x < 0 || b->x >= WIDTH)
            bounce(b, i);
        if (b->y < 0 || b->y >= HEIGHT)
            b->vy = -b->vy;
        ras_pens_entity(pens, &(struct ras_pens_entity){
                                  .slot = i, .x = b->x, .y = b->y, .vx = b->vx, .vy = b->vy});
    }
    ras_pens_end(pens, physics_name);
    ras_pens_real(pens, wind_name, 0, wind);
}

static void show(void)
{
    static uint32_t pixels[WIDTH * HEIGHT];
    memset(pixels, 0xff, sizeof pixels);
    for (unsigned i = 0; i < BALLS; i++) {
        int x = (int)balls[i].x, y = (int)balls[i].y;
        if (x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT)
            pixels[y * WIDTH + x] = 0xff000000u | i << 4;
    }
    ras_pens_pixels(pens, RAS_PENS_RGBA, WIDTH, HEIGHT, 0, pixels, NULL);
}

int main(int argc, char **argv)
{
    static const struct ras_dial9_field fields[] = {{"ball", RAS_DIAL9_U8}, {"x", RAS_DIAL9_F64}};
    const struct ras_dial9_schema schema = {"bounce", fields, 2, true};
    const struct ras_pens_options how = {.program = "pens_loop", .seed = 42, .dt_seconds = 0.02};
    uint64_t ticks = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
    uint64_t fault = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    struct ras_error err;
    if (ras_pens_open(&pens, &how, &err) < 0)
        fprintf(stderr, "pens_loop: %s\n", err.text);
    wind_name = ras_pens_name(pens, "wind");
    physics_name = ras_pens_name(pens, "physics");
    bounce_type = ras_pens_event_type(pens, &schema);
    for (unsigned i = 0; i < BALLS; i++)
        balls[i] = (struct ball){i * 7, i * 5, 0.5, 0.25 + i / 8.0};
    for (uint64_t tick = 1; tick <= ticks; tick++) {
        int8_t key = (int8_t)(tick / 50 % 3) - 1; /* what a player would press */
        ras_pens_tick(pens, tick);
        ras_pens_input(pens, 0, &key, sizeof key);
        simulate(key / 50.0);
        if (tick == fault)
            (void)draw(DRAW_FAULT);
        ras_pens_settled(pens);
        show();
    }
    if (ras_pens_close(pens, &err) < 0)
        fprintf(stderr, "pens_loop: %s\n", err.text);
    return 0;
}
