// shared.cpp - threads that take work as it comes, are woken for nothing, poll, prepare what the
// first of them needs, and are left to end by themselves; what is printed is the same.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static std::condition_variable changed;
static std::once_flag once;
static int next_job, done, table[64];
static std::atomic<int> ready;

static void prepare()
{
    for (int i = 0; i < 64; i++)
        table[i] = i * i % 61;
}

static int job(int k)
{
    int sum = 0;
    for (int i = 0; i < 64; i++)
        sum += table[(i * k) % 64];
    return sum;
}

static bool all_done()
{
    return done == 400;
}

static bool is_ready()
{
    return ready == 3;
}

static void work(long *sum)
{
    std::call_once(once, prepare);
    ready++;
    for (;;) {
        std::unique_lock<std::mutex> held(lock);
        if (next_job == 400)
            return;
        int k = next_job++;
        held.unlock();
        int value = job(k);
        held.lock();
        *sum += value;
        done++;
        changed.notify_one();
    }
}

int main()
{
    static long sum;
    for (int i = 0; i < 3; i++)
        std::thread(work, &sum).detach();
    while (!is_ready())
        std::this_thread::yield();
    std::unique_lock<std::mutex> held(lock);
    changed.wait(held, all_done);
    std::printf("%ld\n", sum);
}
