/* pens.hpp - pens.h for C++17: rastrum::Pens owns the pens, a tick settles at the end of its scope.
 *
 *     rastrum::Pens pens({.program = "game", .seed = 7});     // C++20; or fill a ras_pens_options
 *     for (uint64_t n = 1; running; n++) {
 *         {
 *             auto tick = pens.tick(n);
 *             pens.input(1, command);
 *             auto part = pens.span("physics");
 *             simulate();
 *             pens.value("hp", player.hp);
 *             pens.members("player", 0, player, &Player::x, &Player::y);
 *         }
 *         draw();
 *     }
 *
 * Only the constructor throws: std::runtime_error with the text of the error. */
#ifndef RASTRUM_PENS_HPP
#define RASTRUM_PENS_HPP

#include <rastrum/pens.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace rastrum
{

class Pens
{
  public:
    /* Where nothing records, every function does nothing. */
    explicit Pens(const ras_pens_options &options = {})
    {
        ras_error err = {};
        if (ras_pens_open(&pens_, &options, &err) < 0)
            throw std::runtime_error(err.text);
    }
    ~Pens()
    {
        (void)!ras_pens_close(pens_, nullptr);
    }
    Pens(const Pens &) = delete;
    Pens &operator=(const Pens &) = delete;
    Pens(Pens &&other) noexcept : pens_(std::exchange(other.pens_, nullptr))
    {
    }
    Pens &operator=(Pens &&other) noexcept
    {
        std::swap(pens_, other.pens_);
        return *this;
    }

    ras_pens *get() const noexcept
    {
        return pens_;
    }
    bool is_on() const noexcept
    {
        return ras_pens_is_on(pens_);
    }
    /* What the first failure was; empty: there was none. The pens are closed then. */
    std::string close() noexcept(false)
    {
        ras_error err = {};
        int status = ras_pens_close(std::exchange(pens_, nullptr), &err);
        return status < 0 ? std::string(err.text) : std::string();
    }

    /* The simulation's part of a tick: it is over with this object. */
    class Tick
    {
      public:
        explicit Tick(ras_pens *pens) noexcept : pens_(pens)
        {
        }
        ~Tick()
        {
            ras_pens_settled(pens_);
        }
        Tick(const Tick &) = delete;
        Tick &operator=(const Tick &) = delete;

      private:
        ras_pens *pens_;
    };
    [[nodiscard]] Tick tick(uint64_t number) noexcept
    {
        ras_pens_tick(pens_, number);
        return Tick(pens_);
    }

    /* A part of a tick by name, with its time. */
    class Span
    {
      public:
        Span(ras_pens *pens, uint32_t name) noexcept : pens_(pens), name_(name)
        {
            ras_pens_begin(pens_, name_);
        }
        ~Span()
        {
            ras_pens_end(pens_, name_);
        }
        Span(const Span &) = delete;
        Span &operator=(const Span &) = delete;

      private:
        ras_pens *pens_;
        uint32_t name_;
    };
    [[nodiscard]] Span span(const char *name) noexcept
    {
        return Span(pens_, this->name(name));
    }

    uint32_t name(const char *text) noexcept
    {
        return ras_pens_name(pens_, text);
    }

    /* One value: an integer, a floating-point number or a text. */
    template <class T> void value(const char *name, const T &value, uint64_t index = 0) noexcept
    {
        if (!pens_)
            return;
        if constexpr (std::is_convertible_v<const T &, const char *>)
            ras_pens_text(pens_, this->name(name), index, value);
        else if constexpr (std::is_same_v<T, std::string>)
            ras_pens_text(pens_, this->name(name), index, value.c_str());
        else if constexpr (std::is_floating_point_v<T>)
            ras_pens_real(pens_, this->name(name), index, static_cast<double>(value));
        else {
            static_assert(std::is_integral_v<T> || std::is_enum_v<T>,
                          "a value is a number or a text; see bytes() and members()");
            ras_pens_int(pens_, this->name(name), index, static_cast<int64_t>(value));
        }
    }

    /* An input, or state, without padding and addresses. */
    template <class T> void input(uint32_t type, const T &command) noexcept
    {
        static_assert(is_plain<T>, "an input has no padding and no addresses");
        ras_pens_input(pens_, type, &command, sizeof command);
    }
    template <class T> void bytes(const char *name, uint64_t index, const T &object) noexcept
    {
        static_assert(is_plain<T>, "use members(): the object has padding or addresses");
        if (pens_)
            ras_pens_bytes(pens_, this->name(name), index, &object, sizeof object);
    }
    /* Members of an object that has padding or addresses. */
    template <class T, class... M>
    void members(const char *name, uint64_t index, const T &object, M T::*...which) noexcept
    {
        static_assert((!std::is_pointer_v<M> && ...), "an address differs in every run");
        static_assert((std::is_trivially_copyable_v<M> && ...), "a member is plain bytes");
        if (!pens_)
            return;
        const ras_pens_span spans[] = {
            {static_cast<uint32_t>(reinterpret_cast<const char *>(&(object.*which)) -
                                   reinterpret_cast<const char *>(&object)),
             static_cast<uint32_t>(sizeof(object.*which))}...};
        ras_pens_members(pens_, this->name(name), index, &object, spans, sizeof...(which));
    }

    void draw(uint32_t caller, uint32_t value, uint32_t before, uint32_t after) noexcept
    {
        ras_pens_draw(pens_, caller, value, before, after);
    }
    void entity(const struct ras_pens_entity &entity) noexcept
    {
        ras_pens_entity(pens_, &entity);
    }
    void snapshot(uint64_t hash) noexcept
    {
        ras_pens_snapshot(pens_, hash);
    }
    void pixels(ras_pens_pixel format, uint32_t width, uint32_t height, const void *pixels,
                std::size_t stride = 0, const uint32_t *palette = nullptr) noexcept
    {
        ras_pens_pixels(pens_, format, width, height, stride, pixels, palette);
    }
    void flush() noexcept
    {
        ras_pens_flush(pens_);
    }

  private:
    /* Floating-point numbers have no unique representation, but no padding either. */
    template <class T>
    static constexpr bool is_plain =
        std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> &&
        (std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);

    ras_pens *pens_ = nullptr;
};

} // namespace rastrum
#endif
