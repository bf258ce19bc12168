#pragma once

#include "zk/client.h"

namespace drover::recipes {

struct ChildNode {
    QByteArray name;
    zk::Node node;
};

// The names of a directory's children; an empty list if the directory does not exist. Waits out lost connections;
// throws SessionLost. `watch` is set on the list of children, or as an exists watch on a missing directory. It must
// outlive the task.
async::Task<QByteArrayList> childNames(zk::Client &zk, zk::Path directory, zk::Watch *watch = nullptr);

// The children of a directory with their data, in the order of the listing: two round trips. A child that is deleted
// between the two is left out. Errors and `watch` as for childNames().
async::Task<std::vector<ChildNode>> childNodes(zk::Client &zk, zk::Path directory, zk::Watch *watch = nullptr);

} // namespace drover::recipes
