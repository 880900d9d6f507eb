/* arrival.c - modules that are loaded while the program runs, before their constructors.
 *
 * The dynamic linker calls a function that does nothing whenever its list of modules has changed,
 * for debuggers to stop at; new modules are mapped then, and none of their code has run. Its return
 * becomes a jump to us. */
#include "hooks/hooks.h"

#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

enum { JUMP = 5, PAGE = 4096 };

void hooks_arrival(void); /* fentry.S: spares all registers */
void arrival(void);

static const struct r_debug *list;

void arrival(void)
{
    int was = errno;
    if (list->r_state == RT_CONSISTENT)
        patch_all();
    errno = was;
}

/* A return, alone or behind a landing, and nothing but filling in the bytes that the jump takes. */
static bool does_nothing(uintptr_t at)
{
    static const uint8_t forms[][JUMP] = {{0xf3, 0x0f, 0x1e, 0xfa, 0xc3},  /* endbr64; ret */
                                          {0xc3, 0x66, 0x66, 0x2e, 0x0f},  /* ret; nopw */
                                          {0xc3, 0x66, 0x2e, 0x0f, 0x1f},  /* the same, shorter */
                                          {0xc3, 0x0f, 0x1f, 0x80, 0x00},  /* ret; nopl */
                                          {0xc3, 0x90, 0x90, 0x90, 0x90}}; /* ret; nop */
    for (size_t i = 0; at % 16 == 0 && i < sizeof forms / sizeof *forms; i++)
        if (!memcmp((const void *)at, forms[i], JUMP))
            return true;
    return false;
}

void arrival_init(void)
{
    list = &_r_debug;
    uintptr_t at = list->r_brk;
    if (!at || !does_nothing(at))
        return;
    uintptr_t page = at & ~(uintptr_t)(PAGE - 1);
    uint8_t *stub = patch_stub(page, page + PAGE, hooks_arrival);
    if (!stub || mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
        return;
    int32_t far = (int32_t)((intptr_t)stub - (intptr_t)(at + JUMP));
    uint8_t code[JUMP] = {0xe9};
    memcpy(code + 1, &far, sizeof far);
    memcpy((void *)at, code, sizeof code);
    mprotect((void *)page, PAGE, PROT_READ | PROT_EXEC);
}
