#include "gui/models/job_filter.h"
#include "gui/models/job_model.h"
#include "gui/models/lock_model.h"
#include "gui/models/queue_table.h"
#include "gui/models/worker_model.h"

#include <QAbstractItemModelTester>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTest>
#include <QTextDocument>

using namespace drover;
using namespace drover::gui;
using jobs::JobState;

class TableModelsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void toolTipsShowHtmlAsItIsWritten();
    void jobsKeepTheirRows();
    void jobsFollowAnySnapshot();
    void jobsChangeInRanges();
    void endedJobsAreEndedUntilTheirRecordIsRead();
    void jobsCountWhatIsNotShown();
    void jobsAreFilteredAndSorted();
    void jobsShowMalformedAndLoading();
    void jobsShowTheirComments();
    void workersMarkTheMaster();
    void workersShowThatTheyAreCordoned();
    void aWorkersDotFollowsItsJobs();
    void locksShowTheLine();
    void queuesShowAgesAndRates();
};

namespace {

JobRow job(int number, JobState state, const char *name = "true")
{
    JobRow row;
    row.id = {"default", number};
    row.state = state;
    row.loaded = true;
    row.name = QString::fromLatin1(name);
    row.command = {row.name, QStringLiteral("-x")};
    row.since = 1'700'000'000'000 + number;
    return row;
}

JobsSnapshot snapshotOf(const QList<JobRow> &rows)
{
    JobsSnapshot snapshot;
    snapshot.clusterExists = true;
    snapshot.rows = rows;
    snapshot.ready = rows.size();
    return snapshot;
}

QSet<int> numbers(const JobModel &model)
{
    QSet<int> numbers;
    for (int i = 0; i < model.rowCount(); ++i)
        numbers.insert(model.row(i).id.number);
    return numbers;
}

QStringList column(const QAbstractItemModel &model, int column)
{
    QStringList texts;
    for (int row = 0; row < model.rowCount(); ++row)
        texts.append(model.index(row, column).data().toString());
    return texts;
}

constexpr auto Fatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

} // namespace

void TableModelsTest::jobsKeepTheirRows()
{
    JobModel model;
    const QAbstractItemModelTester tester(&model, Fatal);
    model.show(snapshotOf({job(1, JobState::Ready), job(2, JobState::Ready), job(3, JobState::Ready)}));
    const QPersistentModelIndex second = model.index(1, JobModel::State);
    model.show(snapshotOf({job(4, JobState::Ready), job(2, JobState::Running), job(3, JobState::Ready)}));
    QVERIFY(second.isValid());
    QCOMPARE(second.row(), 0);
    QCOMPARE(second.data().toString(), jobStateText(JobState::Running));
    QCOMPARE(numbers(model), (QSet<int>{2, 3, 4}));
}

void TableModelsTest::jobsFollowAnySnapshot()
{
    JobModel model;
    const QAbstractItemModelTester tester(&model, Fatal);
    QRandomGenerator random(7);
    for (int round = 0; round < 300; ++round) {
        QList<JobRow> rows;
        QSet<int> expected;
        for (int number = 0; number < 40; ++number) {
            if (random.bounded(3) == 0)
                continue;
            rows.append(job(number, JobState(random.bounded(6))));
            expected.insert(number);
        }
        std::shuffle(rows.begin(), rows.end(), random);
        model.show(snapshotOf(rows));
        QCOMPARE(numbers(model), expected);
        for (int i = 0; i < model.rowCount(); ++i)
            QVERIFY(rows.contains(model.row(i)));
    }
    model.show({});
    QCOMPARE(model.rowCount(), 0);
}

void TableModelsTest::jobsChangeInRanges()
{
    JobModel model;
    QList<JobRow> rows;
    for (int number = 0; number < 2000; ++number)
        rows.append(job(number, JobState::Ready));
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    QSignalSpy removed(&model, &QAbstractItemModel::rowsRemoved);
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.show(snapshotOf(rows));
    model.show(snapshotOf(rows));
    QCOMPARE(inserted.count(), 1);
    QCOMPARE(changed.count(), 0); // equal rows are not a change
    for (int number = 500; number < 600; ++number)
        rows[number].state = JobState::Running;
    model.show(snapshotOf(rows));
    QCOMPARE(changed.count(), 1);
    rows.remove(100, 1500);
    model.show(snapshotOf(rows));
    QCOMPARE(removed.count(), 1);
}

