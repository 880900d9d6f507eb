/* record_calls.c - record the calls of a small program, two threads of it.
 *
 *   record_calls DIRECTORY */
#include <rastrum/record.h>

#include <pthread.h>
#include <stdio.h>

static uint64_t fib_id;

static unsigned fib(unsigned n)
{
    ras_trace_call(fib_id);
    unsigned sum = n < 2 ? n : fib(n - 1) + fib(n - 2);
    ras_trace_return(fib_id);
    return sum;
}

static void *work(void *result)
{
    *(unsigned *)result = fib(16);
    return NULL;
}

int main(int argc, char **argv)
{
    const struct ras_record_options options = {.exact = argc > 1 ? argv[1] : "fib.session"};
    struct ras_record_counts counts;
    struct ras_error err;
    pthread_t other;
    unsigned result = 0;
    fib_id = ras_record_function(ras_record_module("record_calls"), "fib");
    if (ras_record_start(&options, &err) < 0 || pthread_create(&other, NULL, work, &result) != 0) {
        fprintf(stderr, "record_calls: %s\n", err.text);
        return 2;
    }
    unsigned mine = fib(16);
    pthread_join(other, NULL);
    if (ras_record_stop(&err) < 0) {
        fprintf(stderr, "record_calls: %s\n", err.text);
        return 2;
    }
    ras_record_counts(&counts);
    printf("%u %u: %llu events in %s\n", mine, result, (unsigned long long)counts.stored,
           ras_record_dir());
    return counts.stored == counts.produced ? 0 : 1;
}
