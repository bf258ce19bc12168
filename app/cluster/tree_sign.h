#pragma once

#include "recipes/blocks/tree_watch.h"

namespace drover::app {

// The sign of a znode's change for people: + created, - deleted, ~ data changed.
inline QLatin1Char signOf(recipes::TreeWatch::Change::Kind kind)
{
    using Kind = recipes::TreeWatch::Change::Kind;
    return QLatin1Char(kind == Kind::Added ? '+' : kind == Kind::Removed ? '-' : '~');
}

} // namespace drover::app
