// user.cpp - a program in C++ with rastrum.hpp: reads, asks, compares, and is told what is wrong.
//
//   user_cpp GOLDENS: the directory tests/golden
#include <rastrum/rastrum.hpp>

#include <iostream>

static int failures;

static void check(bool good, const char *what)
{
    if (!good) {
        std::cout << "wrong: " << what << '\n';
        failures++;
    }
}

template <typename Expected, typename Call> static bool throws(Call &&call)
{
    try {
        call();
    } catch (const Expected &) {
        return true;
    }
    return false;
}

static void read(const std::string &goldens)
{
    rastrum::Trace trace(goldens + "/murk/all_payloads.murk");
    check(trace.format() == "murk", "format");
    std::uint64_t records = 0, commands = 0, moved = 0;
    for (const rastrum::Record &record : trace.records())
        records += record.seq() == records && record.tick() != RAS_NONE;
    check(records == 11 && trace.ending().kind == RAS_COMPLETE, "all records");
    for (const rastrum::Record &record : trace.records({"command"})) {
        commands++;
        if (record["payload_name"].as_text() != "Move")
            continue;
        auto coord = record["coord"].items();
        moved += coord.size() == 2 && coord[0].as_int() == 3 && coord[1].as_double() == -4.0;
        check(record["payload"].as_bytes().len == 20, "bytes");
        check(record["field_id"].is_null() && !record.has("no_such"), "null and absent");
        check(throws<std::domain_error>([&] { (void)record["payload"].as_uint(); }), "its kind");
        check(throws<std::out_of_range>([&] { (void)record["no_such"]; }), "its name");
    }
    check(commands == 8 && moved == 1, "commands");
    check(trace.verify(true)[RAS_ERROR] == 0, "verify");
    rastrum::Trace moved_from = std::move(trace);
    check(!trace.get() && moved_from.get(), "a trace can be moved");
}

static void damaged(const std::string &goldens)
{
    rastrum::Trace cut(goldens + "/murk/cut_frame.murk");
    std::uint64_t records = 0;
    for (const rastrum::Record &record : cut.records())
        records += record.type() == "frame";
    check(records == 1 && cut.ending().kind == RAS_CUT, "a cut trace ends");
    try {
        rastrum::Trace none("/nowhere/at/all");
        check(false, "there is none");
    } catch (const rastrum::Error &error) {
        check(error.status() == RAS_EIO && *error.what(), "what is wrong");
    }
    check(throws<rastrum::Error>([] { rastrum::Trace("bytes", 5); }), "neither of the formats");
}

int main(int argc, char **argv)
{
    std::string goldens = argc > 1 ? argv[1] : "";
    read(goldens);
    damaged(goldens);
    rastrum::Trace one(goldens + "/murk/all_payloads.murk");
    rastrum::Trace same(goldens + "/murk/all_payloads.murk");
    check(!rastrum::diff(one, same).differs && rastrum::diff(one, same).complete, "the same");
    rastrum::Trace cut(goldens + "/murk/cut_frame.murk"), again(goldens + "/murk/cut_frame.murk");
    check(!rastrum::diff(cut, again).differs && !rastrum::diff(cut, again).complete,
          "the same, cut");
    rastrum::Trace other(goldens + "/murk/empty_lists.murk");
    rastrum::Difference found = rastrum::diff(one, other);
    check(found.differs && !found.kind.empty() && found.at >= 0, "another");
    return failures ? 1 : 0;
}
