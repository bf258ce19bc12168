#pragma once

#include "zk/request.h"

namespace drover::test {

// The broken variant (FakeSessionOptions::sabotage): no transaction checks anything any more.
inline void stripFences(zk::Request &request)
{
    auto *multi = std::get_if<zk::MultiRequest>(&request);
    if (!multi)
        return;
    zk::Transaction bare;
    for (const zk::Transaction::Operation &operation : multi->transaction.operations()) {
        if (const auto *create = std::get_if<zk::Transaction::Create>(&operation))
            bare.create(create->path, create->data, create->mode, create->acl);
        else if (const auto *remove = std::get_if<zk::Transaction::Remove>(&operation))
            bare.remove(remove->path);
        else if (const auto *set = std::get_if<zk::Transaction::Set>(&operation))
            bare.set(set->path, set->data);
    }
    multi->transaction = bare;
}

} // namespace drover::test
