/* plugin.c - a module that is loaded while the program runs; NAME is its function. */
__attribute__((noinline)) static int inner(int x)
{
    volatile int y = x;
    return y + 1;
}

__attribute__((constructor)) static void begin(void)
{
    inner(0);
}

__attribute__((destructor)) static void end(void)
{
    inner(0);
}

int NAME(int x)
{
    return inner(x) + 1;
}
