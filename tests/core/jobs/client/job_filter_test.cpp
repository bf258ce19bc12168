#include "jobs/client/job_filter.h"

#include <QDateTime>
#include <QTest>

using namespace drover::jobs;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class JobFilterTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aLineHasTheOptionsOfTheCommandLine()
    {
        const JobFilter filter = JobFilter::parse(
            u"train --queue gpu --name='night ly-*' lr=0.1 --tag \"a b\" --submitter ann@node1 --state failed"_s);
        QCOMPARE(filter.queue, "gpu");
        QCOMPARE(filter.name, u"night ly-*"_s);
        QCOMPARE(filter.tag, u"a b"_s);
        QCOMPARE(filter.submitter, u"ann@node1"_s);
        QCOMPARE(filter.state, JobState::Failed);
        QCOMPARE(filter.words, u"train lr=0.1"_s);
    }

    void aConditionMayHaveAColon()
    {
        QCOMPARE(JobFilter::parse(u"train queue:gpu name:'night ly-*' lr:0.1 tag:\"a b\" submitter:ann state:Failed"_s),
                 JobFilter::parse(
                     u"train --queue gpu --name='night ly-*' lr:0.1 --tag 'a b' --submitter ann --state failed"_s));
        QVERIFY(JobFilter::parse(u"state:"_s).isEmpty()); // its value is still to come
        QCOMPARE(JobFilter::parse(u"name:a:b"_s), JobFilter{.name = u"a:b"_s});
    }

    void aTimeIsAgoOrADate()
    {
        const auto now = [] { return std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch()); };
        const std::chrono::milliseconds before = now();
        const JobFilter ago = JobFilter::parse(u"train since:2h worker:up-3"_s);
        QVERIFY(ago.since >= before - 2h && ago.since <= now() - 2h);
        QVERIFY(!ago.until);
        QCOMPARE(ago.worker, u"up-3"_s);
        QCOMPARE(ago.words, u"train"_s);
        const JobFilter dates = JobFilter::parse(u"--since 2024-05-01T12:00:00Z until:2024-05-01T13:00:00Z"_s);
        QCOMPARE(dates.since, std::chrono::milliseconds(1'714'564'800'000));
        QCOMPARE(dates.until, std::chrono::milliseconds(1'714'568'400'000));
    }

    void onlyWhatHasEndedThenFitsATime()
    {
        const JobFilter filter{.worker = u"up-*"_s, .since = 10ms, .until = 20ms};
        QVERIFY(filter.fitsRun(u"up-3"_s, 10ms));
        QVERIFY(filter.fitsRun(u"up-3"_s, 19ms));
        QVERIFY(!filter.fitsRun(u"up-3"_s, 9ms));
        QVERIFY(!filter.fitsRun(u"up-3"_s, 20ms));
        QVERIFY(!filter.fitsRun(u"up-3"_s, std::nullopt));
        QVERIFY(!filter.fitsRun(u"node1"_s, 10ms));
        QVERIFY(JobFilter().fitsRun({}, std::nullopt));
    }

    void theCaseOfAConditionIsOfNoMatter()
    {
        QCOMPARE(JobFilter::parse(u"State:Failed QUEUE:gpu"_s), JobFilter::parse(u"state:failed queue:gpu"_s));
    }

    void otherWordsStayAsTheyAre_data()
    {
        QTest::addColumn<QString>("line");
        QTest::newRow("none") << QString();
        QTest::newRow("options of the job") << u"backup.sh --all -n=3"_s;
        QTest::newRow("no option") << u"queue gpu"_s;
        QTest::newRow("quotes") << u"echo 'a  b' \"c"_s;
        QTest::newRow("no state") << u"--state fai"_s;
        QTest::newRow("no state behind a colon") << u"state:fai"_s;
        QTest::newRow("no time") << u"since:noon --until tea"_s;
        QTest::newRow("other colons") << u"http://host:80 lock:db"_s;
    }

    void otherWordsStayAsTheyAre()
    {
        QFETCH(QString, line);
        QCOMPARE(JobFilter::parse(line), JobFilter{.words = line});
    }

    void anOptionWithoutItsValueIsNoConditionYet()
    {
        QVERIFY(JobFilter::parse(u"--name"_s).isEmpty());
        QVERIFY(JobFilter::parse(u" --tag "_s).isEmpty());
        QCOMPARE(JobFilter::parse(u"--name 'nig"_s), JobFilter{.name = u"nig"_s}); // the quote is still open
    }

    void aNameIsAPattern_data()
    {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("title");
        QTest::addColumn<bool>("fits");
        const auto add = [](const char *pattern, const char *title, bool fits) {
            QTest::addRow("%s %s", pattern, title) << QString::fromUtf8(pattern) << QString::fromUtf8(title) << fits;
        };
        add("train", "train", true);
        add("train", "train-1", false);
        add("train", "Train", false);
        add("train-*", "train-", true);
        add("*a*b*", "xxaxxaxbx", true);
        add("*ab", "aab", true);
        add("*ab", "aabc", false);
        add("a*", "a/b\nc", true); // a slash and a line end are characters like any other
        add("?", "ä", true);
        add("?", "\U0001F600", true); // one character, two units of UTF-16
        add("?", "", false);
        add("*?", "\U0001F600", true);
        add("", "", true);
        add("", "a", false);
        add("[a].", "[a].", true);
        add("[a].", "ab", false);
    }

    void aNameIsAPattern()
    {
        QFETCH(QString, pattern);
        QFETCH(QString, title);
        QFETCH(bool, fits);
        QCOMPARE((JobFilter{.name = pattern}.fits(title, {}, {})), fits);
    }

    void aSubmitterIsAPatternOnAnyMachine()
    {
        const auto fits = [](const QString &submitter) {
            return JobFilter{.submitter = submitter}.fits({}, {}, u"ann@node1"_s);
        };
        for (const auto &pattern : {u"ann"_s, u"ann@node1"_s, u"a*"_s, u"*@node?"_s, u"an?"_s})
            QVERIFY2(fits(pattern), qPrintable(pattern));
        for (const auto &pattern : {u"an"_s, u"ann@"_s, u"node1"_s, u"*@node"_s, u"ANN"_s})
            QVERIFY2(!fits(pattern), qPrintable(pattern));
    }

    void allConditionsCount()
    {
        const JobFilter filter{.name = u"t*"_s, .tag = u"x"_s, .submitter = u"ann"_s};
        QVERIFY(filter.fits(u"t1"_s, {u"y"_s, u"x"_s}, u"ann@node1"_s));
        QVERIFY(!filter.fits(u"s1"_s, {u"x"_s}, u"ann@node1"_s));
        QVERIFY(!filter.fits(u"t1"_s, {u"xy"_s}, u"ann@node1"_s));
        QVERIFY(!filter.fits(u"t1"_s, {u"x"_s}, u"anna@node1"_s));
        QVERIFY(!(JobFilter{.submitter = u"ann@node1"_s}.fits({}, {}, u"ann@node10"_s)));
    }

    void aJobThatCannotBeReadMeetsNoDescription()
    {
        const JobView unreadable;
        QVERIFY(JobFilter().fits(unreadable));
        QVERIFY((JobFilter{.queue = "gpu"}.fits(unreadable))); // for the caller to judge
        QVERIFY(!(JobFilter{.tag = u"x"_s}.fits(unreadable)));
        QVERIFY(!(JobFilter{.name = u"*"_s}.fits(unreadable)));
    }
};

QTEST_GUILESS_MAIN(JobFilterTest)
#include "job_filter_test.moc"
