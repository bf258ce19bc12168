#pragma once

#include "jobs/model/queue_entry.h"
#include "zk/request.h"

namespace drover::test {

// The mutant (FakeSessionOptions::sabotage) whose masters go on from whatever progress of an array they know.
inline void forgetArrayVersions(zk::Request &request)
{
    using zk::Transaction;
    auto *multi = std::get_if<zk::MultiRequest>(&request);
    if (!multi)
        return;
    Transaction blind;
    for (const Transaction::Operation &operation : multi->transaction.operations()) {
        if (const auto *create = std::get_if<Transaction::Create>(&operation))
            blind.create(create->path, create->data, create->mode, create->acl);
        else if (const auto *remove = std::get_if<Transaction::Remove>(&operation))
            blind.remove(remove->path, remove->version);
        else if (const auto *check = std::get_if<Transaction::Check>(&operation))
            blind.check(check->path, check->version);
        else if (const auto *set = std::get_if<Transaction::Set>(&operation)) {
            const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(set->path.name());
            const bool isArray = entry && entry->jobClass == jobs::QueueEntry::Class::Array;
            blind.set(set->path, set->data, isArray ? zk::AnyVersion : set->version);
        }
    }
    multi->transaction = blind;
}

} // namespace drover::test
