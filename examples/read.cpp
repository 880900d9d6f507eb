// read.cpp - examples/read.c in C++: every record, its type and its tick, then how the trace ends.
//
//   read_cpp TRACE
#include <rastrum/rastrum.hpp>

#include <iostream>

int main(int argc, char **argv)
try {
    rastrum::Trace trace(argc > 1 ? argv[1] : "");
    for (const rastrum::Record &record : trace.records()) {
        std::cout << record.seq() << ' ' << record.type();
        if (record.tick() != RAS_NONE)
            std::cout << " tick " << record.tick();
        std::cout << '\n';
    }
    rastrum::Ending end = trace.ending();
    std::cout << ras_ending_name(end.kind) << " at byte " << end.offset << (*end.why ? ": " : "")
              << end.why << '\n';
    return end.kind >= RAS_CUT ? 3 : 0; // something was lost
} catch (const rastrum::Error &error) {
    std::cerr << "read: " << error.what() << '\n';
    return 2;
}
