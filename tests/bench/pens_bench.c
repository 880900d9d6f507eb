/* pens_bench.c - what pens cost the program's own thread: ticks, entities, pictures.
 *
 * A picture is compared with a copy of it to a place that is as far from the caches as the ring of
 * the pens: both go round in 16 MiB. */
#include "bench.h"
#include <rastrum/pens.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TICKS = 2000,
    INPUTS = 4,
    ENTITIES = 1000,
    WIDTH = 320,
    HEIGHT = 200,
    PICTURE = WIDTH * HEIGHT * 4,
    PICTURES = 60,
    RING = 16 << 20,
};

struct loop {
    struct ras_pens *pens;
    uint64_t tick;
    uint32_t *pixels;
    uint8_t *ring;
    size_t at;
};

static void run_ticks(void *user)
{
    struct loop *l = user;
    for (int i = 0; i < TICKS; i++) {
        ras_pens_tick(l->pens, ++l->tick);
        for (uint32_t k = 0; k < INPUTS; k++)
            ras_pens_input(l->pens, k, &l->tick, sizeof l->tick);
        ras_pens_snapshot(l->pens, l->tick * 7);
    }
}

static void run_entities(void *user)
{
    struct loop *l = user;
    struct ras_pens_entity e = {.kind = 1, .hp = 10};
    for (int i = 0; i < 20; i++) {
        ras_pens_tick(l->pens, ++l->tick);
        for (e.slot = 0; e.slot < ENTITIES; e.slot++) {
            e.x = e.slot;
            ras_pens_entity(l->pens, &e);
        }
    }
}

static void run_pictures(void *user)
{
    struct loop *l = user;
    for (int i = 0; i < PICTURES; i++) {
        ras_pens_tick(l->pens, ++l->tick);
        l->pixels[l->tick % (WIDTH * HEIGHT)]++;
        ras_pens_pixels(l->pens, RAS_PENS_RGBA, WIDTH, HEIGHT, 0, l->pixels, NULL);
    }
}

static void run_copies(void *user)
{
    struct loop *l = user;
    for (int i = 0; i < PICTURES; i++) {
        l->pixels[++l->tick % (WIDTH * HEIGHT)]++;
        l->at = l->at + PICTURE > RING ? 0 : l->at;
        memcpy(l->ring + l->at, l->pixels, PICTURE);
        l->at += PICTURE;
        bench_use(l->ring[l->at - 1]);
    }
}

/* One kind of note at a time, each in a run of its own. */
static double measure(struct bench *b, struct loop *l, const char *name, void (*work)(void *))
{
    char dir[600];
    snprintf(dir, sizeof dir, "%s/%s", bench_folder(b), name);
    const struct ras_pens_options how = {.dir = dir, .program = "bench", .replace = true};
    if (ras_pens_open(&l->pens, &how, NULL) < 0)
        return 0;
    double seconds = bench_best(b, work, l);
    if (ras_pens_close(l->pens, NULL) < 0)
        seconds = 0;
    (void)!ras_folder_remove(dir, NULL);
    return seconds;
}

void pens_bench(struct bench *b)
{
    struct loop l = {.pixels = calloc(1, PICTURE), .ring = calloc(1, RING)};
    if (l.pixels && l.ring) {
        bench_report(b, "pens.tick", measure(b, &l, "pens.tick", run_ticks) / TICKS * 1e6, 0);
        bench_report(b, "pens.entity",
                     measure(b, &l, "pens.entity", run_entities) / (20.0 * ENTITIES) * 1e9, 0);
        double pictures = measure(b, &l, "pens.picture", run_pictures);
        double copies = bench_best(b, run_copies, &l);
        bench_report(b, "pens.picture", pictures / copies, 0);
    }
    free(l.pixels);
    free(l.ring);
}
