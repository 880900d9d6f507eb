/* bisecting_draws.h - the draw by which the pictures of two traces first differ. */
#ifndef CLI_BISECTING_DRAWS_H
#define CLI_BISECTING_DRAWS_H

#include "cli/session.h"

struct draws_asked {
    struct number frame; /* else the first one that differs */
    const char *size;
};
/* The two operands compared, answered; the status to exit with. */
int bisect_draws(const struct common *, const struct draws_asked *);
#endif
