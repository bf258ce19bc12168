#pragma once

#include "core/recipes/game.h"
#include "recipes/blocks/child_nodes.h"
#include "recipes/blocks/ticket.h"

namespace drover::test {

// A game in which the first participant does not play but deletes the recipe's directory under the others, at one blow
// and as often as it has rounds. A player that loses its place gets an error or finds its fence refused. No player
// waits for ever, and the recipe makes its directory anew.
template <typename T>
class Undermined final : public Game
{
public:
    explicit Undermined(zk::Path directory) : m_directory(std::move(directory)) { }

    async::Task<void> play(Player &player) override
    {
        while (player.rounds > 0) {
            try {
                if (player.number == 0)
                    co_await undermine(player);
                else
                    co_await m_game.play(player);
            } catch (const recipes::TicketRevoked &) {
                --player.rounds;
            }
        }
    }

    void committed(const FakeTree &tree) override { m_game.committed(tree); }
    async::Task<void> finish(zk::Client &zk, Judge &judge) override { return m_game.finish(zk, judge); }

private:
    async::Task<void> undermine(Player &player)
    {
        using namespace std::chrono_literals;
        co_await player.rest(1s);
        --player.rounds;
        for (bool removed = false; !removed;)
            removed = co_await removeAll(*player.zk);
    }

    // Returns false if a player came or went meanwhile, or if the outcome is unknown.
    async::Task<bool> removeAll(zk::Client &zk)
    {
        zk::Transaction transaction;
        const QByteArrayList children = co_await recipes::childNames(zk, m_directory);
        for (const QByteArray &child : children) {
            const QByteArrayList grandchildren = co_await recipes::childNames(zk, m_directory / child);
            for (const QByteArray &grandchild : grandchildren)
                transaction.remove(m_directory / child / grandchild);
            transaction.remove(m_directory / child);
        }
        transaction.remove(m_directory);
        try {
            const zk::Answer<zk::Committed> removed = co_await zk.commit(transaction);
            co_return removed.ok() || (children.isEmpty() && removed.is(zk::Code::NoNode));
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
        co_return false;
    }

    zk::Path m_directory;
    T m_game;
};

template <typename T>
std::unique_ptr<Game> undermine(const zk::Path &directory)
{
    return std::make_unique<Undermined<T>>(directory);
}

} // namespace drover::test
