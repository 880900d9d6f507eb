/* line_editor.c - find libedit, its functions and variables. */
#include "cli/line_editor.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

struct line_editor editor;

static const struct {
    const char *name;
    size_t offset;
} editor_wanted[] = {
#define LINE_EDITOR_ROW(name) {#name, offsetof(struct line_editor, name)},
    LINE_EDITOR_NAMES(LINE_EDITOR_ROW)
#undef LINE_EDITOR_ROW
};

bool line_editor_load(void)
{
    void *library = dlopen("libedit.so.2", RTLD_LAZY | RTLD_LOCAL);
    for (size_t i = 0; library && i < sizeof editor_wanted / sizeof *editor_wanted; i++) {
        void *found = dlsym(library, editor_wanted[i].name);
        if (!found)
            return false;
        memcpy((char *)&editor + editor_wanted[i].offset, &found, sizeof found);
    }
    return library;
}
