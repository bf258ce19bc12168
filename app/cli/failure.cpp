#include "app/cli/failure.h"

#include "async/or_timeout.h"
#include "files/file_store.h"
#include "history/error.h"
#include "jobs/client/batch_creator.h"
#include "jobs/cluster/cluster_config.h"
#include "jobs/schedules/cron_expression.h"
#include "recipes/blocks/node_kind.h"
#include "trust/errors.h"
#include "zk/error.h"

namespace drover::app {

namespace {

Failure failure(Exit code, const std::exception &error, const QString &advice = {})
{
    QString message = QString::fromUtf8(error.what()).simplified();
    if (!advice.isEmpty())
        message += QStringLiteral("; ") + advice;
    return {code, message};
}

QString lookFirst(const QString &check)
{
    return QStringLiteral("look before you repeat it: %1")
        .arg(check.isEmpty() ? QStringLiteral("drover ls --all") : check);
}

// What may have been carried out is not to be repeated unseen.
QString adviceAfterLoss(const QString &check)
{
    if (check.isEmpty())
        return QStringLiteral("run the command again once ZooKeeper answers");
    return QStringLiteral("it may have been carried out or not; ") + lookFirst(check);
}

// What to do about a znode that is in use by another recipe: which option, or which command, speaks its layout.
QString adviceOn(const recipes::OtherLayout &other)
{
    using Kind = recipes::NodeKind;
    const auto with = [&](const char *advice) {
        return QString::fromLatin1(advice).arg(QStringLiteral("--path ") + other.directory().toString());
    };
    switch (other.kind()) {
    case Kind::Mutex:
    case Kind::WriteLock:
        return with("nothing was done: drover lock %1 without --write and --shared stands in the same line");
    case Kind::KazooLock:
        return with("nothing was done: drover lock %1 without --write and --shared waits for it, and kazoo waits for "
                    "that lock if it has extra_lock_patterns=[\"-lock-\"]");
    case Kind::ReadWriteLock:
        return with("nothing was done: drover lock %1 with --write or --shared stands in the same line");
    case Kind::Latch:
        return with("nothing was done: drover elect %1 takes part in that election");
    case Kind::Semaphore:
        return with("nothing was done: drover semaphore %1 shares it");
    case Kind::Barrier:
        return with("nothing was done: drover double-barrier %1 shares it");
    case Kind::Party:
        return with("nothing was done: drover group %1 with --party shares it");
    case Kind::Queue:
        return with("nothing was done: drover queue %1 shares it");
    case Kind::KazooReadLock:
    case Kind::KazooSemaphore:
    case Kind::CuratorQueue:
    case Kind::KazooQueue:
    case Kind::Other:
        break;
    }
    return QStringLiteral("nothing was done: use another znode, for no command of drover shares this one with it");
}

} // namespace

Failure explain(const std::exception_ptr &error, const QString &check)
{
    try {
        std::rethrow_exception(error);
    } catch (const CommandError &e) {
        return failure(e.code(), e);
    } catch (const jobs::NotFound &e) {
        return failure(ExitNotFound, e);
    } catch (const jobs::WrongState &e) {
        return failure(ExitWrongState, e);
    } catch (const files::FileRefused &e) {
        return failure(ExitWrongState, e);
    } catch (const files::AppendUnsettled &e) {
        return failure(ExitError, e,
                       QStringLiteral("it may be in the file once that can be written: repeat it with the same --key, "
                                      "or look there first"));
    } catch (const files::InvalidKey &e) {
        return failure(ExitUsage, e);
    } catch (const jobs::QueueFull &e) {
        return failure(ExitNoRoom, e);
    } catch (const jobs::InvalidSchedule &e) {
        return failure(ExitUsage, e);
    } catch (const jobs::SpecTooLarge &e) {
        return failure(ExitUsage, e);
    } catch (const history::InvalidLocation &e) {
        return failure(ExitUsage, e);
    } catch (const history::NoHistory &e) {
        return failure(ExitNotFound, e);
    } catch (const recipes::OtherLayout &e) {
        return failure(ExitUsage, e, adviceOn(e));
    } catch (const zk::InvalidPath &e) {
        return failure(ExitUsage, e);
    } catch (const zk::AccessDenied &e) {
        return failure(ExitDenied, e);
    } catch (const trust::Untrusted &e) {
        return failure(ExitDenied, e);
    } catch (const zk::ConnectionLoss &e) {
        return failure(ExitUnreachable, e, adviceAfterLoss(check));
    } catch (const zk::SessionLost &e) {
        return failure(ExitUnreachable, e, adviceAfterLoss(check));
    } catch (const jobs::SubmittedOrNot &e) {
        return failure(ExitUnreachable, e, lookFirst(check));
    } catch (const async::Timeout &e) {
        return failure(ExitTimeout, e);
    } catch (const std::exception &e) {
        return failure(ExitError, e);
    } catch (...) {
        return {ExitError, QStringLiteral("an unknown error occurred")};
    }
}

} // namespace drover::app
