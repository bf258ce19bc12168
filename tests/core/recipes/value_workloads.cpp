#include "async/or_timeout.h"
#include "core/recipes/workload.h"
#include "recipes/blocks/tree_watch.h"
#include "recipes/values/config.h"
#include "recipes/values/counter.h"
#include "support/requests/linearizability.h"

namespace drover::test {

using namespace std::chrono_literals;
using namespace recipes;
using async::Task;

namespace {

const zk::Path Place("/workload/value");

// Each process appends words of its own to the value, unless another was faster. A word whose write was acknowledged is
// there once, and is never overwritten. A word whose write was refused is not there.
class CompareAndSetWorkload : public Workload
{
public:
    struct Seen {
        QByteArray data;
        std::optional<qint32> version;
    };

    Task<void> run(Process &process) override
    {
        for (; process.rounds > 0; --process.rounds) {
            co_await process.rest(50ms);
            const QByteArray word = process.name() + '.' + QByteArray::number(m_words++);
            for (bool written = false; !written;) {
                const Seen seen = co_await get(process);
                m_unknown.push_back(word);
                written = co_await setIf(process, seen.version, seen.data + ' ' + word);
                m_unknown.removeOne(word);
                if (written)
                    m_written.push_back(word);
            }
            ++process.held;
        }
    }

    Task<void> finish(zk::Client &zk, InvariantChecker &checker) override
    {
        const zk::Answer<zk::Node> node = co_await zk.get(path());
        const QByteArrayList words = node->data.simplified().split(' ');
        for (const QByteArray &word : m_written)
            checker.require(words.count(word) == 1, QStringLiteral("a write was lost or done twice"));
        for (const QByteArray &word : words)
            checker.require(m_written.contains(word) || m_unknown.contains(word),
                            QStringLiteral("a write that was refused was done"));
    }

protected:
    virtual zk::Path path() const = 0;
    virtual Task<Seen> get(Process &process) = 0;
    virtual Task<bool> setIf(Process &process, std::optional<qint32> version, QByteArray data) = 0;

private:
    int m_words = 0;
    QByteArrayList m_written;
    QByteArrayList m_unknown;
};

class ValueWorkload final : public CompareAndSetWorkload
{
    zk::Path path() const override { return Place; }
    Task<Seen> get(Process &process) override
    {
        Value value(*process.zk, Place);
        const std::optional<zk::Node> node = co_await value.get();
        Seen seen;
        if (node)
            seen = {node->data, node->stat.version};
        co_return seen;
    }
    Task<bool> setIf(Process &process, std::optional<qint32> version, QByteArray data) override
    {
        Value value(*process.zk, Place);
        const std::optional<qint32> written = co_await value.setIf(version, std::move(data));
        co_return written.has_value();
    }
};

class ConfigWorkload final : public CompareAndSetWorkload
{
    zk::Path path() const override { return Place / "key"; }
    Task<Seen> get(Process &process) override
    {
        Config config(*process.zk, Place);
        const std::optional<Setting> setting = co_await config.get("key");
        Seen seen;
        if (setting)
            seen = {setting->bytes, setting->version};
        co_return seen;
    }
    Task<bool> setIf(Process &process, std::optional<qint32> version, QByteArray data) override
    {
        Config config(*process.zk, Place);
        const std::optional<qint32> written = co_await config.setIf("key", version, std::move(data));
        co_return written.has_value();
    }
};

// The answers that all processes got must be those of one counter.
class CounterWorkload : public Workload
{
public:
    Task<void> run(Process &process) override
    {
        Counter counter(*process.zk, Place);
        while (process.rounds > 0) {
            --process.rounds;
            co_await process.rest(50ms);
            const int adding = m_history.invoke(process.number, "add", 1);
            const qint64 sum = co_await add(process, counter);
            m_history.ok(adding, sum);
            const int getting = m_history.invoke(process.number, "get");
            const qint64 read = co_await counter.get();
            m_history.ok(getting, read);
            ++process.held;
        }
    }