// Which have failed is not known yet: none of them is shown as a success, nor left out among the failures.
void TableModelsTest::endedJobsAreEndedUntilTheirRecordIsRead()
{
    JobModel model;
    JobFilter filter;
    filter.setSourceModel(&model);
    JobRow unread = job(1, JobState::Succeeded);
    unread.loaded = false;
    model.show(snapshotOf({unread, job(2, JobState::Succeeded), job(3, JobState::Ready)}));
    const QModelIndex state = model.index(0, JobModel::State);
    QCOMPARE(state.data().toString(), u"Ended"_qs);
    QCOMPARE(state.data(ToneRole).toInt(), int(Tone::Muted));
    QCOMPARE(model.index(1, JobModel::State).data().toString(), u"Succeeded"_qs);
    filter.search({{}, {JobState::Failed}, false});
    QCOMPARE(filter.rowCount(), 1);
    filter.search({{}, {JobState::Running}, false});
    QCOMPARE(filter.rowCount(), 0);
}

void TableModelsTest::jobsCountWhatIsNotShown()
{
    JobModel model;
    JobsSnapshot snapshot = snapshotOf({job(1, JobState::Ready)});
    snapshot.ready = 50'000;
    snapshot.ended = 20'000;
    model.show(snapshot);
    QCOMPARE(model.notShown(), 69'999);
}

void TableModelsTest::jobsAreFilteredAndSorted()
{
    JobModel model;
    JobFilter filter;
    const QAbstractItemModelTester tester(&filter, Fatal);
    filter.setSourceModel(&model);
    filter.sort(JobModel::State);
    JobRow urgent = job(12, JobState::Ready, "urgent");
    urgent.priority = 0;
    model.show(snapshotOf({job(3, JobState::Succeeded), job(9, JobState::Ready), job(10, JobState::Failed, "Make"),
                           job(5, JobState::Running), urgent, job(2, JobState::Waiting)}));
    const QStringList order{u"default-5"_qs, u"default-12"_qs, u"default-9"_qs,
                            u"default-2"_qs, u"default-10"_qs, u"default-3"_qs};
    QCOMPARE(column(filter, JobModel::Id), order);

    filter.sort(JobModel::Id);
    QCOMPARE(column(filter, JobModel::Id).first(), u"default-2"_qs); // by number, not by letter
    QCOMPARE(column(filter, JobModel::Id).last(), u"default-12"_qs);

    filter.search({u"mAKe"_qs, {}, false});
    QCOMPARE(column(filter, JobModel::Id), QStringList{u"default-10"_qs});
    filter.search({{}, {JobState::Running, JobState::Waiting}, false});
    QCOMPARE(filter.rowCount(), 2);
    JobRow running = job(9, JobState::Running);
    model.show(snapshotOf({running}));
    QCOMPARE(column(filter, JobModel::Id), QStringList{u"default-9"_qs});

    JobRow array = job(20, JobState::Running, "sweep");
    array.progress = u"28/40, 1 failed"_qs;
    JobRow task = job(20, JobState::Running, "sweep");
    task.id.task = 3;
    task.waits = u"lock db"_qs;
    model.show(snapshotOf({array, task}));
    filter.search({});
    QCOMPARE(column(filter, JobModel::State), QStringList{u"Running 28/40"_qs}); // its tasks do not bury the rest
    filter.search({u"sweep"_qs, {}, true});
    QCOMPARE(filter.rowCount(), 2);
    QCOMPARE(column(filter, JobModel::WaitsFor), (QStringList{QString(), u"lock db"_qs}));
}

void TableModelsTest::jobsShowMalformedAndLoading()
{
    JobModel model;
    JobRow loading = job(1, JobState::Ready);
    loading.loaded = false;
    loading.command.clear();
    JobRow malformed = job(2, JobState::Ready);
    malformed.name.clear();
    malformed.command.clear();
    malformed.note = QStringLiteral("no JSON object\x1b");
    model.show(snapshotOf({loading, malformed}));
    QCOMPARE(model.index(0, JobModel::Name).data().toString(), u"Loading…"_qs);
    QCOMPARE(model.index(1, JobModel::Name).data().toString(), u"(malformed)"_qs);
    QCOMPARE(model.index(1, JobModel::Name).data(Qt::ToolTipRole).toString(), u"no JSON object\\x1b"_qs);
}

void TableModelsTest::jobsShowTheirComments()
{
    JobModel model;
    JobRow row = job(1, JobState::Ready);
    model.show(snapshotOf({row}));
    QVERIFY(!model.hasComments());
    row.comment = QStringLiteral("for the audit\x1b");
    model.show(snapshotOf({row}));
    QVERIFY(model.hasComments());
    QCOMPARE(column(model, JobModel::Comment), QStringList{QStringLiteral("for the audit\\x1b")});
}

void TableModelsTest::workersShowThatTheyAreCordoned()
{
    WorkerModel model;
    WorkerRow worker;
    worker.id = "w1";
    worker.info.slotCount = 4;
    worker.cordon = QStringLiteral("cordoned by root@vm: disk replaced");
    model.show({worker});
    const QModelIndex cell = model.index(0, WorkerModel::State);
    QCOMPARE(model.index(0, WorkerModel::Worker).data().toString(), QStringLiteral("w1"));
    QCOMPARE(cell.data().toString(), QStringLiteral("Cordoned"));
    QCOMPARE(cell.data(ToneRole).toInt(), int(Tone::Waiting));
    QCOMPARE(cell.data(DotRole).toInt(), int(Tone::Waiting));
    QVERIFY(cell.data(Qt::ToolTipRole).toString().contains(u"root@vm: disk replaced"));
    QVERIFY(cell.data(Qt::ToolTipRole).toString().contains(u"drover worker uncordon w1"));
    worker.cordon.clear();
    worker.info.cordon = 17; // it obeys one still
    model.show({worker});
    QCOMPARE(cell.data().toString(), QStringLiteral("Cordoned"));
}

void TableModelsTest::aWorkersDotFollowsItsJobs()
{
    WorkerModel model;
    WorkerRow worker;
    worker.id = "w1";
    model.show({worker});
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.showLoads({{QStringLiteral("w1"), {{QStringLiteral("default-1")}, 1}}});
    const QModelIndex dot = model.index(0, WorkerModel::Worker);
    QCOMPARE(dot.data(DotRole).toInt(), int(Tone::Busy));
    const bool painted = std::any_of(changed.begin(), changed.end(), [&](const QVariantList &arguments) {
        return arguments[0].toModelIndex().column() <= dot.column()
            && arguments[1].toModelIndex().column() >= dot.column();
    });
    QVERIFY(painted);
}

void TableModelsTest::workersMarkTheMaster()
{
    WorkerModel model;
    const QAbstractItemModelTester tester(&model, Fatal);
    WorkerRow one;
    one.id = "w1";
    one.master = true;
    one.info.slotCount = 4;
    WorkerRow two;
    two.id = "w2";
    two.malformed = QStringLiteral("no JSON object");
    model.show({one, two});
    model.showLoads({{u"w1"_qs, {{u"default-1"_qs, u"default-2"_qs}, 4}}}); // one of them takes three slots
    QCOMPARE(model.index(0, WorkerModel::Worker).data().toString(), u"w1 — master"_qs);
    QCOMPARE(model.index(0, WorkerModel::Running).data().toString(), u"4 of 4"_qs);
    QCOMPARE(model.index(1, WorkerModel::Running).data().toString(), u"(malformed)"_qs);
    QCOMPARE(model.index(1, WorkerModel::State).data().toString(), u"Malformed"_qs);
    QCOMPARE(model.index(1, WorkerModel::Worker).data(DotRole).toInt(), int(Tone::Bad));
    QCOMPARE(model.index(0, WorkerModel::Worker).data(DotRole).toInt(), int(Tone::Busy));
    one.master = false;
    one.info.trouble = u"no memory"_qs;
    model.show({one});
    QCOMPARE(model.index(0, WorkerModel::Worker).data(DotRole).toInt(), int(Tone::Bad));
    QVERIFY(model.index(0, WorkerModel::Worker).data(Qt::ToolTipRole).toString().contains(u"no memory"_qs));
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.index(0, WorkerModel::Worker).data().toString(), u"w1"_qs);
}

