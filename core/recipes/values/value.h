#pragma once

#include "recipes/blocks/receipts.h"

#include <functional>

namespace drover::recipes {

// The node's data has version -1, which means "any version" in a request: conditional writes are impossible.
class VersionUnusable : public zk::Error
{
public:
    explicit VersionUnusable(const zk::Path &path);
};

// Data that several processes read and write (Curator's SharedValue).
//
//     <path>                    persistent, data = the value; its version counts the writes
//         _r_<uuid>             ephemeral, while a Value writes: see Receipts
//
//     get:   sync and read, in one round trip
//     set:   write unconditionally; create the node and its parents if they are missing
//     setIf: write if the node still has that version                             -- one round trip each
//     watch: read with a watch, again after each event
//
// Lost reply: each write is carried out exactly once, and its true outcome is returned (Receipts). Suspended: calls
// wait. Expired: SessionLost; a pending write may have been carried out, and the value stays. Cancelled: a pending
// write may have been carried out; no extra node is left. Parent deleted: set() creates it again, setIf() refuses.
//
// Node deleted and created again: versions count from zero again, so setIf(0) may write to a different node. A Value
// that has written before notices this by its receipt, and refuses. setIf(nothing) only requires that the node does not
// exist.
//
// Version overflow: after 2^31 - 1 comes -2^31, a valid version. At version -1 only set() is possible. Conditional
// writes of a Value skip it: at version -2 they write twice in one transaction. (Servers since ZOOKEEPER-4743 skip -1
// themselves.) Other writers can reach it; then setIf() throws VersionUnusable.
//
// There is no cache. Replies of one session never go back in time. For a copy that does not go back over several
// sessions, use TreeWatch(path, 0).
class Value
{
public:
    Value(zk::Client &zk, zk::Path path) : m_zk(zk), m_path(path), m_receipts(zk, path) { }

    const zk::Path &path() const { return m_path; }
    zk::Client &client() const { return m_zk; }

    // All throw SessionLost.
    // Reads the value at the time of the call, even if the session's server lags. Returns nothing if the node does not
    // exist.
    async::Task<std::optional<zk::Node>> get();
    // Returns the new version, or nothing if the reply was lost, so that the version is unknown.
    async::Task<std::optional<qint32>> set(QByteArray data);

    // `version` is the version that get() returned, or nothing if get() found no node. Returns the new version, or
    // nothing if the write was refused. Throws VersionUnusable.
    async::Task<std::optional<qint32>> setIf(std::optional<qint32> version, QByteArray data);

    // Calls `onChange` now and after every change, with nullptr while the node does not exist; see followData().
    async::Task<void> watch(std::function<void(const zk::Node *)> onChange);

private:
    zk::Client &m_zk;
    zk::Path m_path;
    Receipts m_receipts;
};

} // namespace drover::recipes
