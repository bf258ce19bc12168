#include "app/failure.h"

#include "app/coordination.h"
#include "async/or_timeout.h"
#include "history/error.h"
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

} // namespace

Failure explain(const std::exception_ptr &error)
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
        return failure(ExitUnreachable, e,
                       QStringLiteral("it may have been carried out or not: look before repeating"));
    } catch (const zk::SessionLost &e) {
        return failure(ExitUnreachable, e, QStringLiteral("run the command again once ZooKeeper answers"));
    } catch (const async::Timeout &e) {
        return failure(ExitTimeout, e);
    } catch (const std::exception &e) {
        return failure(ExitError, e);
    } catch (...) {
        return {ExitError, QStringLiteral("an unknown error occurred")};
    }
}

} // namespace drover::app
