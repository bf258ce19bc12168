#include "history/order.h"

#include "history/dialect.h"

namespace drover::history {

namespace {

// In the order of Order::By.
const QStringList Names{QStringLiteral("ended"), QStringLiteral("id"),        QStringLiteral("name"),
                        QStringLiteral("state"), QStringLiteral("worker"),    QStringLiteral("submitter"),
                        QStringLiteral("ran"),   QStringLiteral("cpu"),       QStringLiteral("peak"),
                        QStringLiteral("exit"),  QStringLiteral("submitted"), QStringLiteral("started")};

// As FinalRecord::exitCode().
QString exitCode(const Dialect &dialect)
{
    return QStringLiteral("(CASE WHEN outcome IN ('exited', 'not-started') THEN %1 WHEN outcome = 'timed-out' THEN 124 "
                          "WHEN outcome IN ('signalled', 'cancelled') AND (outcome = 'signalled' OR %2 > 0) "
                          "THEN 128 + %2 ELSE 125 END)")
        .arg(dialect.recordNumber.arg(QStringLiteral("code")), dialect.recordNumber.arg(QStringLiteral("signal")));
}

} // namespace

std::optional<Order> Order::parse(const QString &text)
{
    const QString direction = text.section(u':', 1);
    const qsizetype name = Names.indexOf(text.section(u':', 0, 0));
    const bool descends = direction == u"desc";
    if (name < 0 || (text.contains(u':') && !descends && direction != u"asc"))
        return std::nullopt;
    return Order{static_cast<By>(name), descends};
}

QStringList Order::columns(const Dialect &dialect) const
{
    const auto then = [](const QString &first) {
        return QStringList{first, QStringLiteral("ended_ms"), QStringLiteral("seq")};
    };
    switch (by) {
    case By::Ended:
        break;
    case By::Id:
        return {QStringLiteral("queue"), QStringLiteral("number"), QStringLiteral("task"), QStringLiteral("seq")};
    case By::Name:
    case By::Worker:
        return then(dialect.textKey.arg(Names[static_cast<qsizetype>(by)]));
    case By::State:
    case By::Submitter:
        return then(Names[static_cast<qsizetype>(by)]);
    case By::Ran:
        return then(QStringLiteral("wall_ms"));
    case By::Cpu:
        return then(QStringLiteral("cpu_ms"));
    case By::Peak:
        return then(QStringLiteral("peak_bytes"));
    case By::Exit:
        return then(exitCode(dialect));
    case By::Submitted:
    case By::Started:
        return then(dialect.recordNumber.arg(Names[static_cast<qsizetype>(by)] + QStringLiteral("_ms")));
    }
    return {QStringLiteral("ended_ms"), QStringLiteral("seq")};
}

QString Order::sql(const Dialect &dialect) const
{
    const QString direction = descending ? QStringLiteral(" DESC") : QStringLiteral(" ASC");
    return columns(dialect).join(direction + QStringLiteral(", ")) + direction;
}

QString Order::index() const
{
    switch (by) {
    case By::Ended:
        return QStringLiteral("job_ended");
    case By::Id:
        return QStringLiteral("sqlite_autoindex_job_1"); // of the table's UNIQUE constraint
    case By::Name:
        return QStringLiteral("job_name");
    case By::Worker:
        return QStringLiteral("job_worker");
    default:
        return {};
    }
}

const QStringList &orderNames()
{
    return Names;
}

} // namespace drover::history
