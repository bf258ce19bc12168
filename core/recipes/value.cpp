#include "recipes/value.h"

#include "recipes/follow.h"
#include "recipes/persist.h"

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
    const auto read = [&] { return m_zk.get(m_path); };
    const Answer<zk::Node> node = co_await persistSynced(m_zk, m_path, read);
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
        const Receipts::Verdict replaced = co_await m_receipts.commit(replace);
        if (replaced.ok())
            co_return replaced.results.empty() ? std::nullopt : std::optional(replaced.results.front().stat.version);
        if (replaced.receiptGone)
            continue;
        const Receipts::Verdict created = co_await m_receipts.commit(create);
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
        const Receipts::Verdict verdict = co_await m_receipts.commit(transaction);
        if (verdict.ok() && !version)
            co_return 0;
        if (verdict.ok() && verdict.results.empty())
            co_return version == zk::AnyVersion - 1 ? 0 : static_cast<qint32>(static_cast<quint32>(*version) + 1);
        if (verdict.ok())
            co_return verdict.results[transaction.size() - 1].stat.version;
        const bool freed = !version && verdict.receiptGone; // our receipt went with the node that was deleted
        if (!freed && (version || verdict.code != Code::NoNode))
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
