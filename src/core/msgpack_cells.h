/* msgpack_cells.h - MessagePack of any shape as values, for what has no known layout. */
#ifndef CORE_MSGPACK_CELLS_H
#define CORE_MSGPACK_CELLS_H

#include "codec/msgpack.h"
#include "core/cells.h"

/* Append the next value; `depth` levels are decoded, deeper ones are delivered as their bytes.
 * False: the bytes are not MessagePack, or memory is short (cells->nomem). */
bool cells_msgpack(struct cells *, unsigned field, struct msgpack *, unsigned depth);
#endif
