#pragma once

#include "zk/transaction.h"

#include <vector>

namespace drover::zk {

// Collects the operations for several items in one transaction, as many as a server accepts, and tells which item a
// refused operation belongs to.
class TransactionBatch
{
public:
    // Half of a server's limit, so that a batch plus one large item stays below it.
    static constexpr qsizetype MaxBytes = 512 * 1024;

    // `head` belongs to no item: the guard of a master.
    explicit TransactionBatch(Transaction head = {});

    // Adds the operations of one more item. Returns false, and adds nothing, if there is no room. The first item always
    // fits.
    bool add(const Transaction &operations);

    std::size_t count() const { return m_count; }
    const Transaction &transaction() const { return m_transaction; }

    // The item to which the operation at this index belongs. The index must not be one of the head's.
    std::size_t at(std::size_t operation) const { return m_owners[operation]; }

private:
    Transaction m_transaction;
    std::vector<std::size_t> m_owners; // the item of each operation
    std::size_t m_count = 0;
    qsizetype m_bytes = 0;
};

} // namespace drover::zk
