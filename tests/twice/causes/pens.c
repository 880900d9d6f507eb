/* pens.c - a run with pens, whose state depends on the clock from tick 10 on. */
#include <rastrum/pens.h>

#include <stdlib.h>
#include <time.h>

int main(void)
{
    struct ras_pens *pens = NULL;
    const struct ras_pens_options how = {.program = "pens", .dt_seconds = 0.1};
    struct ras_error err;
    if (ras_pens_open(&pens, &how, &err) < 0)
        return 1;
    uint32_t name = ras_pens_name(pens, "value");
    srand((unsigned)time(NULL));
    for (int tick = 1; tick <= 20; tick++) {
        ras_pens_tick(pens, (uint64_t)tick);
        ras_pens_int(pens, name, 0, tick < 10 ? tick : rand());
    }
    return ras_pens_close(pens, &err) < 0;
}
