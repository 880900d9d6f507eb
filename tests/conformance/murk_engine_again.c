/* murk_engine_again.c - one tick of a grid world whose fields are given, or what its space is like.
 *
 *   murk_engine_again RECIPE space          degree, then of each cell: coordinate : neighbours
 *   murk_engine_again RECIPE TICK <FIELDS   a field a line: its number and the bits of its values;
 *                                           the same of all fields after that tick
 */
#include "world/grid.h"
#include "world/space.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_recipe(const char *path, char *text, size_t size, size_t *len)
{
    FILE *file = fopen(path, "rb");
    *len = file ? fread(text, 1, size, file) : 0;
    return file && !fclose(file) && *len;
}

static void print_space(const struct space *s)
{
    struct neighbours near = {0};
    int32_t coord[RAS_WORLD_AXES];
    if (!neighbours_make(&near, s))
        abort();
    printf("%u\n", space_degree(s));
    for (uint64_t i = 0; i < s->cells; i++) {
        uint8_t bytes[sizeof coord];
        uint32_t axes = space_coord(s, i, coord);
        for (uint32_t a = 0; a < axes; a++)
            printf("%d ", (int)coord[a]);
        memcpy(bytes, coord, sizeof coord);
        if (space_rank(s, (struct ras_bytes){bytes, axes * sizeof *coord}) != i)
            printf("is another cell ");
        printf(":");
        for (uint32_t n = near.from[i]; n < near.from[i + 1]; n++)
            printf(" %u", near.at[n]);
        printf("\n");
    }
    neighbours_free(&near);
}

static void read_fields(struct grid *g)
{
    unsigned id;
    while (scanf("%u", &id) == 1 && id < g->recipe.field_count)
        for (uint64_t i = 0; i < g->fields[id].count; i++)
            if (scanf("%" SCNx32, &g->fields[id].published[i]) != 1)
                exit(2);
}

static void print_fields(const struct grid *g)
{
    for (size_t id = 0; id < g->recipe.field_count; id++) {
        printf("%zu", id);
        for (uint64_t i = 0; i < g->fields[id].count; i++)
            printf(" %08" PRIx32, g->fields[id].published[i]);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    static const struct grid_rules rules;
    static char text[RAS_WORLD_RECIPE_MAX];
    struct grid_world world = {0};
    struct ras_error err = {0};
    struct ras_step step = {0};
    size_t len;
    if (argc != 3 || !read_recipe(argv[1], text, sizeof text, &len))
        return 2;
    int status = grid_world_make(&world, (struct ras_bytes){(uint8_t *)text, len}, 1, false, &err);
    if (status == RAS_OK && !strcmp(argv[2], "space"))
        print_space(&world.grid.recipe.space);
    else if (status == RAS_OK) {
        read_fields(&world.grid);
        world.tick = strtoull(argv[2], NULL, 10) - 1;
        status = grid_world_step(&world, &rules, &step, &err);
        print_fields(&world.grid);
    }
    grid_world_free(&world);
    if (status < 0)
        fprintf(stderr, "%s\n", err.text);
    return status < 0;
}
