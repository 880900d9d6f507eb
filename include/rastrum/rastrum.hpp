/* rastrum.hpp - rastrum.h for C++17: traces that close themselves, records in a range-for, errors
 * as exceptions.
 *
 *     rastrum::Trace trace("run.murk");
 *     for (const rastrum::Record &r : trace.records({"command"}))
 *         std::cout << r.tick() << ' ' << r["payload_type"].as_uint() << '\n';
 *     if (trace.ending().kind >= RAS_CUT)
 *         std::cerr << "cut: " << trace.ending().why << '\n';
 *
 * A failure throws rastrum::Error. A trace that is cut does not: its records end, and ending() says
 * where. Records and values are borrowed, as in C: they live until the next step of the loop. */
#ifndef RASTRUM_HPP
#define RASTRUM_HPP

#include <rastrum/rastrum.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rastrum
{

/* Functions of C have the names of these, which hide them. */
using Ending = struct ::ras_ending;
using Diff = struct ::ras_diff;

class Error : public std::runtime_error
{
  public:
    Error(int status, const ras_error &err) : std::runtime_error(err.text), err_(err)
    {
        err_.status = status;
    }
    int status() const noexcept
    {
        return err_.status;
    }
    /* Of the offending byte; RAS_NONE: there is none. */
    std::uint64_t offset() const noexcept
    {
        return err_.offset;
    }

  private:
    ras_error err_;
};

/* The status of a call whose last parameter is the error. */
template <typename Call> int checked(Call &&call)
{
    ras_error err = {};
    int status = std::forward<Call>(call)(&err);
    if (status < 0)
        throw Error(status, err);
    return status;
}

/* A cell: as_...() of another kind throws. */
class Value
{
  public:
    explicit Value(const ras_value *cell) noexcept : cell_(cell)
    {
    }
    const ras_value *get() const noexcept
    {
        return cell_;
    }
    ras_kind kind() const noexcept
    {
        return static_cast<ras_kind>(cell_->kind);
    }
    bool is_null() const noexcept
    {
        return cell_->kind == RAS_NULL;
    }
    std::uint64_t as_uint() const
    {
        if (cell_->kind == RAS_INT && cell_->i >= 0)
            return static_cast<std::uint64_t>(cell_->i);
        want(cell_->kind == RAS_UINT || cell_->kind == RAS_BOOL, "a whole number without sign");
        return cell_->u;
    }
    std::int64_t as_int() const
    {
        if (cell_->kind == RAS_UINT && cell_->u <= INT64_MAX)
            return static_cast<std::int64_t>(cell_->u);
        want(cell_->kind == RAS_INT, "a whole number of 64 bits");
        return cell_->i;
    }
    double as_double() const
    {
        switch (cell_->kind) {
        case RAS_F64:
            return cell_->f64;
        case RAS_F32:
            return static_cast<double>(cell_->f32);
        case RAS_INT:
            return static_cast<double>(cell_->i);
        default:
            want(cell_->kind == RAS_UINT, "a number");
            return static_cast<double>(cell_->u);
        }
    }
    bool as_bool() const
    {
        want(cell_->kind == RAS_BOOL, "true or false");
        return cell_->u != 0;
    }
    std::string_view as_text() const
    {
        want(cell_->kind == RAS_STR, "text");
        return {static_cast<const char *>(cell_->at), cell_->count};
    }
    ras_bytes as_bytes() const
    {
        want(cell_->kind == RAS_BLOB, "bytes");
        return {static_cast<const std::uint8_t *>(cell_->at), cell_->count};
    }
    /* The items of a list; of a map its keys and values by turns. */
    std::vector<Value> items() const
    {
        want(cell_->kind == RAS_LIST || cell_->kind == RAS_MAP, "a list or a map");
        std::vector<Value> found;
        for (const ras_value *at = cell_ + 1; at < cell_ + 1 + cell_->count;
             at = ras_value_next(at))
            found.emplace_back(at);
        return found;
    }

  private:
    static void want(bool is, const char *what)
    {
        if (!is)
            throw std::domain_error(std::string("the value is not ") + what);
    }
    const ras_value *cell_;
};

/* The record that a cursor stands on. */
class Record
{
  public:
    Record(const ras_cursor *cursor, const ras_record *record) noexcept
        : cursor_(cursor), record_(record)
    {
    }
    const ras_record *get() const noexcept
    {
        return record_;
    }
    std::string_view type() const noexcept
    {
        return ras_schema_of(cursor_)->name;
    }
    std::uint64_t seq() const noexcept
    {
        return record_->seq;
    }
    std::uint32_t stream() const noexcept
    {
        return record_->stream;
    }
    /* RAS_NONE: it has none. */
    std::uint64_t tick() const noexcept
    {
        return record_->flags & RAS_HAS_TICK ? record_->tick : RAS_NONE;
    }
    std::uint64_t time_ns() const noexcept
    {
        return record_->flags & RAS_HAS_TIME ? record_->time_ns : RAS_NONE;
    }
    bool has(const char *field) const noexcept
    {
        return ras_value_of(cursor_, field) != nullptr;
    }
    Value operator[](const char *field) const
    {
        const ras_value *found = ras_value_of(cursor_, field);
        if (!found)
            throw std::out_of_range(std::string(type()) + " has no field " + field);
        return Value(found);
    }

  private:
    const ras_cursor *cursor_;
    const ras_record *record_;
};

/* A walk over records, once: for (const Record &r : trace.records()). */
class Records
{
  public:
    Records(ras_trace *trace, const ras_scan &scan)
    {
        checked([&](ras_error *err) { return ras_cursor_open(&cursor_, trace, &scan, err); });
    }
    ~Records()
    {
        ras_cursor_close(cursor_);
    }
    Records(const Records &) = delete;
    Records &operator=(const Records &) = delete;
    Records(Records &&other) noexcept : cursor_(std::exchange(other.cursor_, nullptr))
    {
    }
    Records &operator=(Records &&) = delete;

    ras_cursor *get() const noexcept
    {
        return cursor_;
    }

    struct sentinel {
    };
    class iterator
    {
      public:
        explicit iterator(ras_cursor *cursor) : cursor_(cursor), record_(cursor, nullptr)
        {
            ++*this;
        }
        iterator &operator++()
        {
            const ras_record *record = nullptr;
            is_over_ =
                checked([&](ras_error *err) { return ras_next(cursor_, &record, err); }) != RAS_OK;
            record_ = Record(cursor_, record);
            return *this;
        }
        const Record &operator*() const noexcept
        {
            return record_;
        }
        const Record *operator->() const noexcept
        {
            return &record_;
        }
        bool operator!=(sentinel) const noexcept
        {
            return !is_over_;
        }

      private:
        ras_cursor *cursor_;
        Record record_;
        bool is_over_ = false;
    };
    iterator begin()
    {
        return iterator(cursor_);
    }
    sentinel end() const noexcept
    {
        return {};
    }

  private:
    ras_cursor *cursor_ = nullptr;
};

class Trace
{
  public:
    explicit Trace(const std::string &path, const ras_options &options = {})
    {
        checked([&](ras_error *err) { return ras_open(&trace_, path.c_str(), &options, err); });
    }
    /* The bytes are borrowed. */
    Trace(const void *bytes, std::size_t size, const ras_options &options = {})
    {
        checked(
            [&](ras_error *err) { return ras_open_memory(&trace_, bytes, size, &options, err); });
    }
    ~Trace()
    {
        ras_close(trace_);
    }
    Trace(const Trace &) = delete;
    Trace &operator=(const Trace &) = delete;
    Trace(Trace &&other) noexcept : trace_(std::exchange(other.trace_, nullptr))
    {
    }
    Trace &operator=(Trace &&other) noexcept
    {
        std::swap(trace_, other.trace_);
        return *this;
    }

    ras_trace *get() const noexcept
    {
        return trace_;
    }
    std::string_view format() const noexcept
    {
        return ras_format_of(trace_)->name;
    }
    /* Right once a walk has come to the end. */
    Ending ending() const noexcept
    {
        return ::ras_ending(trace_);
    }
    /* Records of these types, names or globs; none named: all. */
    Records records(const std::vector<std::string> &types = {}) const
    {
        std::vector<ras_pick> picks;
        for (const std::string &type : types) {
            ras_pick pick = {};
            pick.type = type.c_str();
            picks.push_back(pick);
        }
        ras_scan scan = {};
        scan.picks = picks.data();
        scan.pick_count = picks.size();
        return Records(trace_, scan);
    }
    Records records(const ras_scan &scan) const
    {
        return Records(trace_, scan);
    }
    /* What `verify` finds: the numbers of notes, warnings and errors. */
    std::vector<std::uint64_t> verify(bool deep = false) const
    {
        ras_verify_options options = {};
        options.deep = deep;
        ras_report *report = nullptr;
        checked([&](ras_error *err) { return ras_verify(&report, trace_, &options, err); });
        std::vector<std::uint64_t> found(report->by_severity, report->by_severity + 3);
        ras_report_free(report);
        return found;
    }

  private:
    ras_trace *trace_ = nullptr;
};

/* Whether two traces of one format differ; where, in words of the format's axis. Not complete: one
 * is cut or damaged, and only what is there was compared. */
struct Difference {
    bool differs = false, complete = false;
    std::string kind;
    std::int64_t at = -1;
};
inline Difference diff(const Trace &expected, const Trace &actual,
                       const ras_compare_options &options = {})
{
    Diff *found = nullptr;
    checked([&](ras_error *err) {
        return ::ras_diff(&found, expected.get(), actual.get(), &options, err);
    });
    Difference result;
    result.differs = found->divergence_count != 0;
    result.complete =
        found->endings[0].kind <= RAS_COMPLETE && found->endings[1].kind <= RAS_COMPLETE;
    if (result.differs) {
        result.kind = found->divergences[0].kind;
        if (found->divergences[0].at_count)
            result.at = found->divergences[0].at[0].value.i;
    }
    ras_diff_free(found);
    return result;
}

} // namespace rastrum
#endif
