#include "app/bench/setup/remove_tree.h"

#include "app/cli/output.h"
#include "recipes/blocks/persistent.h"
#include "zk/error.h"

namespace drover::app {

using recipes::Persistent;
using zk::Answer;
using zk::Code;

namespace {

// Deletes are sent in flights of this many: a queue may hold thousands of nodes.
constexpr qsizetype Flight = 500;

async::Task<void> removeLeaves(zk::Client &zk, zk::Path parent, QByteArrayList names, QByteArrayList &inner)
{
    for (qsizetype from = 0; from < names.size(); from += Flight) {
        const QByteArrayList flight = names.mid(from, Flight);
        std::vector<zk::Reply<zk::Nothing>> replies;
        for (const QByteArray &name : flight)
            replies.push_back(zk.remove(parent / name));
        for (qsizetype i = 0; i < flight.size(); ++i) {
            const Answer<zk::Nothing> removed = co_await replies[static_cast<std::size_t>(i)];
            if (removed.is(Code::NotEmpty))
                inner.append(flight[i]);
        }
    }
}

} // namespace

async::Task<void> removeTree(zk::Client &zk, zk::Path path)
{
    for (;;) {
        const Answer<zk::Children> children = co_await Persistent(zk).children(path);
        if (!children.ok())
            co_return;
        QByteArrayList inner;
        bool complete = false;
        try {
            co_await removeLeaves(zk, path, children->names, inner);
            complete = true;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
        if (!complete)
            continue;
        for (const QByteArray &name : inner)
            co_await removeTree(zk, path / name);
        try {
            const Answer<zk::Nothing> removed = co_await Persistent(zk).remove(path);
            if (!removed.is(Code::NotEmpty))
                co_return;
        } catch (const zk::AccessDenied &) { // beside a closed cluster that was founded with --shared
            Output::hint(
                QStringLiteral("%1 stays there, empty: only an administrator may delete it").arg(path.toString()));
            co_return;
        }
    }
}

} // namespace drover::app
