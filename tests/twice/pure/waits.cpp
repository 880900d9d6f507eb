// waits.cpp - threads of C++, futures, and waits with a timeout that never comes.
#include "take.h"
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static int turn;

static void step(int me)
{
    for (int i = 0; i < 5; i++) {
        std::unique_lock<std::mutex> held(lock);
        while (turn % 3 != me)
            changed.wait_for(held, std::chrono::seconds(30));
        std::printf("%d", take(static_cast<unsigned>(turn++)) & 7);
        changed.notify_all();
    }
}

int main()
{
    std::thread a(step, 0), b(step, 1), c(step, 2);
    a.join();
    b.join();
    c.join();
    auto later = std::async(std::launch::async, [] { return take(41); });
    std::printf(" %d\n", later.get());
}
