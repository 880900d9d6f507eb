/* private_api.h - functions that librastrum exports to librastrum-world and librastrum-pens of the
 * same version alone.
 *
 * src/rastrum.map lists them in a version node of their own, which changes with every version. */
#ifndef BASE_PRIVATE_API_H
#define BASE_PRIVATE_API_H

#include <rastrum/rastrum.h>

#define PRIVATE_API RAS_API
#endif
