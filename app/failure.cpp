#include "app/failure.h"

#include "app/coordination.h"
#include "async/or_timeout.h"
#include "history/error.h"
#include "jobs/batch_creator.h"
#include "jobs/cluster.h"
#include "jobs/cron_expression.h"
#include "workers/files/file_store.h"
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
    } catch (const workers::FileRefused &e) {
        return failure(ExitWrongState, e);
    } catch (const workers::AppendUnsettled &e) {
        return failure(ExitError, e,
                       QStringLiteral("it may be in the file once that can be written: repeat it with the same --key, "
                                      "or look there first"));
    } catch (const workers::InvalidKey &e) {
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