    Task<void> finish(zk::Client &zk, InvariantChecker &checker) override
    {
        Counter counter(zk, Place);
        const int getting = m_history.invoke(-1, "get");
        const qint64 read = co_await counter.get();
        m_history.ok(getting, read);
        const std::optional<QString> wrong = violation(m_history, counterModel());
        checker.require(!wrong, wrong.value_or(QString()));
    }

protected:
    virtual Task<qint64> add(Process &, Counter &counter) { return counter.add(1); }

private:
    History m_history;
};

// The broken variant: it repeats a write whose reply was lost.
class NoReceiptsWorkload final : public CounterWorkload
{
    Task<qint64> add(Process &process, Counter &counter) override
    {
        for (;;) {
            co_await process.zk->connected();
            try {
                const zk::Answer<zk::Node> node = co_await process.zk->get(Place);
                const qint64 number = co_await counter.get();
                const QByteArray sum = Counter::encode(number + 1);
                const bool missing = node.is(zk::Code::NoNode);
                if (missing)
                    co_await process.zk->ensurePath(Place);
                const qint32 version = missing ? 0 : node->stat.version;
                const zk::Answer<zk::Stat> written = co_await process.zk->set(Place, sum, version);
                if (written.ok())
                    co_return number + 1;
            } catch (const zk::ConnectionLoss &) {
            }
        }
    }
};

// The first keeps a copy over all its sessions, the others plant and fell.
class TreeWatchWorkload final : public Workload
{
    static constexpr int Depth = 2;

public:
    Task<void> run(Process &process) override
    {
        while (process.rounds > 0) {
            --process.rounds;
            if (process.number == 0)
                co_await watchFor(*process.zk, process.some(5s));
            else
                co_await plantOrFell(process);
            ++process.held;
        }
    }

    Task<void> finish(zk::Client &zk, InvariantChecker &checker) override
    {
        co_await watchFor(zk, 5s);
        checker.require(m_watch.initialized(), QStringLiteral("the copy is not complete"));
        checker.require(!m_wentBack, QStringLiteral("the copy went back in time"));
        checker.require(shown(zk::Path("/workload/tree")) == grown(zk::Path("/workload/tree"), Depth),
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

    static Task<void> plantOrFell(Process &process)
    {
        zk::Path path("/workload/tree");
        for (int levels = process.random.below(Depth + 1); levels > 0; --levels)
            path = path / QByteArray(1, static_cast<char>('a' + process.random.below(2)));
        co_await process.rest(500ms);
        try {
            if (process.random.chance(0.3)) {
                const auto removed = co_await process.zk->remove(path);
                Q_UNUSED(removed)
                co_return;
            }
            co_await process.zk->ensurePath(path);
            const auto set = co_await process.zk->set(path, QByteArray::number(process.random.below(100)));
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
    TreeWatch m_watch{zk::Path("/workload/tree"), Depth, [this](const TreeWatch::Change &change) { note(change); }};
};

} // namespace

std::vector<WorkloadKind> valueWorkloads()
{
    QByteArrayList tree = {"/workload/tree"};
    for (const char *path : {"a", "b", "a/a", "a/b", "b/a", "b/b"})
        tree.push_back(QByteArray("/workload/tree/") + path);
    return {
        {.name = "Value", .make = makeWorkload<ValueWorkload>, .furniture = {"/workload/value"}},
        {.name = "Config",
         .make = makeWorkload<ConfigWorkload>,
         .furniture = {"/workload/value", "/workload/value/key"}},
        {.name = "Counter", .make = makeWorkload<CounterWorkload>, .rounds = 4, .furniture = {"/workload/value"}},
        {.name = "TreeWatch", .make = makeWorkload<TreeWatchWorkload>, .rounds = 6, .furniture = tree},
    };
}

WorkloadKind counterWithoutReceipts()
{
    return {.name = "a counter without receipts",
            .make = makeWorkload<NoReceiptsWorkload>,
            .rounds = 4,
            .furniture = {"/workload/value"}};
}

} // namespace drover::test
