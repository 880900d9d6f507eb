/* fentry.S - called at the start of functions built with -mfentry or patched, and at their return.
 *
 * Every register but the flags is preserved: the arguments, al of variadic functions, the static
 * chain, returned values, and those that interprocedural register allocation expects to be
 * preserved. The fast paths are C without vector registers; the slow paths save them all. */
#if defined(__x86_64__)

#define VECTORS 0xe7 /* x87, SSE, AVX, AVX-512 */
#define THUNKS  0x4000000

        .text

/* Nine registers, 72 bytes; the lowest is r11. */
.macro save_registers
        pushq %rax
        .cfi_adjust_cfa_offset 8
        pushq %rcx
        .cfi_adjust_cfa_offset 8
        pushq %rdx
        .cfi_adjust_cfa_offset 8
        pushq %rsi
        .cfi_adjust_cfa_offset 8
        pushq %rdi
        .cfi_adjust_cfa_offset 8
        pushq %r8
        .cfi_adjust_cfa_offset 8
        pushq %r9
        .cfi_adjust_cfa_offset 8
        pushq %r10
        .cfi_adjust_cfa_offset 8
        pushq %r11
        .cfi_adjust_cfa_offset 8
.endm

.macro load_registers
        popq %r11
        .cfi_adjust_cfa_offset -8
        popq %r10
        .cfi_adjust_cfa_offset -8
        popq %r9
        .cfi_adjust_cfa_offset -8
        popq %r8
        .cfi_adjust_cfa_offset -8
        popq %rdi
        .cfi_adjust_cfa_offset -8
        popq %rsi
        .cfi_adjust_cfa_offset -8
        popq %rdx
        .cfi_adjust_cfa_offset -8
        popq %rcx
        .cfi_adjust_cfa_offset -8
        popq %rax
        .cfi_adjust_cfa_offset -8
.endm

/* Room for the vector registers below rbp, which is saved; rax and rdx are not. */
.macro save_vectors
        pushq %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        movq %rsp, %rbp
        .cfi_def_cfa_register %rbp
        subq hooks_vector_size(%rip), %rsp
        andq $-64, %rsp
        xorl %eax, %eax
        movq %rax, 512(%rsp)
        movq %rax, 520(%rsp)
        movq %rax, 528(%rsp)
        movq %rax, 536(%rsp)
        movq %rax, 544(%rsp)
        movq %rax, 552(%rsp)
        movq %rax, 560(%rsp)
        movq %rax, 568(%rsp)
        movl $VECTORS, %eax
        xorl %edx, %edx
        cmpb $0, hooks_has_xsave(%rip)
        je 1f
        xsave64 (%rsp)
        jmp 2f
1:      fxsave64 (%rsp)
2:
.endm

.macro load_vectors
        movl $VECTORS, %eax
        xorl %edx, %edx
        cmpb $0, hooks_has_xsave(%rip)
        je 1f
        xrstor64 (%rsp)
        jmp 2f
1:      fxrstor64 (%rsp)
2:      movq %rbp, %rsp
        .cfi_def_cfa_register %rsp
        popq %rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbp
.endm

/* Fill the 4 KiB below the stack pointer, but for the highest word, where the caller keeps an
 * address: a called function pushes its return address or a register there. No register is
 * changed. */
.macro fill_stack value
        movq %r11, -120(%rsp)
        movups %xmm0, -112(%rsp)
        movl $\value, -96(%rsp)
        movd -96(%rsp), %xmm0
        pshufd $0, %xmm0, %xmm0
        leaq -3968(%rsp), %r11
1:      movups %xmm0, -128(%r11)
        movups %xmm0, -112(%r11)
        movups %xmm0, -96(%r11)
        movups %xmm0, -80(%r11)
        addq $64, %r11
        cmpq %rsp, %r11
        jne 1b
        movups -112(%rsp), %xmm0
        .set at, -112
        .rept 26
        movl $\value, at(%rsp)
        .set at, at + 4
        .endr
        movq -120(%rsp), %r11
        .set at, -128
        .rept 4
        movl $\value, at(%rsp)
        .set at, at + 4
        .endr
.endm

/* Called at the start of a function: above our return address is that of the function. */
        .globl __fentry__
        .type __fentry__, @function
        .globl hooks_entry
        .hidden hooks_entry
        .type hooks_entry, @function
        .balign 64
hooks_entry:
__fentry__:
        .cfi_startproc
        save_registers
        subq $8, %rsp
        .cfi_adjust_cfa_offset 8
        movq 80(%rsp), %rdi
        leaq 88(%rsp), %rsi
        call fentry_enter
        testl %eax, %eax
        jnz 3f
4:
        addq $8, %rsp
        .cfi_adjust_cfa_offset -8
        load_registers
        ret
        .cfi_adjust_cfa_offset 80
3:
        save_vectors
        movq 88(%rbp), %rdi
        leaq 96(%rbp), %rsi
        leaq 16(%rbp), %rdx
        call fentry_enter_slow
        movq %rax, 8(%rbp)
        load_vectors
        cmpl $0, (%rsp)
        je 4b
        cmpl $2, (%rsp)
        leaq 8(%rsp), %rsp
        .cfi_adjust_cfa_offset -8
        load_registers
        leaq 8(%rsp), %rsp
        .cfi_def_cfa_offset 8
        ja 6f
        je 5f
        fill_stack 0
        notrack jmp *-8(%rsp)
