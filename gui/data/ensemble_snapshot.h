#pragma once

#include "zk/ensemble/ensemble.h"

#include <QMetaType>

namespace drover::gui {

// What the servers of the connection say of themselves.
struct EnsembleSnapshot {
    static constexpr std::chrono::seconds Interval{3}; // from one question to the next

    std::vector<zk::ServerReport> servers; // in the order of the connect string; empty: nothing is known
    zk::Majority majority;
};

} // namespace drover::gui
