/* places.cpp - a function that is called from 70000 places, and throws from the last of them. */
extern "C" {
void from_everywhere(void);
int visits;

__attribute__((noinline)) void visit(void)
{
    if (++visits == 70000)
        throw visits;
}
}

__asm__(".text\n"
        ".type from_everywhere, @function\n"
        "from_everywhere:\n"
        "    .cfi_startproc\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .rept 70000\n"
        "    call visit\n"
        "    .endr\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size from_everywhere, . - from_everywhere\n");

int main()
{
    try {
        from_everywhere();
    } catch (int n) {
        return n != 70000;
    }
    return 1;
}
