/* rules.S - a function for every rule by which `record --unmodified` refuses or moves code.
 *
 * Each takes a number in rdi and returns one in rax, so that rules.c can call it and compare;
 * the comment says what would break if it was patched. */
        .text

.macro function name
        .p2align 4
        .globl \name
        .type \name, @function
\name:
        .cfi_startproc
.endm
.macro finish name
        .cfi_endproc
        .size \name, . - \name
.endm

/* ---- refused ---------------------------------------------------------------------------- */

/* Above the stack pointer is no return address, but data: replacing it changes the result. */
        function rule_enter
        pushq $7
        .cfi_adjust_cfa_offset 8
        jmp rule_no_caller
        finish rule_enter
        function rule_no_caller
        .cfi_undefined %rip
        popq %rax
        addq %rdi, %rax
        ret
        nop
        finish rule_no_caller

/* The same in a cold part, which the name shows. */
        function rule_hot
        pushq $9
        .cfi_adjust_cfa_offset 8
        jmp rule_hot.cold
        finish rule_hot
        .p2align 4
        .type rule_hot.cold, @function
rule_hot.cold:
        .cfi_startproc
        .cfi_def_cfa_offset 16
        popq %rax
        addq %rdi, %rax
        ret
        nop
        finish rule_hot.cold

/* A cold part without a name: its frame shows it. */
        function rule_framed
        pushq %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        movq %rdi, %rbx
        jmp .Lframed_part
        finish rule_framed
        .p2align 4
.Lframed_part:
        .cfi_startproc
        .cfi_def_cfa_offset 16
        .cfi_offset %rbx, -16
        leaq 3(%rbx), %rax
        popq %rbx
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc

/* A cold part of a leaf: flags and data below the stack pointer are in use when it begins.
 * It has no symbol, as if the program had been stripped. */
        function rule_leaf
        movq %rdi, -8(%rsp)
        cmpq $5, %rdi
        ja .Lleaf_part
        movq -8(%rsp), %rax
        ret
        finish rule_leaf
        .p2align 4
.Lleaf_part:
        .cfi_startproc
        setne %al
        movzbl %al, %eax
        addq -8(%rsp), %rax
        ret
        .cfi_endproc

/* The same, by a jump that always leads there. */
        function rule_leaf2
        movq %rdi, -8(%rsp)
        movl $1, %eax
        jmp .Lleaf2_part
        finish rule_leaf2
        .p2align 4
.Lleaf2_part:
        .cfi_startproc
        addq -8(%rsp), %rax
        ret
        nop
        .cfi_endproc

/* Called by the dynamic linker, while it relocates. */
        .p2align 4
        .globl rule_indirect
        .type rule_indirect, @gnu_indirect_function
rule_indirect:
        .cfi_startproc
        leaq rule_moved(%rip), %rax
        ret
        finish rule_indirect

/* A loop leads between the bytes of the jump. */
        function rule_inside
        xorl %eax, %eax
1:      incl %eax
        decq %rdi
        jg 1b
        ret
        finish rule_inside

/* A loop leads to the start: each round would be recorded as a call. */
        function rule_loop
        leaq 2(%rdi), %rdi
        cmpq $100, %rdi
        jl rule_loop
        movq %rdi, %rax
        ret
        finish rule_loop

/* A jump table leads between the bytes of the jump. */
        function rule_table
        xorl %eax, %eax
1:      incl %eax
        incl %eax
        cmpl $6, %eax
        jge 2f
        andl $1, %edi
        leaq .Ltable(%rip), %rdx
        movslq (%rdx,%rdi,4), %rcx
        addq %rdx, %rcx
        jmp *%rcx
2:      ret
        finish rule_table
        .section .rodata
        .p2align 2
.Ltable:
        .long 1b - .Ltable
        .long 2b - .Ltable
        .text

/* Shorter than a jump, and another function follows at once. */
        function rule_short
        movl %edi, %eax
        ret
        finish rule_short
        .globl rule_next
        .type rule_next, @function
rule_next:
        .cfi_startproc
        leaq 4(%rdi), %rax
        ret
        finish rule_next

/* Instructions that work only where they are. */
        function rule_jrcxz
        movl %edi, %ecx
        jrcxz 1f
        movl %edi, %eax
        ret
1:      movl $77, %eax
        ret
        finish rule_jrcxz
        function rule_counted
        movl %edi, %ecx
        loop 1f
        movl $1, %eax
        ret
1:      movl $2, %eax
        ret
        finish rule_counted
        function rule_call_indirect
        subq $8, %rsp
        .cfi_adjust_cfa_offset 8
        call *.Lpointer(%rip)
        addq $8, %rsp
        .cfi_adjust_cfa_offset -8
        ret
        finish rule_call_indirect
        .section .data.rel.ro, "aw"
        .p2align 3
.Lpointer:
        .quad rule_moved
        .text

/* Bytes that are not known: what is jumped to cannot be known, either. */
        function rule_undecoded
        leaq 5(%rdi), %rax
        ret
        .byte 0x06, 0x06
        finish rule_undecoded

/* The code before it goes on with it, with something on the stack. */
        function rule_before
        pushq $11
        .cfi_adjust_cfa_offset 8
        movl $1, %eax
        .cfi_endproc
        .size rule_before, . - rule_before
        .globl rule_fallen
        .type rule_fallen, @function
rule_fallen:
        .cfi_startproc
        popq %rax
        addq %rdi, %rax
        ret
        nop
        finish rule_fallen

/* ---- moved ------------------------------------------------------------------------------ */

/* Data relative to the instruction. */
        function rule_moved
        movq .Lnumber(%rip), %rax
        addq %rdi, %rax
        ret
        finish rule_moved
        .section .rodata
        .p2align 3
.Lnumber:
        .quad 1000
        .text

/* A short conditional jump, and a landing place that stays. */
        function rule_jump_if
        endbr64
        testq %rdi, %rdi
        jz 1f
        leaq 1(%rdi), %rax
        ret
1:      movl $55, %eax
        ret
        finish rule_jump_if

/* A call, whose return address must be the true one: an unwinder may find it. */
        function rule_call
        call rule_address
        leaq 1b(%rip), %rdx
        subq %rdx, %rax
        addq %rdi, %rax
        ret
        finish rule_call
/* Where it returns to, less a fixed place. It is not patched itself, for it would see a thunk. */
        function rule_address
        jrcxz 2f
2:      movq (%rsp), %rax
        leaq rule_after_call(%rip), %rdx
        subq %rdx, %rax
        leaq 1b(%rip), %rdx
        addq %rdx, %rax
        ret
        finish rule_address
        .set rule_after_call, rule_call + 5

/* Short, with padding behind it. */
        function rule_padded
        movl %edi, %eax
        ret
        finish rule_padded
        .p2align 4

/* A jump to another function. */
        function rule_tail
        jmp rule_moved
        finish rule_tail
        .p2align 4

/* Where the parts are that have no name, from rule_moved on: for planner_test.c, which must not take
 * their addresses. */
        .section .rodata
        .globl rule_distances
        .p2align 2
rule_distances:
        .long .Lleaf_part - rule_moved
        .long .Lleaf2_part - rule_moved
        .long .Lframed_part - rule_moved

        .section .note.GNU-stack, "", @progbits
