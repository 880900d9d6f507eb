/* jump.h - the target of longjmp(). */
#ifndef RECORD_JUMP_H
#define RECORD_JUMP_H

/* A hardened build would rename longjmp(), which is defined where this is included. */
#undef __USE_FORTIFY_LEVEL
#define __USE_FORTIFY_LEVEL 0
#include <setjmp.h>
#include <stdint.h>

/* glibc rotates the stack pointer (not on arm64) and XORs it with a pointer guard; elsewhere the
 * layout is not known. */
#if defined(__x86_64__) && defined(__GLIBC__)
#define JUMP_SP_KNOWN
static inline uintptr_t jump_sp(const struct __jmp_buf_tag *env)
{
    uintptr_t sp = (uintptr_t)env->__jmpbuf[6], guard;
    __asm__("movq %%fs:0x30, %0" : "=r"(guard));
    return (sp >> 17 | sp << 47) ^ guard;
}
#elif defined(__aarch64__) && defined(__GLIBC__)
#define JUMP_SP_KNOWN
/* The guard is a variable of the dynamic linker that is not exported: it is what our own stack
 * pointer is XORed with. */
static __attribute__((noinline, unused)) uintptr_t jump_sp(const struct __jmp_buf_tag *env)
{
    enum { STACK_POINTER = 13 };
    struct __jmp_buf_tag own[1];
    uintptr_t sp;
    (void)_setjmp(own);
    __asm__ volatile("mov %0, sp" : "=r"(sp));
    return (uintptr_t)(env->__jmpbuf[STACK_POINTER] ^ own->__jmpbuf[STACK_POINTER]) ^ sp;
}
#endif
#endif
