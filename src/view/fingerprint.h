/* fingerprint.h - what a trace is known by between two views, for marks that a page keeps of it. */
#ifndef VIEW_FINGERPRINT_H
#define VIEW_FINGERPRINT_H

#include "view/shown.h"

/* SHA-256 of the sizes of the files of a side, and of the first and last 64 KiB of each of the
 * first 64, as hexadecimal digits. A file that cannot be read counts as empty. */
void fingerprint_side(const struct shown *, const struct side *, char digits[FINGERPRINT_ROOM]);
#endif
