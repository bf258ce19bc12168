#include "recipes/values/value.h"

#include "recipes/blocks/follow.h"
#include "recipes/blocks/persistent.h"

namespace drover::recipes {

using zk::Answer;
using zk::Code;

VersionUnusable::VersionUnusable(const zk::Path &path)
    : zk::Error(Code::BadVersion,
                QStringLiteral("%1 has version -1, which stands for any: write it once without a condition")
                    .arg(path.toString()))
{
}

async::Task<std::optional<zk::Node>> Value::get()
{
    const Answer<zk::Node> node = co_await Persistent(m_zk).afterSync(m_path).get(m_path);
    if (!node.ok())
        co_return std::nullopt;
    co_return *node;
}

async::Task<std::optional<qint32>> Value::set(QByteArray data)
{
    zk::Transaction replace;
    replace.set(m_path, data);
    zk::Transaction create;
    create.create(m_path, data);
    for (;;) {
        const Receipts::Result replaced = co_await m_receipts.commit(replace);
        if (replaced.ok())
            co_return replaced.results.empty() ? std::nullopt : std::optional(replaced.results.front().stat.version);
        if (replaced.receiptGone)
            continue;
        const Receipts::Result created = co_await m_receipts.commit(create);
        if (created.ok())
            co_return 0;
        if (created.code == Code::NoNode)
            co_await m_zk.ensurePath(m_path.parent());
    }
}

async::Task<std::optional<qint32>> Value::setIf(std::optional<qint32> version, QByteArray data)
{
    if (version == zk::AnyVersion)
        throw VersionUnusable(m_path);
    zk::Transaction transaction;
    if (!version)
        transaction.create(m_path, data);
    else
        transaction.set(m_path, data, *version);
    if (version == zk::AnyVersion - 1)
        transaction.set(m_path, data); // past -1
    for (;;) {
        const Receipts::Result result = co_await m_receipts.commit(transaction);
        if (result.ok() && !version)
            co_return 0;
        if (result.ok() && result.results.empty())
            co_return version == zk::AnyVersion - 1 ? 0 : static_cast<qint32>(static_cast<quint32>(*version) + 1);
        if (result.ok())
            co_return result.results[transaction.size() - 1].stat.version;
        const bool freed = !version && result.receiptGone; // our receipt went with the node that was deleted
        if (!freed && (version || result.code != Code::NoNode))
            co_return std::nullopt;
        if (!freed)
            co_await m_zk.ensurePath(m_path.parent());
    }
}

async::Task<void> Value::watch(std::function<void(const zk::Node *)> onChange)
{
    co_await followData(m_zk, m_path, onChange);
}

} // namespace drover::recipes
