#pragma once

#include "zk/error.h"
#include "zk/types.h"

#include <functional>
#include <optional>
#include <variant>

namespace drover::zk {

// The operations of one atomic multi(), in order: Transaction().check(a).set(b, data).remove(c). It supports no reads,
// containers, TTL nodes or nested transactions.
class Transaction
{
public:
    struct Create {
        Path path;
        QByteArray data;
        CreateMode mode;
        AclList acl; // empty: the session's
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

    Transaction &create(Path path, QByteArray data, CreateMode mode = CreateMode::Persistent, AclList acl = AclList())
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

    // Appends all operations of `other`.
    Transaction &append(const Transaction &other)
    {
        m_operations.insert(m_operations.end(), other.m_operations.begin(), other.m_operations.end());
        return *this;
    }

    // Gives those nodes an ACL that have none.
    void completeAcls(const AclOfPath &aclOf)
    {
        for (Operation &operation : m_operations) {
            auto *const create = std::get_if<Create>(&operation);
            if (create && create->acl.empty())
                create->acl = aclOf(create->path);
        }
    }

    // Changes the path of each operation.
    void mapPaths(const std::function<Path(const Path &)> &change)
    {
        for (Operation &operation : m_operations)
            std::visit([&](auto &one) { one.path = change(one.path); }, operation);
    }

    const std::vector<Operation> &operations() const { return m_operations; }
    bool empty() const { return m_operations.empty(); }
    std::size_t size() const { return m_operations.size(); }

private:
    std::vector<Operation> m_operations;
};

// The result of one operation in a transaction. A failed transaction carries out no operation: the results before the
// refused operation are Ok, and the results after it RuntimeInconsistency.
struct OperationResult {
    Code code = Code::Ok;
    Path path; // a create's path, with the sequence number
    Stat stat; // a set's new metadata
};

struct Committed {
    std::vector<OperationResult> results;

    // The index of the operation that the server refused. Nothing if the transaction was carried out, or refused as a
    // whole.
    std::optional<std::size_t> refusedAt() const
    {
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (results[i].code != Code::Ok && results[i].code != Code::RuntimeInconsistency)
                return i;
        }
        return std::nullopt;
    }
};

} // namespace drover::zk
