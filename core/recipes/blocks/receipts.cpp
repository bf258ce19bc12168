#include "recipes/blocks/receipts.h"

#include "recipes/blocks/persistent.h"

namespace drover::recipes {

using zk::Answer;
using zk::Code;

// A receipt while its transaction is under way: handed on or thrown away, unless the outcome becomes known.
class Receipts::InUse
{
public:
    InUse(Receipts &owner, std::function<void(InDoubt)> onDoubt)
        : m_owner(owner), m_receipt(owner.takeReceipt()), m_onDoubt(std::move(onDoubt))
    {
    }
    InUse(const InUse &) = delete;
    InUse &operator=(const InUse &) = delete;
    ~InUse()
    {
        if (m_isBack || !m_owner.m_zk)
            return;
        if (m_onDoubt)
            m_onDoubt({m_receipt.path, nextVersion()});
        else
            m_owner.m_zk->discard(m_receipt.path);
    }

    const Receipt &operator*() const { return m_receipt; }
    const Receipt *operator->() const { return &m_receipt; }
    qint32 nextVersion() const // once the transaction has been carried out
    {
        return m_receipt.version ? static_cast<qint32>(static_cast<quint32>(*m_receipt.version) + 1) : 0;
    }

    void putBack(std::optional<qint32> version)
    {
        m_isBack = true;
        m_receipt.version = version;
        m_owner.m_unused.push_back(m_receipt);
    }

private:
    Receipts &m_owner;
    Receipt m_receipt;
    std::function<void(InDoubt)> m_onDoubt;
    bool m_isBack = false;
};

Receipts::~Receipts()
{
    for (const Receipt &receipt : m_unused) {
        if (m_zk && receipt.version && !m_leavesToSession)
            m_zk->discard(receipt.path);
    }
}

Receipts::Receipt Receipts::takeReceipt()
{
    if (m_unused.empty())
        return {m_directory / ("_r_" + m_zk->loop().makeUuid().toByteArray(QUuid::WithoutBraces)), std::nullopt};
    Receipt receipt = m_unused.back();
    m_unused.pop_back();
    return receipt;
}

// Nothing: the reply was lost.
async::Task<std::optional<Receipts::Result>> Receipts::sendOnce(const zk::Transaction &transaction)
{
    try {
        const Answer<zk::Committed> committed = co_await m_zk->commit(transaction);
        if (!committed.ok() && committed.is(Code::NoChildrenForEphemerals))
            committed.require();
        Result result{committed.code(), committed->refusedAt(), false, false, committed->results};
        result.receiptGone = result.refusedAt == transaction.size() - 1;
        co_return result;
    } catch (const zk::ConnectionLoss &) {
    }
    co_return std::nullopt;
}

async::Task<Receipts::Result> Receipts::commit(zk::Transaction transaction, std::function<void(InDoubt)> onDoubt)
{
    InUse receipt(*this, std::move(onDoubt));
    if (receipt->version)
        transaction.set(receipt->path, QByteArray(), *receipt->version);
    else
        transaction.create(receipt->path, QByteArray(), zk::CreateMode::Ephemeral);
    for (bool replyWasLost = false;; replyWasLost = true) {
        const std::optional<Result> said = co_await sendOnce(transaction);
        if (said && said->ok()) {
            receipt.putBack(receipt.nextVersion());
            co_return *said;
        }
        if (!said || replyWasLost) {
            co_await m_zk->connected();
            // Without a sync: a server that lags costs another try, which the receipt refuses, and which shows it.
            const Answer<zk::Stat> node = co_await Persistent(*m_zk).exists(receipt->path);
            if (node.ok() && node->version != receipt->version) {
                receipt.putBack(node->version);
                co_return Result();
            }
        }
        if (said) {
            if (!said->receiptGone)
                receipt.putBack(receipt->version);
            Result result = *said;
            result.replyWasLost = replyWasLost;
            co_return result;
        }
    }
}

async::Task<void> ensureSideDirectory(zk::Client &zk, zk::Path directory)
{
    for (;;) {
        const Answer<zk::Created> created =
            co_await Persistent(zk).create(directory, QByteArray(), zk::CreateMode::Container);
        if (created.ok() || created.is(Code::NodeExists))
            co_return;
        created.requireUnless(Code::NoNode);
        co_await zk.ensurePath(directory.parent());
    }
}

} // namespace drover::recipes
