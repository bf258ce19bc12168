#include "app/cluster/audit_listing.h"

#include "app/cli/units.h"
#include "jobs/events/audit_log.h"
#include "jobs/model/job_id.h"

#include <algorithm>

namespace drover::app {

namespace {

using jobs::AuditRecord;

// A range of tasks, "default-42.6..8", is of its array's queue.
bool isOfQueue(const AuditRecord &record, const QByteArray &queue)
{
    const jobs::AuditEntry &entry = record.entry;
    if (entry.action.startsWith(u"queue-"))
        return entry.target == QString::fromLatin1(queue);
    const std::optional<jobs::JobId> id = jobs::JobId::parse(entry.target.section(QStringLiteral(".."), 0, 0));
    return entry.action.startsWith(u"job-") && id && id->queue == queue;
}

QJsonObject rowOf(const AuditRecord &record, bool isTable)
{
    const jobs::AuditEntry &entry = record.entry;
    QJsonObject row{{QStringLiteral("at"), formatTime(record.at)},
                    {QStringLiteral("action"), entry.action},
                    {QStringLiteral("target"), entry.target},
                    {QStringLiteral("by"), entry.by},
                    {QStringLiteral("proven"), record.isProven()}};
    const auto addText = [&](const char *key, const QString &text) {
        if (!text.isEmpty())
            row.insert(QLatin1String(key), text);
    };
    addText("detail", entry.detail);
    addText("serial", QString::fromLatin1(record.serial));
    addText("unproven", record.unproven);
    if (isTable && !record.isProven())
        row.insert(QStringLiteral("by"), QStringLiteral("%1 (unproven: %2)").arg(entry.by, record.unproven));
    return row;
}

} // namespace

QList<QCommandLineOption> auditOptions()
{
    return {option("by", "with --audit: what this person or machine has done", "NAME"),
            option("since", "with --audit: since then: 2h, 7d, 2024-05-01, 2024-05-01T12:00:00Z", "TIME")};
}

async::Task<void> listAudit(Context &context, jobs::Cluster cluster, QByteArray queue, qint64 past)
{
    const Arguments &arguments = context.arguments();
    std::chrono::milliseconds since{};
    if (arguments.has("since"))
        since = parseInstant(arguments.value("since"), QStringLiteral("--since"));
    std::vector<AuditRecord> records = co_await jobs::readAudit(cluster);
    std::erase_if(records, [&](const AuditRecord &record) {
        return record.at < since || (!queue.isEmpty() && !isOfQueue(record, queue))
            || (arguments.has("by") && record.entry.by != arguments.value("by"));
    });
    QList<QJsonObject> rows;
    const auto count = static_cast<qint64>(records.size());
    for (auto record = records.begin() + std::max<qint64>(0, count - past); record != records.end(); ++record)
        rows.append(rowOf(*record, context.out().isTable()));
    context.out().list("audit",
                       {{"at", "AGO", Column::Kind::Time},
                        {"action", "ACTION"},
                        {"target", "TARGET"},
                        {"detail", "DETAIL", Column::Kind::Text, true},
                        {"by", "BY"}},
                       rows);
}

} // namespace drover::app
