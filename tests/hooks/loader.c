/* loader.c - loads a module, calls it, unloads it and loads another in its place. */
#include <dlfcn.h>

#define PLAIN __attribute__((noinline))

PLAIN static int use(const char *path, const char *name, int x)
{
    void *module = dlopen(path, RTLD_NOW);
    int (*f)(int) = module ? (int (*)(int))dlsym(module, name) : 0;
    int got = f ? f(x) : -100;
    if (module)
        dlclose(module);
    return got;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    return use(argv[1], "first", 1) + use(argv[2], "second", 2) == 7 ? 0 : 1;
}
