#include "zk/request.h"

#include <algorithm>

namespace drover::zk {

namespace {

// Path, data and a fixed part per operation; an ACL entry adds its own.
constexpr qsizetype FixedPart = 32;

// Enough for an entry for each of five roles, also with the longer names of users that older versions gave.
constexpr qsizetype SessionAclSize = 640;

qsizetype sizeOf(const AclList &acl)
{
    if (acl.empty())
        return SessionAclSize;
    qsizetype size = 4;
    for (const Acl &entry : acl)
        size += 12 + entry.scheme.size() + entry.id.size();
    return size;
}

struct SizeOf {
    qsizetype operator()(const CreateRequest &r) const { return sized(r.path, r.data) + sizeOf(r.acl); }
    qsizetype operator()(const SetRequest &r) const { return sized(r.path, r.data); }
    qsizetype operator()(const SetAclRequest &r) const { return sized(r.path) + sizeOf(r.acl); }
    qsizetype operator()(const AddAuthRequest &r) const { return FixedPart + r.scheme.size() + r.credentials.size(); }
    qsizetype operator()(const MultiRequest &r) const
    {
        qsizetype size = FixedPart;
        for (const Transaction::Operation &operation : r.transaction.operations())
            size += std::visit(*this, operation);
        return size;
    }
    qsizetype operator()(const Transaction::Create &o) const { return sized(o.path, o.data) + sizeOf(o.acl); }
    qsizetype operator()(const Transaction::Set &o) const { return sized(o.path, o.data); }
    qsizetype operator()(const auto &r) const { return sized(r.path); }

    static qsizetype sized(const Path &path, const QByteArray &data = {})
    {
        return FixedPart + path.bytes().size() + data.size();
    }
};

struct PathOf {
    Path operator()(const MultiRequest &r) const
    {
        if (r.transaction.empty())
            return {};
        return std::visit([](const auto &operation) { return operation.path; }, r.transaction.operations().front());
    }
    Path operator()(const AddAuthRequest &) const { return {}; }
    Path operator()(const auto &r) const { return r.path; }
};

} // namespace

const char *operationName(const Request &request)
{
    static constexpr const char *Names[] = {"create",     "delete",     "exists",         "get",
                                            "set",        "list",       "sync",           "transaction on",
                                            "get ACL of", "set ACL of", "authenticate at"};
    static_assert(std::size(Names) == std::variant_size_v<Request>);
    return Names[request.index()];
}

Path pathOf(const Request &request)
{
    return std::visit(PathOf{}, request);
}

bool isSendable(const Request &request)
{
    constexpr std::chrono::milliseconds LongestTtl{0xffffffffff};
    if (const auto *create = std::get_if<CreateRequest>(&request))
        return !hasTtl(create->mode) || (create->ttl > std::chrono::milliseconds::zero() && create->ttl <= LongestTtl);
    const auto *multi = std::get_if<MultiRequest>(&request);
    if (!multi)
        return true;
    return std::ranges::none_of(multi->transaction.operations(), [](const Transaction::Operation &operation) {
        const auto *create = std::get_if<Transaction::Create>(&operation);
        return create && (hasTtl(create->mode) || create->mode == CreateMode::Container);
    });
}

qsizetype sizeOf(const Request &request)
{
    return std::visit(SizeOf{}, request);
}

} // namespace drover::zk
