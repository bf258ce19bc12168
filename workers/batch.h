#pragma once

#include "zk/transaction.h"

#include <vector>

namespace drover::workers {

// Several things of a kind in one transaction, as many as a server takes together, and which of them it refused.
class Batch
{
public:
    // Half of what a server takes: a single one, however large it may be, is not to be near the limit either.
    static constexpr qsizetype MaxBytes = 512 * 1024;

    // `head` is about none of them: a master's guard.
    explicit Batch(zk::Transaction head = {});

    // The operations for one more. False, and it is not added, if there is no room; there always is for the first.
    bool add(const zk::Transaction &operations);

    std::size_t count() const { return m_count; }
    const zk::Transaction &transaction() const { return m_transaction; }

    // Which one the operation at this index is for; it is none of the head's.
    std::size_t at(int operation) const { return m_owners[static_cast<std::size_t>(operation)]; }

private:
    zk::Transaction m_transaction;
    std::vector<std::size_t> m_owners; // of each operation
    std::size_t m_count = 0;
    qsizetype m_bytes = 0;
};

} // namespace drover::workers
