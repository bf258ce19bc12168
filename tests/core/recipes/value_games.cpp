#include "async/or_timeout.h"
#include "core/recipes/game.h"
#include "recipes/blocks/tree_watch.h"
#include "recipes/values/config.h"
#include "recipes/values/counter.h"
#include "support/linearizability.h"

namespace drover::test {

using namespace std::chrono_literals;
using namespace recipes;
using async::Task;

namespace {

const zk::Path Place("/game/value");

// Each player appends words of its own to the value, unless another was faster. A word whose write was acknowledged is
// there once, and is never overwritten. A word whose write was refused is not there.
class CompareAndSetGame : public Game
{
public:
    struct Seen {
        QByteArray data;
        std::optional<qint32> version;
    };

    Task<void> play(Player &player) override
    {
        for (; player.rounds > 0; --player.rounds) {
            co_await player.rest(50ms);
            const QByteArray word = player.name() + '.' + QByteArray::number(m_words++);
            for (bool written = false; !written;) {
                const Seen seen = co_await get(player);
                m_unknown.push_back(word);
                written = co_await setIf(player, seen.version, seen.data + ' ' + word);
                m_unknown.removeOne(word);
                if (written)
                    m_written.push_back(word);
            }
            ++player.held;
        }
    }

    Task<void> finish(zk::Client &zk, Judge &judge) override
    {
        const zk::Answer<zk::Node> node = co_await zk.get(path());
        const QByteArrayList words = node->data.simplified().split(' ');
        for (const QByteArray &word : m_written)
            judge.require(words.count(word) == 1, QStringLiteral("a write was lost or done twice"));
        for (const QByteArray &word : words)
            judge.require(m_written.contains(word) || m_unknown.contains(word),
                          QStringLiteral("a write that was refused was done"));
    }

protected:
    virtual zk::Path path() const = 0;
    virtual Task<Seen> get(Player &player) = 0;
    virtual Task<bool> setIf(Player &player, std::optional<qint32> version, QByteArray data) = 0;

private:
    int m_words = 0;
    QByteArrayList m_written;
    QByteArrayList m_unknown;
};

class ValueGame final : public CompareAndSetGame
{
    zk::Path path() const override { return Place; }
    Task<Seen> get(Player &player) override
    {
        Value value(*player.zk, Place);
        const std::optional<zk::Node> node = co_await value.get();
        Seen seen;
        if (node)
            seen = {node->data, node->stat.version};
        co_return seen;
    }
    Task<bool> setIf(Player &player, std::optional<qint32> version, QByteArray data) override
    {
        Value value(*player.zk, Place);
        const std::optional<qint32> written = co_await value.setIf(version, std::move(data));
        co_return written.has_value();
    }
};

class ConfigGame final : public CompareAndSetGame
{
    zk::Path path() const override { return Place / "key"; }
    Task<Seen> get(Player &player) override
    {
        Config config(*player.zk, Place);
        const std::optional<Setting> setting = co_await config.get("key");
        Seen seen;
        if (setting)
            seen = {setting->bytes, setting->version};
        co_return seen;
    }
    Task<bool> setIf(Player &player, std::optional<qint32> version, QByteArray data) override
    {
        Config config(*player.zk, Place);
        const std::optional<qint32> written = co_await config.setIf("key", version, std::move(data));
        co_return written.has_value();
    }
};

// The answers that all players got must be those of one counter.
class CounterGame : public Game
{
public:
    Task<void> play(Player &player) override
    {
        Counter counter(*player.zk, Place);
        while (player.rounds > 0) {
            --player.rounds;
            co_await player.rest(50ms);
            const int adding = m_history.invoke(player.number, "add", 1);
            const qint64 sum = co_await add(player, counter);
            m_history.ok(adding, sum);
            const int getting = m_history.invoke(player.number, "get");
            const qint64 read = co_await counter.get();
            m_history.ok(getting, read);
            ++player.held;
        }
    }

