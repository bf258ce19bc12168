#include "gui/models/events/event_filter.h"
#include "gui/models/events/event_model.h"
#include "gui/models/events/subscriptions.h"

#include <QAbstractItemModelTester>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTranslator>

using namespace drover;
using namespace drover::gui;
using About = EventRow::About;

namespace {

EventRow ended(int number, const char *state = "succeeded", const char *queue = "etl")
{
    EventRow row;
    row.at = 1'700'000'000'000 + number;
    row.event = u"ended"_qs;
    row.about = About::Job;
    row.job = jobs::JobId{queue, number};
    row.subject = row.job->toString();
    row.queue = QLatin1String(queue);
    row.state = QLatin1String(state);
    row.name = u"Backup of <b>db</b>"_qs;
    row.bad = row.state == u"failed";
    return row;
}

EventRow left(const char *worker)
{
    EventRow row;
    row.event = u"worker-left"_qs;
    row.about = About::Worker;
    row.subject = QLatin1String(worker);
    row.bad = true;
    return row;
}

} // namespace

// The stream of events, and the rules that choose among them.
class EventsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsTheLastTenThousand()
    {
        EventModel model;
        const QAbstractItemModelTester tester(&model);
        QList<EventRow> events;
        for (int i = 0; i < 6000; ++i)
            events.append(ended(i));
        model.add(events);
        QCOMPARE(model.rowCount(), 6000);
        model.add(events);
        QCOMPARE(model.rowCount(), EventModel::MaxRows);
        QCOMPARE(model.row(0).job->number, 2000);
        QCOMPARE(model.left(), 2000);
        model.add(events + events + events); // more at once than there is room for
        QCOMPARE(model.rowCount(), EventModel::MaxRows);
        QCOMPARE(model.row(model.rowCount() - 1).job->number, 5999);
        model.clear();
        QCOMPARE(model.rowCount(), 0);
    }

    void rules_data()
    {
        QTest::addColumn<QString>("rule");
        QTest::addColumn<bool>("failedJob");
        QTest::addColumn<bool>("endedJob");
        QTest::addColumn<bool>("worker");
        const auto row = [](const char *rule, bool failedJob, bool endedJob, bool worker) {
            QTest::newRow(rule) << QString::fromLatin1(rule) << failedJob << endedJob << worker;
        };
        row("", true, true, true);
        row("state:failed", true, false, false);
        row("state:failed queue:etl", true, false, false);
        row("STATE:Failed", true, false, false);
        row("state:failed queue:et", false, false, false); // the whole field
        row("queue:e*", true, true, false);
        row("job:etl-7", true, false, false);
        row("job:etl-*", true, true, false);
        row("-queue:etl", false, false, true);
        row("worker:w1", false, false, true);
        row("worker", false, false, true); // anywhere
        row("about:job -state:failed", false, true, false);
        row("backup", true, true, false);
        row("--state failed --queue=etl", true, false, false); // as in the search of the jobs
        row("--state fail", false, false, false); // the whole field
        row("--worker w1", false, false, true);
        row("name:'Backup of*'", true, true, false);
        row("--name \"Backup of <b>db</b>\"", true, true, false);
        row("--name='Backup of' state:failed", false, false, false); // the whole field
        row("-name:'backup of*'", false, false, true);
        row("'p of'", true, true, false);
        row("'up Ba", false, false, false); // still being typed
        row("state:'failed", true, false, false);
        row("p'of", false, false, false); // no quotation
        row("--state", true, true, true); // its value is still to come
        row("--nosuch key", false, false, false);
        row("queue:[a-z]*", false, false, false); // no regular expression
        row("nosuch:key", false, false, false); // a word, which no event has
    }
    void rules()
    {
        QFETCH(QString, rule);
        QTEST(EventRule(rule).fits(ended(7, "failed")), "failedJob");
        QTEST(EventRule(rule).fits(ended(8)), "endedJob");
        QTEST(EventRule(rule).fits(left("w1")), "worker");
    }

    // As the table shows it.
    void aStateIsFoundInTheLanguageOfTheUser()
    {
        class Words final : public QTranslator
        {
        public:
            QString translate(const char *, const char *text, const char *, int) const override
            {
                return QLatin1String(text) == u"Failed"_qs ? u"失败"_qs : QString();
            }
            bool isEmpty() const override { return false; }
        };
        Words words;
        QCoreApplication::installTranslator(&words);
        QCOMPARE(EventModel::text(ended(7, "failed"), EventModel::State), u"失败"_qs);
        for (const QString &rule : {u"失败"_qs, u"state:失败"_qs, u"failed"_qs, u"state:failed"_qs}) {
            QVERIFY2(EventRule(rule).fits(ended(7, "failed")), qPrintable(rule));
            QVERIFY2(!EventRule(rule).fits(ended(8)), qPrintable(rule));
        }
    }

    void aTaskFitsTheRuleOfItsArray()
    {
        EventRow task = ended(7);
        task.job->task = 3;
        QVERIFY(EventRule(u"job:etl-7"_qs).fits(task));
        QVERIFY(EventRule(u"job:etl-7.3"_qs).fits(task));
        QVERIFY(!EventRule(u"job:etl-7.4"_qs).fits(task));
    }

    void theFilterSortsTheNewestFirst()
    {
        EventModel model;
        EventFilter filter;
        filter.setSourceModel(&model);
        const QAbstractItemModelTester tester(&filter);
        filter.sort(EventModel::Time, Qt::DescendingOrder);
        model.add({ended(1), ended(2, "failed"), left("w1"), ended(3, "failed")});
        QCOMPARE(filter.index(0, EventModel::Subject).data().toString(), u"etl-3"_qs);
        filter.setRule(EventRule(u"state:failed"_qs));
        QCOMPARE(filter.rowCount(), 2);
        model.add({ended(4), ended(5, "failed")});
        QCOMPARE(filter.rowCount(), 3);
        QCOMPARE(filter.index(0, EventModel::Subject).data().toString(), u"etl-5"_qs);
    }

    // A storm of events makes one message a second.
    void tellsOfWhatFitsASubscription()
    {
        Subscriptions subscriptions;
        QSignalSpy told(&subscriptions, &Subscriptions::told);
        subscriptions.add(u"  state:failed   queue:etl "_qs);
        subscriptions.add(u"state:failed queue:etl"_qs);
        subscriptions.add(QString());
        QCOMPARE(subscriptions.rules().size(), 1);
        subscriptions.look({ended(1), left("w1")});
        subscriptions.look({ended(2, "failed")});
        QTRY_COMPARE_WITH_TIMEOUT(told.size(), 1, 30'000);
        QCOMPARE(told[0][0].toString(), u"state:failed queue:etl"_qs);
        QCOMPARE(told[0][1].toString(), u"etl-2 ended failed"_qs);
        QList<EventRow> storm;
        for (int i = 0; i < 500; ++i)
            storm.append(ended(i, "failed"));
        subscriptions.look(storm);
        subscriptions.look(storm);
        QTRY_COMPARE_WITH_TIMEOUT(told.size(), 2, 30'000);
        QCOMPARE(told[1][1].toString(), u"1,000 events, the last: etl-499 ended failed"_qs);
        subscriptions.remove(u"state:failed queue:etl"_qs);
        QVERIFY(subscriptions.rules().isEmpty());
    }

    void remembersTheSubscriptions()
    {
        const QTemporaryDir directory;
        QSettings settings(directory.filePath(u"settings.ini"_qs), QSettings::IniFormat);
        {
            Subscriptions subscriptions;
            subscriptions.add(u"job:etl-7"_qs);
            subscriptions.add(u"state:failed, with a comma"_qs);
            subscriptions.saveTo(settings);
        }
        Subscriptions subscriptions;
        subscriptions.restoreFrom(settings);
        QVERIFY(subscriptions.has(u"job:etl-7"_qs) && subscriptions.has(u"state:failed, with a comma"_qs));
        QCOMPARE(subscriptions.rules().size(), 2);
    }
};

QTEST_GUILESS_MAIN(EventsTest)
#include "events_test.moc"
