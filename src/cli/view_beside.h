/* view_beside.h - what the only operand of view may be compared with. */
#ifndef CLI_VIEW_BESIDE_H
#define CLI_VIEW_BESIDE_H

#include "cli/rundirs.h"

#include <rastrum/view.h>

/* Offer the only operand, and what is beside it and like it: the page compares them on request. A
 * request names them by number, never by path. */
void view_offer_beside(const struct common *, struct ras_view *, const struct ras_options *);
#endif
