// unordered.cpp - a hash map of the standard library by pointers.
#include "take.h"
#include <memory>
#include <unordered_map>
#include <vector>

int main()
{
    std::vector<std::unique_ptr<int>> all;
    std::unordered_map<const int *, int> map;
    for (int i = 0; i < 20; i++) {
        all.push_back(std::make_unique<int>(i));
        map[all.back().get()] = i;
    }
    for (const auto &item : map)
        std::printf("%d ", take(static_cast<unsigned>(item.second)));
    std::puts("");
}