void TableModelsTest::locksShowTheLine()
{
    LockModel model;
    const QAbstractItemModelTester tester(&model, Fatal);
    model.show({{"a", 0, "t7", "worker-1", 0x10, 1}, {"a", 1, "t8", "", 0x20, 2}, {"b", -1, {}, {}, 0, 0}});
    QCOMPARE(column(model, LockModel::Place), (QStringList{u"Holds"_qs, u"Waits, 1"_qs, u"Free"_qs}));
    QCOMPARE(column(model, LockModel::Who), (QStringList{u"worker-1"_qs, u"(does not say)"_qs, QString()}));
    QCOMPARE(column(model, LockModel::Kind), QStringList(3, u"Read-write lock"_qs));
    QCOMPARE(column(model, LockModel::For).last(), QString());
    LockModel fenced;
    fenced.show({{"a", 0, "t7", "worker-1", 0x10, 1, 4'294'967'312}, {"a", 1, "t8", "", 0x20, 2, 4'294'967'313}});
    QCOMPARE(column(fenced, LockModel::Fence), (QStringList{u"4294967312"_qs, QString()})); // a waiter has none yet
    LockModel others;
    const qint64 hourAgo = QDateTime::currentMSecsSinceEpoch() - 3'600'000;
    others.showOthers({{"election x", 0, "t7", "worker-1", 0x10, hourAgo}, {"limit db", 0, "t7", "", 0x10, hourAgo}});
    QCOMPARE(column(others, LockModel::Kind), (QStringList{u"Election"_qs, u"Limit"_qs}));
    QVERIFY(column(others, LockModel::For).first().startsWith(u"1h"_qs));
    const auto tone = [&](int row) { return model.index(row, LockModel::Place).data(ToneRole).toInt(); };
    QCOMPARE(tone(0), int(Tone::Good));
    QCOMPARE(tone(1), int(Tone::Waiting));
    QCOMPARE(tone(2), int(Tone::Muted));
    model.show({{"a", 0, "t8", "", 0x20, 2}, {"b", -1, {}, {}, 0, 0}});
    QCOMPARE(column(model, LockModel::Place), (QStringList{u"Holds"_qs, u"Free"_qs}));
}

