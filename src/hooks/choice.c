/* choice.c - which functions are recorded, and how. */
#include "hooks/choice.h"

uint64_t choice_of(struct loaded *module, uintptr_t address)
{
    struct function *f = loaded_function(module, address);
    return f ? (uint64_t)module->id << 32 | f->index : 0;
}

bool choice_ignores(struct loaded *module, uintptr_t address)
{
    (void)module, (void)address;
    return false;
}
