#pragma once

#include "zk/coordinator.h"

#include <QPointer>

namespace drover::recipes {

// Carries transactions out once, although replies are lost. A write by version whose reply is lost cannot be told from
// the same write of somebody else by looking at the node: both leave version + 1, and two adds of one leave the same
// bytes. So each transaction also touches a node that nobody else writes:
//
//     <directory>/_r_<uuid>            ephemeral, empty; made by the first transaction itself, in the same round trip
//
//     commit: send the transaction, with set(receipt, its version) as its last step (create(receipt) the first time)
//             if the reply was lost: wait for the connection, sync, look at the receipt
//                 its version has moved: it was carried out
//                 it has not:            it was not; send it again
//             if one that was sent again is refused: look once more, for the first may only have been slow; the
//             version of the receipt keeps the two from being carried out both
//
// No unknown outcome is left but one: SessionLost, after which the transaction may or may not have been carried out
// (its receipt goes with the session). A commit() that is cancelled has an unknown outcome too; its receipt is thrown
// away, or handed to whoever wants to undo the transaction.
//
// Several may be under way at once, each with a receipt of its own; the receipts are used again and deleted with this
// object, which therefore outlives its commits. `directory` has to be a persistent node that exists at the end of the
// transaction; as long as somebody writes it has children, so it is deleted by who deletes these first. That is told:
// see Verdict::receiptGone. The version of a receipt is only compared for difference and may overflow.
class Receipts
{
public:
    struct Verdict {
        zk::Code code = zk::Code::Ok; // or NoNode, BadVersion, NodeExists, NotEmpty: refused, nothing was done
        int failedAt = -1; // the operation that was refused
        bool receiptGone =
            false; // refused, because somebody has deleted or written the receipt: another one is used next
        // It was sent before, and that had no answer. Refused, it has not been carried out, unless `receiptGone`: what
        // would have told has been deleted then, and the outcome is unknown.
        bool doubtful = false;
        std::vector<zk::OperationResult> results{}; // empty: carried out, but the reply was lost

        bool ok() const { return code == zk::Code::Ok; }
    };

    // The receipt of a commit() that has ended without a Verdict: it exists at this version if the transaction was, or
    // will be, carried out, and not at this version otherwise. Deleting it at this version in the same transaction as
    // what undoes the other makes that happen once, and only if there is something to undo.
    struct Abandoned {
        zk::Path path;
        qint32 version = 0;
    };

    Receipts(zk::Coordinator &zk, zk::Path directory) : m_zk(&zk), m_directory(std::move(directory)) { }
    Receipts(const Receipts &) = delete;
    Receipts &operator=(const Receipts &) = delete;
    ~Receipts();

    // Throws SessionLost; UnexpectedAnswer if the directory is ephemeral. When it ends without a Verdict while the
    // Coordinator is there, `abandoned` is called with the receipt, which is then the callee's to delete.
    async::Task<Verdict> commit(zk::Transaction transaction, std::function<void(Abandoned)> abandoned = {});

    // The session ends soon: its receipts go with it, and are not deleted one by one before.
    void leaveToSession() { m_leavesToSession = true; }

    // Whether a child of the directory is a receipt, of anybody.
    static bool isReceipt(const QByteArray &name) { return name.startsWith("_r_"); }

private:
    struct Slip {
        zk::Path path;
        std::optional<qint32> version; // none: not made yet
    };
    class InUse;

    Slip takeSlip();
    async::Task<std::optional<Verdict>> attempt(const zk::Transaction &transaction);

    QPointer<zk::Coordinator> m_zk;
    zk::Path m_directory;
    std::vector<Slip> m_slips; // not in use
    bool m_leavesToSession = false;
};

} // namespace drover::recipes
