#include "recipes/receipt.h"

#include "recipes/persist.h"

#include <QUuid>

namespace drover::recipes {

using zk::Answer;
using zk::Code;

namespace {

constexpr qint32 LastVersion = 1 << 30; // long before it turns negative: -1 would mean any version

} // namespace

OutcomeUnknown::OutcomeUnknown(const zk::Path &receipt)
    : zk::Error(Code::NoNode,
                QStringLiteral("%1 was deleted by somebody else while a reply was lost: look at the queue to learn "
                               "whether the last change was made")
                    .arg(receipt.toString()))
{
}

Receipt::Receipt(zk::Coordinator &zk, zk::Path directory, QByteArray kind)
    : m_zk(&zk), m_directory(std::move(directory)), m_kind(std::move(kind)), m_path(newPath())
{
}

Receipt::~Receipt()
{
    if (m_zk && m_possible)
        m_zk->discard(m_path);
}

zk::Path Receipt::newPath() const
{
    return m_directory / (QUuid::createUuid().toByteArray(QUuid::WithoutBraces) + '-' + m_kind);
}

Receipt::Abandoned Receipt::abandon()
{
    m_possible = m_made = false;
    return {std::exchange(m_path, newPath()), std::exchange(m_version, 0) + 1};
}

async::Task<void> Receipt::open()
{
    std::optional<zk::Reply<zk::Created>> creating;
    if (!m_made) {
        m_possible = true;
        creating = m_zk->create(m_path, {}, zk::CreateMode::Ephemeral);
    }
    return finishOpening(std::move(creating));
}

async::Task<void> Receipt::finishOpening(std::optional<zk::Reply<zk::Created>> creating)
{
    while (creating) {
        const Answer<zk::Created> created = co_await *creating;
        if (created.ok() || created.is(Code::NodeExists)) {
            m_made = true;
            co_return;
        }
        if (!created.is(Code::NoNode))
            created.require();
        co_await makeDirectory();
        creating = m_zk->create(m_path, {}, zk::CreateMode::Ephemeral);
    }
}

async::Task<Answer<zk::Committed>> Receipt::commit(zk::Transaction transaction)
{
    if (m_version >= LastVersion)
        replace();
    Sent sent = send(transaction);
    return finish(std::move(transaction), std::move(sent));
}

Receipt::Sent Receipt::send(zk::Transaction transaction)
{
    transaction.set(m_path, {}, m_version);
    std::optional<zk::Reply<zk::Created>> creating;
    if (!m_made) {
        m_possible = true;
        creating = m_zk->create(m_path, {}, zk::CreateMode::Ephemeral);
    }
    return {std::move(creating), m_zk->commit(transaction)};
}

async::Task<Answer<zk::Committed>> Receipt::finish(zk::Transaction transaction, Sent sent)
{
    const int ours = static_cast<int>(transaction.size());
    for (;;) {
        bool replied = false;
        try {
            const bool opening = sent.creating.has_value();
            if (opening)
                co_await finishOpening(std::move(sent.creating));
            const Answer<zk::Committed> committed = co_await sent.committing;
            replied = true;
            if (committed.ok())
                ++m_version;
            if (committed.ok() || committed->failedAt() != ours)
                co_return committed;
            if (!opening) // otherwise only the directory was missing, and no longer is
                replace();
        } catch (const zk::ConnectionLoss &) {
        }
        if (!replied) {
            co_await m_zk->connected();
            const bool carriedOut = co_await wasCarriedOut();
            if (carriedOut) {
                ++m_version;
                co_return Answer<zk::Committed>(Code::Ok, {}, "transaction on", m_path);
            }
        }
        sent = send(transaction);
    }
}

// After a lost reply.
async::Task<bool> Receipt::wasCarriedOut()
{
    const auto sync = [this] { return m_zk->sync(m_path); };
    const auto look = [this] { return m_zk->exists(m_path); };
    const Answer<zk::Nothing> synced = co_await persist(*m_zk, sync);
    const Answer<zk::Stat> stat = co_await persist(*m_zk, look);
    if (!stat.ok() && !m_made)
        co_return false;
    if (!stat.ok() || (stat->version != m_version && stat->version != m_version + 1))
        throw OutcomeUnknown(m_path);
    m_made = true;
    co_return stat->version != m_version;
}

void Receipt::replace()
{
    m_zk->discard(m_path);
    abandon();
}

async::Task<void> Receipt::makeDirectory()
{
    const auto create = [this] { return m_zk->create(m_directory, {}, zk::CreateMode::Container); };
    for (;;) {
        const Answer<zk::Created> created = co_await persist(*m_zk, create);
        if (created.ok() || created.is(Code::NodeExists))
            co_return;
        if (!created.is(Code::NoNode))
            created.require();
        co_await m_zk->ensurePath(m_directory.parent());
    }
}

} // namespace drover::recipes
