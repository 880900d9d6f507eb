/* game.cpp - a loop with pens.hpp: game_cpp DIR. */
#include <rastrum/pens.hpp>

#include <cstdio>

struct Player {
    char kind;
    double x;
    void *owner;
    int hp;
};

int main(int argc, char **argv)
{
    ras_pens_options how = {};
    how.dir = argc > 1 ? argv[1] : nullptr;
    how.program = "game_cpp";
    try {
        rastrum::Pens pens(how);
        Player player = {'p', 0.5, &pens, 100};
        for (uint64_t n = 1; n <= 20; n++) {
            auto tick = pens.tick(n);
            auto part = pens.span("physics");
            uint32_t command = static_cast<uint32_t>(n);
            pens.input(1, command);
            player.x += 1;
            player.hp--;
            pens.value("hp", player.hp);
            pens.value("x", player.x, 1);
            pens.value("name", "caf\xc3\xa9");
            pens.bytes("command", 0, command);
            pens.members("player", 0, player, &Player::x, &Player::hp);
        }
        rastrum::Pens moved = std::move(pens);
        std::string failure = moved.close();
        if (!failure.empty())
            std::fprintf(stderr, "%s\n", failure.c_str());
        return failure.empty() ? 0 : 5;
    } catch (const std::runtime_error &e) {
        std::fprintf(stderr, "open: %s\n", e.what());
        return 4;
    }
}
