/* pens_none.c - repairing a run's directory where no pens are: not on Linux, or where the
 * machine's numbers are big-endian. */
#include "base/error.h"
#include <rastrum/pens.h>

int ras_pens_repair(struct ras_pens_repaired *out, const char *dir,
                    const struct ras_pens_repair_options *options, struct ras_error *err)
{
    (void)options;
    *out = (struct ras_pens_repaired){0};
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                "%s: a run is repaired on little-endian Linux only; its traces can be repaired",
                dir);
}
