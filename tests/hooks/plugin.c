/* plugin.c - a module that is loaded while the program runs; NAME is its function. */
__attribute__((noinline)) static int inner(int x)
{
    volatile int y = x;
    return y + 1;
}

int NAME(int x)
{
    return inner(x) + 1;
}
