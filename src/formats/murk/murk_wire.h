/* murk_wire.h - Murk's bytes; shared by the files of this driver. */
#ifndef MURK_WIRE_H
#define MURK_WIRE_H

#include "base/in.h"
#include <rastrum/murk.h>

enum { MURK_HASH_SIZE = 8, MURK_FRAME_HEAD_SIZE = 12, MURK_PAYLOAD_AT = 5 };

_Static_assert(RAS_MURK_FRAME_MIN == MURK_FRAME_HEAD_SIZE + MURK_HASH_SIZE, "spec: Frame Layout");
_Static_assert(RAS_MURK_COMMAND_MIN == 1 + 4 + 1 + 1 + 1 + 8 + 8, "spec: Command Encoding");
_Static_assert(RAS_MURK_HEADER_MIN == 5 + 4 * 4 + 28 + 4, "spec: Header Layout");

/* ras_murk_header_get() that accepts versions from `oldest` on: the header is the same in all of
 * them. */
bool murk_header(struct ras_bytes, unsigned oldest, struct ras_murk_header *,
                 struct ras_murk_fault *);
/* Decodes one command. False: see fault, or in->cut if it is cut. */
bool murk_command(struct in *in, struct ras_murk_command *, struct ras_murk_fault *);
#endif
