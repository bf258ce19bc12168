#include "recipes/receipts.h"

#include "recipes/persist.h"

namespace drover::recipes {

using zk::Answer;
using zk::Code;

// A slip while its transaction is under way: handed on or thrown away, unless the outcome becomes known.
class Receipts::InUse
{
public:
    InUse(Receipts &owner, std::function<void(Abandoned)> abandoned)
        : m_owner(owner), m_slip(owner.takeSlip()), m_abandoned(std::move(abandoned))
    {
    }
    InUse(const InUse &) = delete;
    InUse &operator=(const InUse &) = delete;
    ~InUse()
    {
        if (m_settled || !m_owner.m_zk)
            return;
        if (m_abandoned)
            m_abandoned({m_slip.path, nextVersion()});
        else
            m_owner.m_zk->discard(m_slip.path);
    }

    const Slip &operator*() const { return m_slip; }
    const Slip *operator->() const { return &m_slip; }
    qint32 nextVersion() const // once the transaction has been carried out
    {
        return m_slip.version ? static_cast<qint32>(static_cast<quint32>(*m_slip.version) + 1) : 0;
    }

    void settle(std::optional<qint32> version)
    {
        m_settled = true;
        m_slip.version = version;
        m_owner.m_slips.push_back(m_slip);
    }

private:
    Receipts &m_owner;
    Slip m_slip;
    std::function<void(Abandoned)> m_abandoned;
    bool m_settled = false;
};

Receipts::~Receipts()
{
    for (const Slip &slip : m_slips) {
        if (m_zk && slip.version && !m_leavesToSession)
            m_zk->discard(slip.path);
    }
}

Receipts::Slip Receipts::takeSlip()
{
    if (m_slips.empty())
        return {m_directory / ("_r_" + m_zk->loop().makeUuid().toByteArray(QUuid::WithoutBraces)), std::nullopt};
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
        Verdict verdict{committed.code(), committed->failedAt(), false, false, committed->results};
        verdict.receiptGone = !committed.ok() && verdict.failedAt + 1 == static_cast<int>(transaction.size());
        co_return verdict;
    } catch (const zk::ConnectionLoss &) {
    }
    co_return std::nullopt;
}

async::Task<Receipts::Verdict> Receipts::commit(zk::Transaction transaction, std::function<void(Abandoned)> abandoned)
{
    InUse slip(*this, std::move(abandoned));
    if (slip->version)
        transaction.set(slip->path, QByteArray(), *slip->version);
    else
        transaction.create(slip->path, QByteArray(), zk::CreateMode::Ephemeral);
    const auto look = [&] { return m_zk->exists(slip->path); };
    for (bool doubtful = false;; doubtful = true) {
        const std::optional<Verdict> said = co_await attempt(transaction);
        if (said && said->ok()) {
            slip.settle(slip.nextVersion());
            co_return *said;
        }
        if (!said || doubtful) {
            co_await m_zk->connected();
            // Without a sync: a server that lags costs another attempt, which the receipt refuses, and which shows it.
            const Answer<zk::Stat> receipt = co_await persist(*m_zk, look);
            if (receipt.ok() && receipt->version != slip->version) {
                slip.settle(receipt->version);
                co_return Verdict();
            }
        }
        if (said) {
            if (!said->receiptGone)
                slip.settle(slip->version);
            Verdict verdict = *said;
            verdict.doubtful = doubtful;
            co_return verdict;
        }
    }
}

} // namespace drover::recipes