5:
        fill_stack 0xa5a5a5a5
        notrack jmp *-8(%rsp)
6:
        fill_stack 0x5a5a5a5a
        notrack jmp *-8(%rsp)
        .cfi_endproc
        .size __fentry__, . - __fentry__

/* A function has returned to its thunk, which has pushed its number. */
        .globl hooks_return
        .hidden hooks_return
        .type hooks_return, @function
        .balign 64
hooks_return:
        .cfi_startproc
        .cfi_def_cfa_offset 8
        .cfi_undefined %rip
        save_registers
        movl 72(%rsp), %edi
        leaq 80(%rsp), %rsi
        call fentry_leave
        testq %rax, %rax
        jz 3f
4:
        movq %rax, 72(%rsp)
        load_registers
        leaq 8(%rsp), %rsp
        /* A jump, so that the processor's return stack stays balanced; signal handlers do not
         * touch the red zone below the stack pointer. */
        notrack jmp *-8(%rsp)
3:
        .cfi_adjust_cfa_offset 72
        subq $8, %rsp
        .cfi_adjust_cfa_offset 8
        save_vectors
        movl 88(%rbp), %edi
        leaq 96(%rbp), %rsi
        leaq 16(%rbp), %rdx
        call fentry_leave_slow
        movq %rax, 88(%rbp)
        leaq 96(%rbp), %rdi
        call fentry_leave_fill
        movq %rax, 8(%rbp)
        load_vectors
        cmpl $0, (%rsp)
        jne 5f
        addq $8, %rsp
        .cfi_adjust_cfa_offset -8
        movq 72(%rsp), %rax
        jmp 4b
5:
        .cfi_adjust_cfa_offset 8
        cmpl $2, (%rsp)
        leaq 8(%rsp), %rsp
        .cfi_adjust_cfa_offset -8
        load_registers
        leaq 8(%rsp), %rsp
        .cfi_adjust_cfa_offset -8
        ja 7f
        je 6f
        fill_stack 0
        notrack jmp *-8(%rsp)
6:
        fill_stack 0xa5a5a5a5
        notrack jmp *-8(%rsp)
7:
        fill_stack 0x5a5a5a5a
        notrack jmp *-8(%rsp)
        .cfi_endproc
        .size hooks_return, . - hooks_return

/* The slow paths of -finstrument-functions: an ordinary call, after whose return address the
 * caller's frame ends. */
.macro cyg_slow name, function
        .globl \name
        .hidden \name
        .type \name, @function
\name:
        .cfi_startproc
        subq $8, %rsp
        .cfi_adjust_cfa_offset 8
        call \function
        addq $8, %rsp
        .cfi_adjust_cfa_offset -8
        testl %eax, %eax
        jz 3f
        leaq -4096(%rsp), %rdi
        movl $512, %ecx
        cmpl $2, %eax
        movabsq $0xa5a5a5a5a5a5a5a5, %rdx
        movl $0, %eax
        cmoveq %rdx, %rax
        notq %rdx
        cmovaq %rdx, %rax
        rep stosq
        popq %rdx /* not a return: its address would stay where the next array may be */
        .cfi_adjust_cfa_offset -8
        movq %rax, -8(%rsp)
        notrack jmp *%rdx
        .cfi_adjust_cfa_offset 8
3:      ret
        .cfi_endproc
        .size \name, . - \name
.endm
        cyg_slow cyg_enter_slow, calls_enter
        cyg_slow cyg_exit_slow, calls_exit

/* The dynamic linker's list of modules has changed. */
        .globl hooks_arrival
        .hidden hooks_arrival
        .type hooks_arrival, @function
        .balign 64
hooks_arrival:
        .cfi_startproc
        save_registers
        subq $8, %rsp
        .cfi_adjust_cfa_offset 8
        save_vectors
        call arrival
        load_vectors
        addq $8, %rsp
        .cfi_adjust_cfa_offset -8
        load_registers
        ret
        .cfi_endproc
        .size hooks_arrival, . - hooks_arrival

/* Thunks, 16 bytes each, then the return address of each, also 16 bytes apart. They take no room
 * in the file, and in memory only as many as are used: thunk.c writes them. An unwinder that
 * finds one on the stack finds the true return address at a fixed distance from it
 * (DW_CFA_val_expression 16: DW_OP_breg16 THUNKS_SIZE, DW_OP_deref) and the stack pointer as it
 * is (DW_CFA_val_expression 7: DW_OP_breg7 0). Frames are distinguished by their CFA, which is
 * one byte less, so that it is unique (DW_CFA_def_cfa_expression: DW_OP_breg7 -1). */
        .section .thunks, "aw", @nobits
        .globl hooks_thunks
        .hidden hooks_thunks
        .balign 4096
        .cfi_startproc
        .cfi_escape 0x0f, 2, 0x77, 0x7f
        .cfi_escape 0x16, 7, 2, 0x77, 0x00
        .cfi_escape 0x16, 16, 6, 0x80, 0x80, 0x80, 0x80, 0x20, 0x06
        .skip 4096 /* an unwinder looks up the byte before a return address */
hooks_thunks:
        .skip THUNKS
        .cfi_endproc
        .skip THUNKS

        .section .note.GNU-stack, "", @progbits
#endif
