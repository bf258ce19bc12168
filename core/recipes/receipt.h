#pragma once

#include "zk/coordinator.h"

#include <QPointer>

#include <optional>

namespace drover::recipes {

// Somebody deleted our receipt while the reply to a transaction was lost: nobody can say whether it was carried out.
class OutcomeUnknown : public zk::Error
{
public:
    explicit OutcomeUnknown(const zk::Path &receipt);
};

// How the maker of a transaction learns its outcome although the reply was lost: an ephemeral node of its own that each
// of its transactions changes, so that the node's version counts those that were carried out.
//
//     <directory>/<uuid>-<kind>              ephemeral; <directory> is a container, which goes when it is empty
//
//     commit:  send [create receipt,] multi(..., set(receipt, version n))               -- one round trip
//              if the reply was lost: wait for the connection, sync, look at the receipt
//                version n + 1: it was carried out, once
//                version n: it was not, and never will be (requests of a session keep their order): send it again
//              if the receipt was missing: nothing was carried out; make one, send again
//
// It costs one more operation in each transaction, and a round trip only after a loss. One transaction at a time: the
// next commit() after the last one has answered. Owned by whoever writes; its destruction deletes the node.
class Receipt
{
public:
    Receipt(zk::Coordinator &zk, zk::Path directory, QByteArray kind);
    Receipt(const Receipt &) = delete;
    Receipt &operator=(const Receipt &) = delete;
    ~Receipt();

    // Makes the node, if it is not there yet. Sent before this returns. Throws SessionLost, ConnectionLoss.
    async::Task<void> open();

    // Sent before this returns. The answer is that of the transaction without our part of it; it has no results when
    // the reply was lost. Throws SessionLost, OutcomeUnknown, never ConnectionLoss.
    async::Task<zk::Answer<zk::Committed>> commit(zk::Transaction transaction);

    QByteArray name() const { return m_path.name(); }

    // For whoever abandons a commit() that is under way: the node's path and the version that it has if the transaction
    // was or will be carried out. The node is theirs to delete; this receipt goes on with another one.
    struct Abandoned {
        zk::Path path;
        qint32 version = 0;
    };
    Abandoned abandon();

private:
    struct Sent;

    zk::Path newPath() const;
    Sent send(zk::Transaction transaction);
    async::Task<void> finishOpening(std::optional<zk::Reply<zk::Created>> creating);
    async::Task<zk::Answer<zk::Committed>> finish(zk::Transaction transaction, Sent sent);
    async::Task<bool> wasCarriedOut();
    void replace();
    async::Task<void> makeDirectory();

    QPointer<zk::Coordinator> m_zk;
    zk::Path m_directory;
    QByteArray m_kind;
    zk::Path m_path;
    bool m_possible = false; // the node may exist
    bool m_made = false; // it does, or did
    qint32 m_version = 0; // transactions carried out
};

struct Receipt::Sent {
    std::optional<zk::Reply<zk::Created>> creating;
    zk::Reply<zk::Committed> committing;
};

} // namespace drover::recipes
