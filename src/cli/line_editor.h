/* line_editor.h - what the prompt uses of libedit, loaded when a prompt begins: no other command
 * needs it, and it brings three libraries. */
#ifndef CLI_LINE_EDITOR_H
#define CLI_LINE_EDITOR_H

#include <editline/readline.h>
#include <stdbool.h>

#define LINE_EDITOR_NAMES(ROW)                                                                     \
    ROW(add_history)                                                                               \
    ROW(read_history)                                                                              \
    ROW(readline)                                                                                  \
    ROW(rl_attempted_completion_function)                                                          \
    ROW(rl_attempted_completion_over)                                                              \
    ROW(rl_completion_matches)                                                                     \
    ROW(rl_readline_name)                                                                          \
    ROW(using_history)                                                                             \
    ROW(write_history)

struct line_editor {
#define LINE_EDITOR_MEMBER(name) __typeof__(name) *name;
    LINE_EDITOR_NAMES(LINE_EDITOR_MEMBER)
#undef LINE_EDITOR_MEMBER
};

extern struct line_editor editor;

/* False: it is not there, and lines are read as they come. The library stays. */
bool line_editor_load(void);
#endif
