#pragma once

#include "recipes/receipts.h"

#include <functional>

namespace drover::recipes {

// A node has come to data version -1, which in a request means "any": nothing can be written there under a condition.
class VersionUnusable : public zk::Error
{
public:
    explicit VersionUnusable(const zk::Path &path);
};

// Data that several processes read and write (Curator's SharedValue).
//
//     <path>                    persistent, data = the value; its version counts the writes
//         _r_<uuid>             ephemeral, while somebody writes through a Value: see Receipts
//
//     get:   read, after a sync in the same round trip
//     set:   write whatever is there; create the node and its parents if they are missing
//     setIf: write if nobody has since that version; nothing is written otherwise     -- one round trip each
//     watch: read with a watch, again after each event
//
// Lost reply: each write is carried out exactly once and reported as it went (Receipts). Suspended: calls wait.
// Expired: SessionLost, and a write under way may or may not have been carried out; the value stays. Cancelled: the
// same, and no node is left. Parent deleted: set() makes it anew, setIf() refuses. Node deleted and made again:
// versions count from zero again, so setIf(0) may meet another node's 0; one that has written before notices by its
// receipt and refuses. setIf(nothing) asks only that there is no node, whoever has written before. Version overflow:
// after 2^31 - 1 comes -2^31, which is as good as any other but for -1, when nothing but set() is possible. Our own
// writes skip it: who writes version -2 under a condition writes twice in one transaction. (Servers since
// ZOOKEEPER-4743 skip it themselves.) Writers without that care can get there: VersionUnusable.
//
// There is no cache here and so none to be out of date. Replies of one session never go back in time; a copy that does
// not over several sessions either is TreeWatch(path, 0).
class Value
{
public:
    Value(zk::Coordinator &zk, zk::Path path) : m_zk(zk), m_path(path), m_receipts(zk, path) { }

    const zk::Path &path() const { return m_path; }
    zk::Coordinator &coordinator() const { return m_zk; }

    // All throw SessionLost.
    // As it is when we ask, also if our server lags behind. Nothing: there is no node.
    async::Task<std::optional<zk::Node>> get();
    // Returns the version that it made, or nothing if that cannot be known any more: the reply was lost.
    async::Task<std::optional<qint32>> set(QByteArray data);

    // `version` as get() found it, nothing if it found none. Returns the new version, or nothing if it was refused.
    // Throws VersionUnusable.
    async::Task<std::optional<qint32>> setIf(std::optional<qint32> version, QByteArray data);

    // Calls `onChange` now and after every change, nullptr while there is no node; see followData().
    async::Task<void> watch(std::function<void(const zk::Node *)> onChange);

private:
    zk::Coordinator &m_zk;
    zk::Path m_path;
    Receipts m_receipts;
};

} // namespace drover::recipes
