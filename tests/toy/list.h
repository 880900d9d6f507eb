/* list.h - every format, and the toy. */
#include "formats/list.h"
FORMAT(toy)
