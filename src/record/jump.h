/* jump.h - the target of longjmp(). */
#ifndef RECORD_JUMP_H
#define RECORD_JUMP_H

/* A hardened build would rename longjmp(), which is defined where this is included. */
#undef __USE_FORTIFY_LEVEL
#define __USE_FORTIFY_LEVEL 0
#include <setjmp.h>
#include <stdint.h>

/* glibc rotates the stack pointer and XORs it with the thread's pointer guard; elsewhere the
 * layout is not known. */
#if defined(__x86_64__) && defined(__GLIBC__)
#define JUMP_SP_KNOWN
static inline uintptr_t jump_sp(const struct __jmp_buf_tag *env)
{
    uintptr_t sp = (uintptr_t)env->__jmpbuf[6], guard;
    __asm__("movq %%fs:0x30, %0" : "=r"(guard));
    return (sp >> 17 | sp << 47) ^ guard;
}
#endif
#endif
