#include "recipes/receipts.h"

#include "recipes/persist.h"

#include <QUuid>

namespace drover::recipes {

using zk::Answer;
using zk::Code;

// A slip while its transaction is under way: thrown away, unless the outcome becomes known.
class Receipts::InUse
{
public:
    InUse(Receipts &owner) : m_owner(owner), m_slip(owner.takeSlip()) { }
    InUse(const InUse &) = delete;
    InUse &operator=(const InUse &) = delete;
    ~InUse()
    {
        if (!m_settled && m_owner.m_zk)
            m_owner.m_zk->discard(m_slip.path);
    }

    const Slip &operator*() const { return m_slip; }
    const Slip *operator->() const { return &m_slip; }

    void settle(std::optional<qint32> version)
    {
        m_settled = true;
        m_slip.version = version;
        m_owner.m_slips.push_back(m_slip);
    }

private:
    Receipts &m_owner;
    Slip m_slip;
    bool m_settled = false;
};

Receipts::~Receipts()
{
    for (const Slip &slip : m_slips) {
        if (m_zk && slip.version)
            m_zk->discard(slip.path);
    }
}

Receipts::Slip Receipts::takeSlip()
{
    if (m_slips.empty())
        return {m_directory / ("_r_" + QUuid::createUuid().toByteArray(QUuid::WithoutBraces)), std::nullopt};
    Slip slip = m_slips.back();
    m_slips.pop_back();
    return slip;
}

// Nothing: the reply was lost.
async::Task<std::optional<Receipts::Verdict>> Receipts::attempt(const zk::Transaction &transaction)
{
    try {
        const Answer<zk::Committed> committed = co_await m_zk->commit(transaction);
        if (!committed.ok() && committed.is(Code::NoChildrenForEphemerals))
            committed.require();
        Verdict verdict{committed.code(), committed->failedAt(), false, committed->results};
        verdict.receiptGone =
            committed.is(Code::NoNode) && verdict.failedAt + 1 == static_cast<int>(transaction.size());
        co_return verdict;
    } catch (const zk::ConnectionLoss &) {
    }
    co_return std::nullopt;
}

async::Task<Receipts::Verdict> Receipts::commit(zk::Transaction transaction)
{
    InUse slip(*this);
    if (slip->version)
        transaction.set(slip->path, QByteArray());
    else
        transaction.create(slip->path, QByteArray(), zk::CreateMode::Ephemeral);
    const auto sync = [&] { return m_zk->sync(m_directory); };
    const auto look = [&] { return m_zk->exists(slip->path); };
    for (bool doubtful = false;; doubtful = true) {
        const std::optional<Verdict> said = co_await attempt(transaction);
        if (said && said->ok()) {
            slip.settle(slip->version ? static_cast<qint32>(static_cast<quint32>(*slip->version) + 1) : 0);
            co_return *said;
        }
        if (!said || doubtful) {
            co_await m_zk->connected();
            const Answer<zk::Nothing> synced = co_await persist(*m_zk, sync);
            const Answer<zk::Stat> receipt = co_await persist(*m_zk, look);
            if (receipt.ok() && receipt->version != slip->version) {
                slip.settle(receipt->version);
                co_return Verdict();
            }
        }
        if (said) {
            slip.settle(said->receiptGone ? std::nullopt : slip->version);
            co_return *said;
        }
    }
}

} // namespace drover::recipes
