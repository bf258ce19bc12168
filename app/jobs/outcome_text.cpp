#include "app/jobs/outcome_text.h"

#include <cstring>

namespace drover::app {

QString outcomeText(const jobs::FinalRecord &record)
{
    using Outcome = jobs::FinalRecord::Outcome;
    const QString reason = record.reason.isEmpty() ? QString() : QStringLiteral(": ") + record.reason;
    switch (record.outcome) {
    case Outcome::Exited:
        return reason.isEmpty() ? QString()
                                : QStringLiteral("has ended with exit code %1%2").arg(record.code).arg(reason);
    case Outcome::Signalled:
        return QStringLiteral("was ended by signal %1 (%2)%3")
            .arg(record.signal)
            .arg(QString::fromLocal8Bit(::strsignal(record.signal)), reason);
    case Outcome::TimedOut:
        return QStringLiteral("was ended by its time limit") + reason;
    case Outcome::NotStarted:
        return QStringLiteral("could not be started") + reason;
    case Outcome::Cancelled:
        return QStringLiteral("was cancelled") + reason;
    case Outcome::GaveUp:
        return QStringLiteral("was given up") + reason;
    case Outcome::Malformed:
        return QStringLiteral("could not be read") + reason;
    case Outcome::Refused:
        return QStringLiteral("was refused") + reason;
    }
    return {};
}

} // namespace drover::app