    Task<void> finish(zk::Client &zk, Judge &judge) override
    {
        Counter counter(zk, Place);
        const int getting = m_history.invoke(-1, "get");
        const qint64 read = co_await counter.get();
        m_history.ok(getting, read);
        const std::optional<QString> wrong = violation(m_history, counterModel());
        judge.require(!wrong, wrong.value_or(QString()));
    }

protected:
    virtual Task<qint64> add(Player &, Counter &counter) { return counter.add(1); }

private:
    History m_history;
};

// The broken variant: it repeats a write whose reply was lost.
class NoReceiptsGame final : public CounterGame
{
    Task<qint64> add(Player &player, Counter &counter) override
    {
        for (;;) {
            co_await player.zk->connected();
            try {
                const zk::Answer<zk::Node> node = co_await player.zk->get(Place);
                const qint64 number = co_await counter.get();
                const QByteArray sum = Counter::encode(number + 1);
                const bool missing = node.is(zk::Code::NoNode);
                if (missing)
                    co_await player.zk->ensurePath(Place);
                const qint32 version = missing ? 0 : node->stat.version;
                const zk::Answer<zk::Stat> written = co_await player.zk->set(Place, sum, version);
                if (written.ok())
                    co_return number + 1;
            } catch (const zk::ConnectionLoss &) {
            }
        }
    }
};

// The first keeps a copy over all its sessions, the others plant and fell.
class TreeWatchGame final : public Game
{
    static constexpr int Depth = 2;

public:
    Task<void> play(Player &player) override
    {
        while (player.rounds > 0) {
            --player.rounds;
            if (player.number == 0)
                co_await watchFor(*player.zk, player.some(5s));
            else
                co_await plantOrFell(player);
            ++player.held;
        }
    }

    Task<void> finish(zk::Client &zk, Judge &judge) override
    {
        co_await watchFor(zk, 5s);
        judge.require(m_watch.initialized(), QStringLiteral("the copy is not complete"));
        judge.require(!m_wentBack, QStringLiteral("the copy went back in time"));
        judge.require(shown(zk::Path("/game/tree")) == grown(zk::Path("/game/tree"), Depth),
                      QStringLiteral("the copy is not the tree"));
    }

    void committed(const FakeTree &tree) override { m_tree = &tree; }

private:
    Task<void> watchFor(zk::Client &zk, async::Duration duration)
    {
        try {
            co_await async::orTimeout(zk.loop(), m_watch.run(zk), duration);
        } catch (const async::Timeout &) {
        }
    }

    static Task<void> plantOrFell(Player &player)
    {
        zk::Path path("/game/tree");
        for (int levels = player.random.below(Depth + 1); levels > 0; --levels)
            path = path / QByteArray(1, static_cast<char>('a' + player.random.below(2)));
        co_await player.rest(500ms);
        try {
            if (player.random.chance(0.3)) {
                const auto removed = co_await player.zk->remove(path);
                Q_UNUSED(removed)
                co_return;
            }
            co_await player.zk->ensurePath(path);
            const auto set = co_await player.zk->set(path, QByteArray::number(player.random.below(100)));
            Q_UNUSED(set)
        } catch (const zk::ConnectionLoss &) {
        }
    }

    void note(const TreeWatch::Change &change)
    {
        using Kind = TreeWatch::Change::Kind;
        if (change.kind != Kind::Added && change.kind != Kind::Changed)
            return;
        zk::Zxid &newest = m_newest[change.path];
        m_wentBack = m_wentBack || change.node.stat.mzxid < newest;
        newest = change.node.stat.mzxid;
    }

    QByteArray shown(const zk::Path &path) const
    {
        const zk::Node *node = m_watch.find(path);
        QByteArray text = node ? path.bytes() + '=' + node->data + '\n' : QByteArray();
        for (const QByteArray &name : m_watch.children(path))
            text += shown(path / name);
        return text;
    }
    QByteArray grown(const zk::Path &path, int depth) const
    {
        const FakeTree::Znode *node = m_tree->find(path);
        if (!node)
            return {};
        QByteArray text = path.bytes() + '=' + node->data + '\n';
        for (const QByteArray &name : node->children)
            text += depth > 0 ? grown(path / name, depth - 1) : QByteArray();
        return text;
    }

    std::map<zk::Path, zk::Zxid> m_newest;
    bool m_wentBack = false;
    const FakeTree *m_tree = nullptr;
    TreeWatch m_watch{zk::Path("/game/tree"), Depth, [this](const TreeWatch::Change &change) { note(change); }};
};

} // namespace

std::vector<GameKind> valueGames()
{
    QByteArrayList tree = {"/game/tree"};
    for (const char *path : {"a", "b", "a/a", "a/b", "b/a", "b/b"})
        tree.push_back(QByteArray("/game/tree/") + path);
    return {
        {.name = "Value", .make = makeGame<ValueGame>, .furniture = {"/game/value"}},
        {.name = "Config", .make = makeGame<ConfigGame>, .furniture = {"/game/value", "/game/value/key"}},
        {.name = "Counter", .make = makeGame<CounterGame>, .rounds = 4, .furniture = {"/game/value"}},
        {.name = "TreeWatch", .make = makeGame<TreeWatchGame>, .rounds = 6, .furniture = tree},
    };
}

GameKind counterWithoutReceipts()
{
    return {.name = "a counter without receipts",
            .make = makeGame<NoReceiptsGame>,
            .rounds = 4,
            .furniture = {"/game/value"}};
}

} // namespace drover::test
