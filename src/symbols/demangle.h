/* demangle.h - what names of symbols are made of: debug information and languages. */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

#include <rastrum/symbols.h>

/* rust.c: demangle a v0 name of Rust, into memory to free(); NULL: it is not one. */
char *rust_demangle(const char *name);
/* Clean up a legacy name of Rust that was demangled as C++: resolve escapes, remove the hash; in
 * place. False: it is not one. */
bool rust_clean(char *name);

/* debug.c: libdw, loaded if it is installed. */
struct debug;
struct debug_file;
struct debug *debug_open(void); /* NULL: it is not installed */
void debug_close(struct debug *);
struct debug_file *debug_file_open(struct debug *, const char *path); /* NULL: cannot be read */
void debug_file_close(struct debug *, struct debug_file *);
const char *debug_name(struct debug *, struct debug_file *, uint64_t address); /* NULL: none */
/* The source file and line of an address; NULL: not known. */
const char *debug_source(struct debug *, struct debug_file *, uint64_t address, uint32_t *line);
#endif
