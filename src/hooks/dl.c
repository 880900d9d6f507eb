/* dl.c - modules that come and go while the program runs. */
#include "hooks/hooks.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

static void *(*real_open)(const char *, int);

/* Call dlopen() as if `site` did: a module that is sought by name is sought where the module
 * that asks says, which is found by the return address. That is one of a ret of the caller's
 * own, which then returns to us. dlopen() begins with a stack pointer that is 8 off a multiple of
 * 16, as after a call: the entry's own 8 + 16 + two words. */
void *dl_open_as(const char *path, int flags, const void *ret, void *function);
#if defined(__x86_64__)
__asm__(".text\n"
        ".type dl_open_as, @function\n"
        "dl_open_as:\n"
        "    .cfi_startproc\n"
        "    subq $16, %rsp\n"
        "    .cfi_adjust_cfa_offset 16\n"
        "    leaq 1f(%rip), %rax\n"
        "    pushq %rax\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rdx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    jmp *%rcx\n"
        "    .cfi_adjust_cfa_offset -16\n"
        "1:  addq $16, %rsp\n"
        "    .cfi_adjust_cfa_offset -16\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size dl_open_as, . - dl_open_as\n");
#endif

struct search {
    uintptr_t site;
    const void *ret;
};

/* The first ret in the code around `site`. */
static int find_ret(struct dl_phdr_info *info, size_t size, void *user)
{
    struct search *s = user;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || s->site < from ||
            s->site - from >= p->p_memsz)
            continue;
        s->ret = memchr((const void *)s->site, 0xc3, p->p_memsz - (s->site - from));
        if (!s->ret)
            s->ret = memchr((const void *)from, 0xc3, p->p_memsz);
        return 1;
    }
    return 0;
}

HOOK void *dlopen(const char *path, int flags)
{
    struct search s = {.site = (uintptr_t)__builtin_return_address(0)};
    if (!real_open)
        hooks_next(&real_open, "dlopen");
    bool sought = path && (!strchr(path, '/') || strchr(path, '$'));
    if (thunk_is(s.site))
        s.site = thunk_origin(s.site);
    if (sought)
        dl_iterate_phdr(find_ret, &s);
    void *function;
    memcpy(&function, &real_open, sizeof function);
    void *handle = s.ret ? dl_open_as(path, flags, s.ret, function) : real_open(path, flags);
    if (handle)
        patch_all();
    return handle;
}

/* Another module may be loaded where this one was: its functions are others. */
HOOK int dlclose(void *handle)
{
    static int (*real)(void *);
    if (!real)
        hooks_next(&real, "dlclose");
    int status = real(handle);
    loaded_sweep();
    return status;
}
