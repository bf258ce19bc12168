#pragma once

#include "zk/request.h"

namespace drover::test {

// The mutant (FakeSessionOptions::sabotage) whose members of gangs keep their places when their workers have died.
inline void keepGangPlaces(zk::Request &request)
{
    auto *create = std::get_if<zk::CreateRequest>(&request);
    if (create && create->path.parent().parent().name() == "gangs")
        create->mode = zk::CreateMode::Persistent;
}

} // namespace drover::test
