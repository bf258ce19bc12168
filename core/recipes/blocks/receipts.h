#pragma once

#include "zk/client.h"

#include <QPointer>

namespace drover::recipes {

// Carries out each transaction exactly once, even if replies are lost. If the reply to a write by version is lost, the
// node does not show whose write it was. Our write and another session's both leave version + 1, and two adds of 1
// leave equal bytes. So each transaction also writes a node that no other session writes:
//
//     <directory>/_r_<uuid>            ephemeral, empty; made by the first transaction itself, in the same round trip
//
//     commit: send the transaction, with set(receipt, its version) as its last step (create(receipt) the first time)
//             if the reply was lost: wait for the connection, look at the receipt
//                 its version has moved: it was carried out
//                 it has not:            it was not; send it again
//             if a repeated transaction is refused: look once more, because the first one may have been slow; the
//             receipt's version lets only one of the two succeed
//
// The outcome stays unknown in two cases. After SessionLost the transaction may have been carried out; its receipt is
// deleted with the session. A commit() that is cancelled may also have been carried out. Its receipt is deleted, or
// handed to a caller that wants to undo the transaction.
//
// Several commits may be in progress, each with its own receipt. Receipts are reused and are deleted with this object,
// so it must outlive its commits. `directory` must be a persistent node that exists at the end of the transaction. It
// has children while a writer lives, so a program that deletes the directory deletes the receipts first;
// Result::receiptGone reports that. Versions of a receipt are only compared for equality, so they may overflow.
class Receipts
{
public:
    struct Result {
        // Ok, or why the server refused the transaction: NoNode, BadVersion, NodeExists, NotEmpty. Then nothing was
        // done.
        zk::Code code = zk::Code::Ok;
        std::optional<std::size_t> refusedAt = std::nullopt; // index of the refused operation
        // True if it was refused because another program deleted or wrote the receipt. The next commit uses a new
        // receipt.
        bool receiptGone = false;
        // True if an earlier try had no answer. If it is refused now, neither try was carried out. But with
        // `receiptGone` the evidence is deleted, and the outcome is unknown.
        bool replyWasLost = false;
        std::vector<zk::OperationResult> results{}; // empty if Ok, but the reply was lost

        bool ok() const { return code == zk::Code::Ok; }
    };

    // The receipt of a commit() that ended without a Result. It exists at this version if, and only if, the transaction
    // was or will be carried out. To undo the transaction, delete the receipt at this version together with the undoing
    // operations. They are then carried out once, and only if there is something to undo.
    struct InDoubt {
        zk::Path path;
        qint32 version = 0;
    };

    Receipts(zk::Client &zk, zk::Path directory) : m_zk(&zk), m_directory(std::move(directory)) { }
    Receipts(const Receipts &) = delete;
    Receipts &operator=(const Receipts &) = delete;
    ~Receipts();

    // Throws SessionLost, and UnexpectedAnswer if the directory is ephemeral. If it ends without a Result while the
    // Client exists, it calls `onDoubt` with the receipt. The callee must then delete the receipt.
    async::Task<Result> commit(zk::Transaction transaction, std::function<void(InDoubt)> onDoubt = {});

    // Call it if the session ends soon: the receipts are then deleted with the session, not one by one.
    void leaveToSession() { m_leavesToSession = true; }

    // Whether a child of the directory is a receipt of any session.
    static bool isReceipt(const QByteArray &name) { return name.startsWith("_r_"); }

private:
    struct Receipt {
        zk::Path path;
        std::optional<qint32> version; // not set: not created yet
    };
    class InUse;

    Receipt takeReceipt();
    async::Task<std::optional<Result>> sendOnce(const zk::Transaction &transaction);

    QPointer<zk::Client> m_zk;
    zk::Path m_directory;
    std::vector<Receipt> m_unused; // free for the next commit
    bool m_leavesToSession = false;
};

// Creates a directory for ephemeral nodes beside a directory that other programs read. It is a container, so the server
// deletes it some time after its last child. Waits out lost connections; throws SessionLost.
async::Task<void> ensureSideDirectory(zk::Client &zk, zk::Path directory);

} // namespace drover::recipes
