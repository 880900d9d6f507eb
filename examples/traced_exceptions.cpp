// traced_exceptions.cpp - a program in C++ to be recorded: calls that end by an exception.
//
//   c++ -g -finstrument-functions -o traced examples/traced_exceptions.cpp
//   rastrum record -o traced.calls -- ./traced
#include <cstdio>
#include <stdexcept>

static int digit(char c)
{
    if (c < '0' || c > '9')
        throw std::runtime_error("no digit");
    return c - '0';
}

static int number(const char *text)
{
    int sum = 0;
    for (; *text; text++)
        sum = 10 * sum + digit(*text);
    return sum;
}

static int number_or(const char *text, int otherwise)
{
    try {
        return number(text);
    } catch (const std::runtime_error &) {
        return otherwise;
    }
}

int main()
{
    std::printf("%d %d\n", number_or("12", -1), number_or("1x", -1));
    return 0;
}
