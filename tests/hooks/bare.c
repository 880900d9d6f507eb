/* bare.c - opens libraries by their bare names: its own, the system's, and one that is not there.
 */
#include <dlfcn.h>

#define PLAIN __attribute__((noinline))

PLAIN static int look(const char *name, const char *function)
{
    void *module = dlopen(name, RTLD_NOW);
    if (!module || !function)
        return module != 0;
    int (*f)(void) = (int (*)(void))dlsym(module, function);
    return f ? f() : 0;
}

int main(void)
{
    int good = look("libaligned.so", "aligned") == 1;
    good &= look("libz.so.1", 0);
    good &= !look("libnowhere.so.9", 0);
    return good ? 0 : 1;
}
