/* counted.c - functions that are called in many ways, to be counted by two tools. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN __attribute__((noinline))

static long sum;

PLAIN static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

PLAIN static long fibonacci(long n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

PLAIN static int is_even(unsigned n);

PLAIN static int is_odd(unsigned n)
{
    return n ? is_even(n - 1) : 0;
}

PLAIN static int is_even(unsigned n)
{
    return n ? is_odd(n - 1) : 1;
}

PLAIN static long add_all(int count, ...)
{
    va_list list;
    long all = 0;
    va_start(list, count);
    while (count--)
        all += va_arg(list, int);
    va_end(list);
    return all;
}

PLAIN static double mean(const double *values, size_t count)
{
    double all = 0;
    for (size_t i = 0; i < count; i++)
        all += values[i];
    return count ? all / (double)count : 0;
}

PLAIN static const char *word_of(int kind)
{
    switch (kind) {
    case 0:
        return "none";
    case 1:
        return "one";
    case 2:
        return "two";
    case 3:
        sum++;
        return "three";
    case 4:
        return "four";
    default:
        return "many";
    }
}

PLAIN static void visit(long n)
{
    sum += n;
}

PLAIN static void each(long n, void (*call)(long))
{
    for (long i = 0; i < n; i++)
        call(i);
}

PLAIN static int never(void)
{
    return 7;
}

int main(int argc, char **argv)
{
    int numbers[200];
    double values[] = {1, 2, 3.5};
    (void)argv;
    for (int i = 0; i < 200; i++)
        numbers[i] = i * 7919 % 1009;
    qsort(numbers, 200, sizeof *numbers, compare);
    for (int i = 0; i < 50; i++)
        sum += (long)strlen(word_of(i % 7)) + is_even((unsigned)i);
    each(1000, visit);
    if (argc > 5)
        sum += never();
    printf("%ld %ld %d %.2f %ld\n", fibonacci(18), add_all(3, 1, 2, 3), numbers[7], mean(values, 3),
           sum);
    return 0;
}
