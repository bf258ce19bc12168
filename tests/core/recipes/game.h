#pragma once

#include "core/recipes/judge.h"
#include "support/fake/fake_session.h"

#include <QMetaType>

namespace drover::test {

// One participant: a process that lives through several sessions until it has played its rounds.
struct Player {
    Player(VirtualLoop &world, int itsNumber, int itsRounds, quint64 seed, Judge &itsJudge, zk::Client &itsSteady)
        : number(itsNumber), rounds(itsRounds), loop(world), random(seed), judge(itsJudge), steady(itsSteady)
    {
    }

    const int number;
    int rounds; // still to play
    ParticipantLoop loop;
    SeededRandom random;
    Judge &judge;
    zk::Client &steady; // a session that meets no fault: for writes that come late from elsewhere
    zk::Client *zk = nullptr; // the session of this life
    qint64 held = 0; // how often it has got what it asked for
    qint64 refused = 0; // writes under what it no longer held

    async::Duration some(async::Duration longest)
    {
        return std::chrono::duration_cast<async::Duration>(longest * random.unit());
    }
    async::SleepAwaiter rest(async::Duration longest) { return async::sleepFor(loop, some(longest)); }
    QByteArray name() const { return QByteArray::number(number); }

    // Writes to a resource under the fence now and then, for a while, and sometimes stands still in between.
    async::Task<void> writeUnder(recipes::Fence fence, QByteArray resource);
};

// What the participants of a schedule do with one recipe. Each calls play() in one session after the other, until it
// returns: it throws SessionLost when the session ends, and counts down player.rounds.
class Game
{
public:
    virtual ~Game() = default;

    virtual async::Task<void> play(Player &player) = 0;

    // After each write that the server has accepted.
    virtual void committed(const FakeTree &tree) { Q_UNUSED(tree) }

    // When all have played, nothing fails any more and the sessions rest: what is left is looked at, what is wrong is
    // told to the judge.
    virtual async::Task<void> finish(zk::Client &zk, Judge &judge)
    {
        Q_UNUSED(zk)
        Q_UNUSED(judge)
        co_return;
    }
};

template <typename T>
std::unique_ptr<Game> makeGame()
{
    return std::make_unique<T>();
}

// A game and how it is played.
struct GameKind {
    const char *name;
    std::function<std::unique_ptr<Game>()> make;
    int players = 3;
    int rounds = 3; // of each player
    // What may be left below /game when all have gone.
    QByteArrayList furniture = {};
    bool fenced = false; // it writes late, under a fence
};

std::vector<GameKind> lockGames();
std::vector<GameKind> semaphoreGames();
std::vector<GameKind> electionGames();
std::vector<GameKind> meetingGames();
std::vector<GameKind> valueGames();
std::vector<GameKind> queueGames();
// All of these.
std::vector<GameKind> allGames();
// Broken ones, in which the judge has to find a fault.
GameKind unfencedLock();
GameKind counterWithoutReceipts();

} // namespace drover::test

Q_DECLARE_METATYPE(drover::test::GameKind)
