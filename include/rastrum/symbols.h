/* symbols.h - names of addresses in programs and libraries, and what these were built for.
 *
 *     struct ras_symbols *symbols;
 *     if (ras_symbols_open(&symbols, err) == RAS_OK) {
 *         const char *name = ras_symbols_find(symbols, "/usr/bin/env", NULL, 0x2000);
 *         puts(name ? name : "no name");
 *         ras_symbols_close(symbols);
 *     } */
#ifndef RASTRUM_SYMBOLS_H
#define RASTRUM_SYMBOLS_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names from symbol tables, debug information and separate debug files, where libdw is
 * installed; without it from the symbol table of the file itself. */
struct ras_symbols;
RAS_API int ras_symbols_open(struct ras_symbols **out, struct ras_error *err) RAS_CHECKED;
RAS_API void ras_symbols_close(struct ras_symbols *symbols); /* NULL is fine */
/* The function at an address of the file, as the file numbers them, demangled; until the next
 * call. NULL: it has no name, cannot be read or has another build id (hexadecimal; NULL or
 * "": any will do). */
RAS_API const char *ras_symbols_find(struct ras_symbols *symbols, const char *path,
                                     const char *build_id, uint64_t address);
/* The source file and line of an address by debug information, as the compiler was given the
 * file; until ras_symbols_close(). NULL: not known. */
RAS_API const char *ras_symbols_source(struct ras_symbols *symbols, const char *path,
                                       const char *build_id, uint64_t address, uint32_t *line);
/* The lowest address that the file has in memory, as the file numbers them: where a module that
 * is loaded begins. RAS_NONE: it cannot be read. */
RAS_API uint64_t ras_symbols_first(struct ras_symbols *symbols, const char *path);
/* A name as its language writes it: C++ (where libstdc++ is installed) and Rust. The same
 * where it is neither; until the next call. */
RAS_API const char *ras_symbols_demangle(struct ras_symbols *symbols, const char *name);
/* Whether libdw is in use. */
RAS_API bool ras_symbols_has_debug(const struct ras_symbols *symbols);

/* What the functions of a file report when they are called. */
enum ras_hook {
    RAS_HOOK_CYG = 1,       /* -finstrument-functions */
    RAS_HOOK_FENTRY = 2,    /* -pg -mfentry */
    RAS_HOOK_PATCHABLE = 4, /* -fpatchable-function-entry */
    RAS_HOOK_MCOUNT = 8,    /* only -pg */
};
struct ras_binary {
    unsigned hooks;  /* enum ras_hook */
    bool is_dynamic; /* libraries can be loaded before its own */
    uint64_t reserved[2];
};
/* RAS_EFORMAT: it is not an ELF file of this kind of machine. */
RAS_API int ras_binary_inspect(const char *path, struct ras_binary *out,
                               struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
