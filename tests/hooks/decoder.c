/* decoder.c - the length decoder of src/patching against capstone, over all code of files.
 *
 * decoder FILE...: lengths, targets of jumps and calls, and displacements from rip must be equal.
 * Files that are not ELF programs are skipped. Last line: `N passed, M failed` files. */
#include "base/elf.h"
#include "patching/x86.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned long instruction_count;

/* Whether both understand the instruction in the same sense. */
static bool same_meaning(csh capstone, const cs_insn *theirs, const struct x86_instruction *x,
                         uint64_t next)
{
    const cs_x86 *d = &theirs->detail->x86;
    bool flows = cs_insn_group(capstone, theirs, CS_GRP_JUMP) ||
                 cs_insn_group(capstone, theirs, CS_GRP_CALL);
    if (theirs->size != x->length)
        return false;
    if (flows && d->op_count == 1 && d->operands[0].type == X86_OP_IMM &&
        theirs->id != X86_INS_XBEGIN &&
        (x->flow < X86_JUMP || x->flow > X86_CALL ||
         (uint64_t)d->operands[0].imm != next + (uint64_t)x->target_offset))
        return false;
    for (unsigned i = 0; i < d->op_count; i++)
        if (d->operands[i].type == X86_OP_MEM && d->operands[i].mem.base == X86_REG_RIP &&
            (!x->rip_at || d->operands[i].mem.disp != x->rip_offset))
            return false;
    return true;
}

/* Where capstone 4.0.2 is wrong, or the processors differ: ud0 and ud1 have ModRM, which objdump
 * agrees with; a rounding mode in EVEX takes no byte more; jumps with prefix 66 are of 16 bits on
 * some processors, and never moved. Instructions of PadLock are not known here: functions that
 * have them are refused. */
static bool is_exempt(const cs_insn *theirs, const uint8_t *bytes, bool ours,
                      const struct x86_instruction *x)
{
    static const char *const padlock[] = {"xstore", "xcrypt", "xsha", "montmul"};
    for (size_t i = 0; !ours && i < sizeof padlock / sizeof *padlock; i++)
        if (strstr(theirs->mnemonic, padlock[i]))
            return true;
    if (theirs->id == X86_INS_UD0 || theirs->id == X86_INS_UD2B)
        return true;
    bool rounds = bytes[0] == 0x62 && bytes[3] & 0x10 && x->modrm >> 6 == 3;
    bool flows = ours && x->flow >= X86_JUMP && x->flow <= X86_CALL;
    return (ours && rounds && theirs->size == x->length + 1) ||
           (flows && memchr(bytes, 0x66, x->length));
}

/* How many instructions differ. Bytes that capstone does not know are passed. */
static unsigned long compare_section(csh capstone, cs_insn *theirs, struct ras_bytes code,
                                     uint64_t address, const char *path)
{
    unsigned long wrong = 0;
    while (code.len) {
        struct x86_instruction x;
        const uint8_t *at = code.at;
        size_t left = code.len;
        uint64_t next = address;
        bool ours = x86_decode(code.at, code.len, &x);
        bool known = cs_disasm_iter(capstone, &at, &left, &next, theirs);
        bool same = known && ours && same_meaning(capstone, theirs, &x, address + x.length);
        bool exempt = known && !same && is_exempt(theirs, code.at, ours, &x);
        size_t step = known && !(exempt && ours) ? theirs->size : ours ? x.length : 1;
        instruction_count++;
        if (known && !same && !exempt && wrong++ < 5)
            printf("%s: 0x%llx: %s %s: %u bytes, here %u\n", path, (unsigned long long)address,
                   theirs->mnemonic, theirs->op_str, theirs->size, ours ? x.length : 0);
        code.at += step;
        code.len -= step;
        address += step;
    }
    return wrong;
}

/* -1: it is not such a file; else how many instructions differ. */
static long compare_file(csh capstone, cs_insn *theirs, const char *path)
{
    struct stat st;
    struct elf elf;
    struct elf_section s;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *at = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (at == MAP_FAILED)
        return -1;
    long wrong = -1;
    if (elf_open(&elf, (struct ras_bytes){at, (size_t)st.st_size}) && elf.machine == EM_X86_64)
        wrong = 0;
    for (uint32_t i = 0; wrong >= 0 && elf_section_at(&elf, i, &s); i++)
        if (s.flags & SHF_EXECINSTR)
            wrong += (long)compare_section(capstone, theirs, elf_section_bytes(&elf, &s), s.address,
                                           path);
    munmap(at, (size_t)st.st_size);
    return wrong;
}

int main(int argc, char **argv)
{
    csh capstone;
    unsigned passed = 0, failed = 0;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &capstone) != CS_ERR_OK)
        return 2;
    cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON);
    cs_insn *theirs = cs_malloc(capstone);
    for (int i = 1; i < argc; i++) {
        long wrong = compare_file(capstone, theirs, argv[i]);
        passed += wrong == 0;
        failed += wrong > 0;
    }
    cs_free(theirs, 1);
    cs_close(&capstone);
    if (instruction_count < 10000) {
        printf("only %lu instructions were compared\n", instruction_count);
        failed++;
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed ? 1 : 0;
}
