#pragma once

#include "recipes/tree_watch.h"

namespace drover::app {

// How a change of a znode is shown to people: + it came, - it went, ~ its data changed.
inline QLatin1Char signOf(recipes::TreeWatch::Change::Kind kind)
{
    using Kind = recipes::TreeWatch::Change::Kind;
    return QLatin1Char(kind == Kind::Added ? '+' : kind == Kind::Removed ? '-' : '~');
}

} // namespace drover::app
