// exceptions.cpp - thrown through frames with and without destructors, caught, thrown again.
#define PLAIN __attribute__((noinline))

static volatile int sink;

struct guard {
    PLAIN ~guard() { sink = sink + 1; }
};

PLAIN static void thrower(int x)
{
    if (x)
        throw x;
    sink = x;
}

PLAIN static void middle(int x)
{
    thrower(x);
    sink = sink + 1;
}

PLAIN static void cleaner(int x)
{
    guard g;
    middle(x);
    sink = sink + 1;
}

PLAIN static int catcher(int x)
{
    try {
        cleaner(x);
    } catch (int got) {
        return got;
    }
    return 0;
}

PLAIN static void again(int x)
{
    try {
        cleaner(x);
    } catch (...) {
        sink = 2;
        throw;
    }
}

PLAIN static int outer(int x)
{
    try {
        again(x);
    } catch (int got) {
        return got + catcher(0);
    }
    return 0;
}

int main()
{
    int sum = catcher(3);
    sum += outer(4);
    return sum == 7 ? 0 : 1;
}
