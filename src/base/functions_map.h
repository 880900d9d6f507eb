/* functions_map.h - the file in which hooks list the functions of a process, for the program that
 * names them after it has ended: lines, a module before its functions. */
#ifndef BASE_FUNCTIONS_MAP_H
#define BASE_FUNCTIONS_MAP_H

#include <inttypes.h>

#define FUNCTIONS_MAP "functions.map" /* beside the manifest */

/* The longest line, its end included. */
enum { FUNCTIONS_MAP_LINE = 4400 };

/* id, base address, size, build id in hexadecimal or "-", path. */
#define MAP_MODULE_PUT "module %" PRIu32 " 0x%" PRIx64 " %" PRIu64 " %s %s\n"
#define MAP_MODULE_GET "module %" SCNu32 " 0x%" SCNx64 " %" SCNu64 " %79s %n"

/* Function id, address in the module's file. */
#define MAP_FUNCTION_PUT "function 0x%016" PRIx64 " 0x%" PRIx64 "\n"
#define MAP_FUNCTION_GET "function 0x%" SCNx64 " 0x%" SCNx64

/* The module of marks has no file and no size; the addresses of its functions are their kinds. */
#define MAP_MARKS "rastrum"
enum map_mark { MAP_TICK = 1, MAP_SETTLED, MAP_MARKS_END };

/* NULL: there is no such mark. */
static inline const char *map_mark_name(uint64_t address)
{
    return address == MAP_TICK ? "tick" : address == MAP_SETTLED ? "settled" : (const char *)0;
}
#endif