// Looks at every tool tip; how many show the text.
int toolTipsWith(const QString &html, const QAbstractItemModel &model)
{
    QStringList tips;
    for (int column = 0; column < model.columnCount(); ++column) {
        tips.append(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString());
        for (int row = 0; row < model.rowCount(); ++row)
            tips.append(model.index(row, column).data(Qt::ToolTipRole).toString());
    }
    int shown = 0;
    for (const QString &tip : tips) {
        if (!Qt::mightBeRichText(tip))
            continue; // QToolTip shows it as it is
        QTextDocument document;
        document.setHtml(tip);
        if (!document.toPlainText().contains(html))
            return -1;
        ++shown;
    }
    return shown;
}

void TableModelsTest::toolTipsShowHtmlAsItIsWritten()
{
    const QString html = u"<h1>all is well</h1><img src=x>"_qs;
    JobModel jobs;
    JobRow row = job(1, JobState::Ready);
    row.note = row.name = row.comment = row.worker = html;
    row.command = QStringList(html);
    jobs.show(snapshotOf({row}));
    QVERIFY(toolTipsWith(html, jobs) > 2);

    jobs::WorkerInfo info;
    info.trouble = info.host = info.version = info.endpoint = info.spool = info.history = html;
    info.labels = info.queues = QStringList(html);
    jobs::WorkerInfo sound = info;
    sound.trouble.clear();
    jobs::WorkerInfo cordoned = sound;
    cordoned.cordon = 1;
    WorkerModel workers;
    workers.show({{html.toUtf8(), false, info, {}, 1, {}},
                  {html.toUtf8() + "2", false, sound, {}, 1, {}},
                  {html.toUtf8() + "3", false, cordoned, html, 1, {}},
                  {"w4", false, {}, {}, 1, html}});
    QVERIFY(toolTipsWith(html, workers) > 2);

    LockModel locks;
    locks.show({{html.toUtf8(), 0, html.toUtf8(), html.toUtf8(), 0x10, 1}});
    QVERIFY(toolTipsWith(html, locks) > 0);
}

void TableModelsTest::queuesShowAgesAndRates()
{
    qint64 now = 1'800'000'000'000;
    QueueTable model(nullptr, [&now] { return now; });
    const QAbstractItemModelTester tester(&model);
    QueueDepth queue{"default", 5};
    queue.came = 10;
    queue.oldestReady = now - 125'000;
    model.show({queue});
    const auto cell = [&model](QueueTable::Column column) { return model.index(0, column).data().toString(); };
    QCOMPARE(cell(QueueTable::Came), QString()); // nothing is known of a moment
    QCOMPARE(cell(QueueTable::Waiting), QString()); // a recording does not have it
    QCOMPARE(cell(QueueTable::Oldest), u"2m05s"_qs);
    for (int i = 0; i < 30; ++i) {
        now += 1000;
        queue.came += 2;
        queue.left += 1;
        model.show({queue});
    }
    QCOMPARE(cell(QueueTable::Came), u"120"_qs);
    QCOMPARE(cell(QueueTable::Left), u"60"_qs);
    for (int i = 0; i < 70; ++i, model.refresh())
        now += 1000; // nothing more comes
    QCOMPARE(cell(QueueTable::Came), u"0"_qs);
    QCOMPARE(cell(QueueTable::Oldest), u"3m45s"_qs);
    queue.waiting = queue.came = 1; // another session counts from zero
    queue.left = 0;
    model.show({queue});
    QCOMPARE(cell(QueueTable::Came), QString());
    QCOMPARE(cell(QueueTable::Waiting), u"1"_qs);
    now += 10'000;
    queue.came = 3;
    model.show({queue});
    QCOMPARE(cell(QueueTable::Came), u"12"_qs);
    now += 600'000; // no look, for nothing comes
    queue.came += 30;
    model.show({queue});
    QCOMPARE(cell(QueueTable::Came), u"30"_qs);
}

QTEST_GUILESS_MAIN(TableModelsTest)
#include "table_models_test.moc"
