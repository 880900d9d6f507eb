// choices.cpp - functions that differ in name, depth and length.
#include <csignal>
#include <cstring>
#include <unistd.h>

#define PLAIN __attribute__((noinline))

static volatile int sink;
static unsigned pace = 3000;

namespace text
{
template <typename T> struct parser {
    PLAIN static T word(T x)
    {
        usleep(pace);
        return x;
    }
    PLAIN T line(T x) { return word(x) + 1; }
};
} // namespace text

PLAIN static int quick(int x)
{
    sink = x;
    return x;
}

extern "C" PLAIN int plain_c(int x)
{
    sink = x;
    return quick(x);
}

// As the headers of the standard library have them, whose names the ABI abbreviates.
namespace std
{
template <typename T> struct allocator {
    PLAIN allocator() { sink = 1; }
    PLAIN ~allocator() { sink = 2; }
};
} // namespace std

PLAIN void *operator new(std::size_t, void *at) noexcept
{
    return at;
}

int main(int argc, char **argv)
{
    text::parser<int> p;
    int sum = 0;
    if (argc > 1 && !std::strcmp(argv[1], "slow"))
        pace = 150000;
    for (int i = 0; i < 20; i++) {
        sum += p.line(i);
        for (int k = 0; k < 5; k++)
            sum += plain_c(k);
        if (i == 10 && argc > 1 && !std::strcmp(argv[1], "signal"))
            raise(SIGUSR2);
    }
    if (argc > 1 && !std::strcmp(argv[1], "standard")) {
        std::allocator<char> a;
        new (&sum) int(sum);
    }
    if (argc > 1 && !std::strcmp(argv[1], "crash"))
        raise(SIGSEGV);
    return sum == 410 ? 0 : 1;
}
