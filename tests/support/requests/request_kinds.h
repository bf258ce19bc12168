#pragma once

#include "zk/request.h"

namespace drover::test {

inline bool isWrite(const zk::Request &request)
{
    return std::holds_alternative<zk::CreateRequest>(request) || std::holds_alternative<zk::RemoveRequest>(request)
        || std::holds_alternative<zk::SetRequest>(request) || std::holds_alternative<zk::MultiRequest>(request)
        || std::holds_alternative<zk::SetAclRequest>(request);
}

constexpr bool isSequential(zk::CreateMode mode)
{
    return mode == zk::CreateMode::PersistentSequential || mode == zk::CreateMode::EphemeralSequential
        || mode == zk::CreateMode::TtlSequential;
}

constexpr bool isEphemeral(zk::CreateMode mode)
{
    return mode == zk::CreateMode::Ephemeral || mode == zk::CreateMode::EphemeralSequential;
}

} // namespace drover::test
