#pragma once

#include "zk/coordinator.h"

namespace drover::recipes {

struct ChildNode {
    QByteArray name;
    zk::Node node;
};

// The names of the children of a directory; none of one that does not exist. Waits out lost connections; throws
// SessionLost. `watch`, if given, is on the list of children (an exists watch while there is no directory) and has to
// outlive the task.
async::Task<QByteArrayList> childNames(zk::Coordinator &zk, zk::Path directory, zk::Watch *watch = nullptr);

// The children of a directory with their data, in the order in which a listing gave them: two round trips. Those that
// vanish in between are left out. All else as above.
async::Task<std::vector<ChildNode>> childNodes(zk::Coordinator &zk, zk::Path directory, zk::Watch *watch = nullptr);

} // namespace drover::recipes
