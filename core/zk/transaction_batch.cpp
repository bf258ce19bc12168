#include "zk/transaction_batch.h"

#include "zk/request.h"

namespace drover::zk {

TransactionBatch::TransactionBatch(Transaction head) : m_transaction(std::move(head)), m_owners(m_transaction.size(), 0)
{
}

bool TransactionBatch::add(const Transaction &operations)
{
    const qsizetype bytes = sizeOf(MultiRequest{operations});
    if (m_count > 0 && m_bytes + bytes > MaxBytes)
        return false;
    m_transaction.append(operations);
    m_owners.resize(m_transaction.size(), m_count);
    ++m_count;
    m_bytes += bytes;
    return true;
}

} // namespace drover::zk
