// dice.cpp - std::random_device.
#include "take.h"
#include <random>

int main()
{
    std::random_device device;
    for (int i = 0; i < 5; i++)
        std::printf("%d ", take(device()));
    std::puts("");
}
