#pragma once

#include "zk/chroot.h"

namespace drover::recipes {

// Whether an item of `bytes` can be put into a queue's directory, taken, and put back. With names and receipt it must
// fit into one request. Other programs can store slightly larger items.
inline bool fitsIntoRequests(const zk::Path &directory, qsizetype bytes)
{
    constexpr qsizetype OtherParts = 1024 + 4 * zk::Chroot::MaxBytes;
    return bytes + 4 * directory.bytes().size() + OtherParts <= zk::MaxRequestSize;
}

} // namespace drover::recipes
