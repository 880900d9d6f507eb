/* visible.c - what meson needs to make a library of: all else comes from librastrum's objects. */
const char test_library[] = "librastrum with nothing hidden";
