/* load_stub.c - code that is written into another process to load a library in a thread of its
 * own.
 *
 * dlopen() takes milliseconds of the processor, and on a busy machine many times that, since it
 * uses up more than the time slice of its thread; pthread_create() takes microseconds. */
#include "patching/load_stub.h"

/* Offsets in struct load_order, as the code below has them. */
#define IS_AT(member, offset)                                                                      \
    _Static_assert(offsetof(struct load_order, member) == (offset), "as in the code")
IS_AT(open, 0);
IS_AT(create, 8);
IS_AT(detach, 16);
IS_AT(errno_location, 24);
IS_AT(unmap, 32);
IS_AT(path, 40);
IS_AT(flags, 48);
IS_AT(block, 56);
IS_AT(block_size, 64);
IS_AT(thread, 72);
IS_AT(handle, 80);
IS_AT(done, 88);
IS_AT(released, 92);
IS_AT(error, 96);

__asm__(".pushsection .rodata\n"
        ".globl load_stub, load_stub_end\n"
        ".hidden load_stub, load_stub_end\n"
        "load_stub:\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    subq $8, %rsp\n"
        "    movq %rdi, %rbx\n"
        "    call *24(%rbx)\n" /* errno_location */
        "    movl (%rax), %r12d\n"
        "    leaq 72(%rbx), %rdi\n" /* &thread */
        "    xorl %esi, %esi\n"
        "    leaq 1f(%rip), %rdx\n"
        "    movq %rbx, %rcx\n"
        "    call *8(%rbx)\n" /* create */
        "    movl %eax, 96(%rbx)\n"
        "    call *24(%rbx)\n"
        "    movl %r12d, (%rax)\n"
        "    movl 96(%rbx), %eax\n"
        "    addq $8, %rsp\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    ret\n"
        /* The thread. */
        "1:  pushq %rbx\n"
        "    pushq %r12\n"
        "    subq $8, %rsp\n"
        "    movq %rdi, %rbx\n"
        "    movq 40(%rbx), %rdi\n"
        "    movl 48(%rbx), %esi\n"
        "    call *0(%rbx)\n" /* open */
        "    movq %rax, 80(%rbx)\n"
        "    movl $1, 88(%rbx)\n"
        /* For half a minute, if whoever should release it is no more. */
        "    movl $30000, %r12d\n"
        "2:  cmpl $0, 92(%rbx)\n"
        "    jne 3f\n"
        "    leaq 5f(%rip), %rdi\n"
        "    xorl %esi, %esi\n"
        "    movl $35, %eax\n" /* nanosleep() */
        "    syscall\n"
        "    decl %r12d\n"
        "    jnz 2b\n"
        "3:  movq 72(%rbx), %rdi\n"
        "    call *16(%rbx)\n" /* detach */
        "    movq 56(%rbx), %rdi\n"
        "    movq 64(%rbx), %rsi\n"
        "    movq 32(%rbx), %rax\n" /* unmap: returns to the caller of the thread */
        "    addq $8, %rsp\n"
        "    testl %r12d, %r12d\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    jz 4f\n"
        "    jmp *%rax\n"
        "4:  xorl %eax, %eax\n"
        "    ret\n"
        "    .balign 8\n"
        "5:  .quad 0, 1000000\n"
        "load_stub_end:\n"
        ".popsection\n");
