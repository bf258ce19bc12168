#pragma once

#include "recipes/participants.h"
#include "recipes/tenure.h"

namespace drover::recipes {

// What an election gives its winner, who leads until it resigns, is destroyed, or its session ends.
class Leadership : public Tenure
{
public:
    using Tenure::Tenure;

    void resign() { giveUp(); }
};

} // namespace drover::recipes
