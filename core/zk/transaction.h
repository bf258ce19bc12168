#pragma once

#include "zk/error.h"
#include "zk/types.h"

#include <variant>

namespace drover::zk {

// What one all-or-nothing multi() does, in order: Transaction().check(a).set(b, data).remove(c). There are no
// reads, containers, TTL nodes or nested transactions here.
class Transaction
{
public:
    struct Create {
        Path path;
        QByteArray data;
        CreateMode mode;
        AclList acl;
    };
    struct Remove {
        Path path;
        qint32 version;
    };
    struct Set {
        Path path;
        QByteArray data;
        qint32 version;
    };
    struct Check {
        Path path;
        qint32 version;
    };
    using Operation = std::variant<Create, Remove, Set, Check>;

    Transaction &create(Path path, QByteArray data, CreateMode mode = CreateMode::Persistent, AclList acl = openAcl())
    {
        m_operations.emplace_back(Create{std::move(path), std::move(data), mode, std::move(acl)});
        return *this;
    }
    Transaction &remove(Path path, qint32 version = AnyVersion)
    {
        m_operations.emplace_back(Remove{std::move(path), version});
        return *this;
    }
    Transaction &set(Path path, QByteArray data, qint32 version = AnyVersion)
    {
        m_operations.emplace_back(Set{std::move(path), std::move(data), version});
        return *this;
    }
    // Passes if the node exists and, unless AnyVersion, has that version.
    Transaction &check(Path path, qint32 version = AnyVersion)
    {
        m_operations.emplace_back(Check{std::move(path), version});
        return *this;
    }

    const std::vector<Operation> &operations() const { return m_operations; }
    bool empty() const { return m_operations.empty(); }
    std::size_t size() const { return m_operations.size(); }

private:
    std::vector<Operation> m_operations;
};

// One entry for each operation. In a transaction that failed exactly one has its own code; those before it read Ok and
// those after it RuntimeInconsistency, and none was carried out.
struct OperationResult {
    Code code = Code::Ok;
    Path path; // of a create, with its sequence number
    Stat stat; // of a set
};

struct Committed {
    std::vector<OperationResult> results;

    // The operation that made the transaction fail, or -1.
    int failedAt() const
    {
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (results[i].code != Code::Ok && results[i].code != Code::RuntimeInconsistency)
                return static_cast<int>(i);
        }
        return -1;
    }
};

} // namespace drover::zk
