#pragma once

#include "recipes/tenure.h"

namespace drover::recipes {

// What an election gives its winner, who leads until it resigns, is destroyed, or its session ends.
class Leadership : public Tenure
{
public:
    using Tenure::Tenure;

    void resign() { giveUp(); }
};

// One who stands in an election or leads, as others see it.
struct Participant {
    QByteArray id;
    Fence fence;
};

// Who holds the one node of an election, if anybody: its data and what it can be recognised by. Throws SessionLost.
async::Task<std::optional<Participant>> holderOf(zk::Coordinator &zk, zk::Path path);

} // namespace drover::recipes
