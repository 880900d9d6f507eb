/* tail.c - functions that end in a call of another, which the compiler makes a jump. */
#define PLAIN __attribute__((noinline))

static volatile int sink;

PLAIN static int last(int x)
{
    sink = x;
    return x + 1;
}

PLAIN static int second(int x)
{
    sink = x;
    return last(x + 1);
}

PLAIN static int first(int x)
{
    sink = x;
    return second(x + 1);
}

PLAIN static int loop(int x)
{
    sink = x;
    return x ? first(x) : 0;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += loop(i);
    return sum == 9 ? 0 : 1;
}
