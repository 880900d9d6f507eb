/* function_list.h - the functions of a file, from its symbols and its unwind information. */
#ifndef PATCHING_FUNCTION_LIST_H
#define PATCHING_FUNCTION_LIST_H

#include "patching/code_map.h"

/* Fill the functions of a map whose sections are read. */
int function_list_read(struct code_map *, struct ras_error *err);
#endif
