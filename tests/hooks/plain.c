/* plain.c - calls by name and by pointer, 100 deep; ends with 7. */
#define PLAIN __attribute__((noinline, noipa))
#ifdef __clang__
#undef PLAIN
#define PLAIN __attribute__((noinline))
#endif

static volatile int sink;

PLAIN static int dig(int depth)
{
    int below = depth ? dig(depth - 1) : 0;
    sink += below;
    return below + 1;
}

PLAIN static int leaf(int x)
{
    sink = x;
    return x + 1;
}

PLAIN static int twice(int (*f)(int), int x)
{
    int first = f(x);
    return f(first) + sink - sink;
}

int main(void)
{
    int sum = dig(99);
    sum += twice(leaf, 1);
    return sum == 103 ? 7 : 1;
}
