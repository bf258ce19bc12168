#include "zk/transaction_batch.h"

#include "zk/request.h"

namespace drover::zk {

namespace {

struct AppendTo {
    Transaction &transaction;

    void operator()(const Transaction::Create &o) const { transaction.create(o.path, o.data, o.mode, o.acl); }
    void operator()(const Transaction::Remove &o) const { transaction.remove(o.path, o.version); }
    void operator()(const Transaction::Set &o) const { transaction.set(o.path, o.data, o.version); }
    void operator()(const Transaction::Check &o) const { transaction.check(o.path, o.version); }
};

} // namespace

TransactionBatch::TransactionBatch(Transaction head) : m_transaction(std::move(head)), m_owners(m_transaction.size(), 0)
{
}

bool TransactionBatch::add(const Transaction &operations)
{
    const qsizetype bytes = sizeOf(MultiRequest{operations});
    if (m_count > 0 && m_bytes + bytes > MaxBytes)
        return false;
    for (const Transaction::Operation &operation : operations.operations())
        std::visit(AppendTo{m_transaction}, operation);
    m_owners.resize(m_transaction.size(), m_count);
    ++m_count;
    m_bytes += bytes;
    return true;
}

} // namespace drover::zk
