#include "app/jobs/history_json.h"
#include "app/jobs/job_json.h"

#include <QSet>
#include <QTest>

using namespace drover;
using namespace drover::app;
using namespace std::chrono_literals;

// A job as the commands print it.
class JobJsonTest : public QObject
{
    Q_OBJECT

    // With something in every field.
    static jobs::JobSpec spec()
    {
        const QString text = QStringLiteral("x");
        jobs::JobSpec spec;
        spec.command = {text};
        spec.directory = spec.input = spec.standardOutput = spec.standardError = spec.appendTo = spec.name =
            spec.comment = text;
        spec.retry = {3, {75}, 1s, 2s};
        spec.needs = {2, 1024, {text}};
        spec.after = {{jobs::Dependency::Kind::Any, {"default", 1}}};
        spec.singleton = true;
        spec.locks = spec.sharedLocks = spec.limits = spec.tags = spec.ulimits = {text};
        spec.timeLimit = 1s;
        spec.submitter = spec.dedupe = spec.notes.heldBy = text;
        spec.submittedAt = spec.notes.notBefore = 1'000s;
        spec.notes.failed = 1;
        return spec;
    }

    static jobs::JobView view(const jobs::JobSpec &spec)
    {
        jobs::JobView view;
        view.id = {"default", 42};
        view.entry = jobs::QueueEntry{};
        view.spec = spec;
        view.since = 1'000s;
        if (spec.array)
            view.progress = jobs::ArrayProgress();
        view.claim = jobs::Claim{QStringLiteral("w"), {1, 0}, "q5-0000000042", true};
        view.claim->waits = QStringLiteral("lock db");
        view.record = jobs::FinalRecord::of(view.id, spec);
        view.record->worker = view.record->reason = QStringLiteral("x");
        view.record->signal = 9;
        view.record->startedAt = view.record->finishedAt = 1'000s;
        view.malformed = QStringLiteral("x");
        return view;
    }

    static std::vector<jobs::JobSpec> kinds()
    {
        jobs::JobSpec array = spec();
        array.array = jobs::ArrayIndices{1, 3};
        jobs::JobSpec gang = spec();
        gang.array = jobs::ArrayIndices{0, 1};
        gang.gang = 2;
        return {spec(), array, gang};
    }

private Q_SLOTS:
    void anEndedJobShowsItsSpecification()
    {
        jobs::JobSpec valid = spec();
        valid.standardOutput = valid.standardError = QStringLiteral("/x");
        valid.ulimits.clear();
        jobs::JobView ended = view(valid);
        ended.spec.reset();
        ended.entry.reset();
        ended.malformed.clear();
        const QJsonObject json = jobJson(ended);
        for (const char *const key : {"dir", "locks", "slots", "retries", "time_limit", "outcome", "tags", "comment"})
            QVERIFY2(json.contains(QLatin1String(key)), key);
        for (const char *const key : {"failed_attempts", "dedupe", "after_any", "held_by"})
            QVERIFY2(!json.contains(QLatin1String(key)), key);
        QCOMPARE(json.value(QStringLiteral("priority")).toInt(), spec().priority);
    }

    // Also when the worker that was asked is gone, so that no claim says it.
    void aCancellationIsShownUntilItIsCarriedOut()
    {
        jobs::JobSpec asked = spec();
        QVERIFY(!jobJson(view(asked)).contains(QStringLiteral("cancel_requested")));
        asked.notes.cancelled = true;
        jobs::JobView ready = view(asked);
        ready.record.reset();
        ready.claim.reset();
        QCOMPARE(jobJson(ready).value(QStringLiteral("cancel_requested")), QJsonValue(true));
    }

    void theKeysOfAJobAreItsColumns()
    {
        // For programs; people read them in "progress".
        const QSet<QString> counts{QStringLiteral("tasks"), QStringLiteral("tasks_open"), QStringLiteral("tasks_ok"),
                                   QStringLiteral("tasks_failed"), QStringLiteral("tasks_cancelled")};
        QSet<QString> columns;
        for (const Column &column : JobColumns) {
            QVERIFY2(!columns.contains(QLatin1String(column.key)), column.key); // said once
            columns.insert(QLatin1String(column.key));
        }
        for (const jobs::JobSpec &kind : kinds()) {
            const QStringList keys = jobJson(view(kind)).keys();
            for (const QString &key : keys)
                QVERIFY2(columns.contains(key) || counts.contains(key), qPrintable(key));
        }
    }

    // No process of its own was measured: that is not zero.
    void anArrayThatHasEndedHasNoFigures()
    {
        jobs::JobView array = view(kinds()[1]);
        for (const char *const key : {"cpu_ms", "peak_bytes", "output_bytes"})
            QVERIFY2(jobJson(array).contains(QLatin1String(key)), key);
        array.record->worker.clear();
        for (const char *const key : {"cpu_ms", "peak_bytes", "output_bytes", "output_truncated"})
            QVERIFY2(!jobJson(array).contains(QLatin1String(key)), key);
    }

    void noTextIsAFormulaInCsv()
    {
        for (const char *const text : {"=1+1", "+1-1", "-1+1", "@SUM(A1)", "\t=1"}) {
            history::ArchivedJob entry;
            entry.record.id = {"default", 1};
            entry.record.name = entry.record.submitter = entry.record.reason = QString::fromLatin1(text);
            entry.record.code = 3;
            const QByteArray line = csvLine(entry);
            QCOMPARE(line.count(",'" + QByteArray(text) + ','), 3);
            QVERIFY2(line.contains(",3,"), line);
        }
    }

    void aGangIsNoArray()
    {
        const std::vector<jobs::JobSpec> specs = kinds();
        QCOMPARE(jobJson(view(specs[1])).value(QStringLiteral("array")).toString(), QStringLiteral("1-3"));
        const QJsonObject gang = jobJson(view(specs[2]));
        QCOMPARE(gang.value(QStringLiteral("gang")).toInt(), 2);
        QVERIFY(!gang.contains(QStringLiteral("array")));
    }
};

QTEST_GUILESS_MAIN(JobJsonTest)
#include "job_json_test.moc"
