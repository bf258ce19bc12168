#include "app/support/drover_program.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

using namespace drover::test;

// What lists say, and whether they fit a terminal: the real program on a real cluster.
class ListingTest : public QObject
{
    Q_OBJECT

    DroverProgram m_drover;

    Finished drover(const char *arguments) const { return m_drover.run(words(arguments)); }
    QString waitsOf(const QString &id) const
    {
        const QJsonArray rows = json(drover("ls -o json")).value(QStringLiteral("jobs")).toArray();
        for (const QJsonValue &row : rows) {
            if (row[QStringLiteral("id")].toString() == id)
                return row[QStringLiteral("waits_for")].toString();
        }
        return QStringLiteral("(not listed)");
    }

private Q_SLOTS:
    void initTestCase()
    {
        const Finished up = m_drover.run(words("up --detach --workers 1 --slots 2"), 120'000);
        QVERIFY2(up.exitCode == 0, up.err);
    }
    void cleanupTestCase() { QCOMPARE(drover("down").exitCode, 0); }

    // Also what no worker has claimed.
    void lsSaysWhatAJobWaitsFor()
    {
        const auto submitted = [&](const char *arguments) {
            return QString::fromUtf8(drover((QByteArray("submit ") + arguments).constData()).out.trimmed());
        };
        const QString first = submitted("--hold -- true");
        const QString second = QString::fromUtf8(
            m_drover.run(words("submit --delay 1h --after-ok") << first << words("-- true")).out.trimmed());
        const QString third = submitted("--start-at 2099-01-01T00:00:00Z -- true");
        const QString labelled = submitted("--label nosuch -- true");
        const QString large = submitted("--slots 64 -- true");
        const QJsonArray rows = json(drover("ls -o json")).value(QStringLiteral("jobs")).toArray();
        QHash<QString, QString> waits;
        for (const QJsonValue &row : rows)
            waits[row[QStringLiteral("id")].toString()] = row[QStringLiteral("waits_for")].toString();
        QCOMPARE(waits.value(first), QStringLiteral("drover release"));
        QCOMPARE(waits.value(second), first + QStringLiteral(" succeeds and 1 more"));
        const QString local = QDateTime::fromString(QStringLiteral("2099-01-01T00:00:00Z"), Qt::ISODate)
                                  .toLocalTime()
                                  .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
        QCOMPARE(waits.value(third), local); // as drover why says it
        QCOMPARE(waits.value(labelled), QStringLiteral("no worker of queue default has the label nosuch"));
        QVERIFY2(waits.value(large).startsWith(u"it needs 64 slots, the largest worker has "),
                 qPrintable(waits.value(large)));
        for (const QString &id : {labelled, large})
            QVERIFY(m_drover.run({QStringLiteral("why"), id}).out.contains(waits.value(id).toUtf8()));
        QVERIFY(drover("ls").out.contains("WAITS FOR"));
        // What waits for another is cancelled before it: otherwise the master may end it first.
        QCOMPARE(m_drover.run({QStringLiteral("cancel"), second, first, third, labelled, large}).exitCode, 0);
    }

    // As drover why does.
    void lsNamesNoJobThatHasEnded()
    {
        const auto submitted = [&](const QStringList &arguments) {
            return QString::fromUtf8(m_drover.run(QStringList{QStringLiteral("submit")} + arguments).out.trimmed());
        };
        const QString ended = submitted(words("-- true"));
        QCOMPARE(m_drover.run({QStringLiteral("wait"), ended}).exitCode, 0);
        const QString held = submitted(words("--hold -- true"));
        const QString both = submitted(words("--after-any") << ended + u',' + held << words("-- true"));
        const QString later = submitted(words("--delay 1h --after-ok") << ended << words("-- true"));
        QCOMPARE(waitsOf(both), held + QStringLiteral(" ends"));
        QVERIFY(QDateTime::fromString(waitsOf(later), QStringLiteral("yyyy-MM-dd HH:mm:ss")).isValid());
        QCOMPARE(m_drover.run({QStringLiteral("cancel"), both, later, held}).exitCode, 0);
    }

    // What only the cluster knows: the queue, the places of gangs, the tasks of arrays, the slots that are taken.
    void lsSaysWhatTheClusterKeepsAJobFrom()
    {
        const auto submitted = [&](const char *arguments) {
            return QString::fromUtf8(drover((QByteArray("submit --id-only ") + arguments).constData()).out.trimmed());
        };
        const QString array = submitted("--array 1-3 --label nosuch -- true");
        const QString gang = submitted("--gang 60 -- true");
        QTRY_COMPARE_WITH_TIMEOUT(waitsOf(array), QStringLiteral("no worker of queue default has the label nosuch"),
                                  30'000);
        QTRY_VERIFY_WITH_TIMEOUT(waitsOf(gang).startsWith(u"its 60 members need a place each"), 30'000);
        const QString filling = submitted("--array 1-40 -- sleep 60");
        const auto runs = [&](const QString &id) { return drover(("show " + id.toUtf8()).constData()).out; };
        for (const char *const task : {".1", ".2"}) // they take both slots
            QTRY_VERIFY_WITH_TIMEOUT(runs(filling + QLatin1String(task)).contains("running"), 30'000);
        const QString behind = submitted("-- true");
        QTRY_VERIFY_WITH_TIMEOUT(waitsOf(behind).startsWith(u"it needs 1 free slot, and all "), 30'000);
        QCOMPARE(waitsOf(filling), QString());
        QCOMPARE(drover("queue pause default --why moved").exitCode, 0);
        for (const QString &id : {array, gang, behind})
            QVERIFY2(waitsOf(id).startsWith(u"queue default was paused by "), qPrintable(waitsOf(id)));
        QCOMPARE(drover("queue resume default").exitCode, 0);
        QCOMPARE(m_drover.run({QStringLiteral("cancel"), array, gang, filling, behind}).exitCode, 0);
        QCOMPARE(m_drover.run({QStringLiteral("wait"), array, gang, filling, behind}).exitCode, 125);
    }

    // What a person looks for is there on a terminal of 80 columns, and what has no room is named.
    void lsFitsATerminalOfEightyColumns()
    {
        const Finished held =
            m_drover.run(words("submit --hold --name some-long-name-for-a-job --comment")
                         << QStringLiteral("look at this one before you let it go") << words("-- true"));
        const Finished unfit = m_drover.run(words("submit --label a-label-that-no-worker-of-ours-has -- true"));
        QCOMPARE(m_drover.run({QStringLiteral("run"), QStringLiteral("--"), QStringLiteral("false")}).exitCode, 1);
        const Finished listed = m_drover.shell("TERM=dumb script -qec 'stty cols 80; exec drover ls --all' /dev/null");
        QByteArrayList lines = listed.out.split('\n');
        lines.removeAll({});
        const QString header = QString::fromUtf8(lines.value(0));
        for (const char *const title : {"ID", "STATE", "WAITS FOR", "WORKER", "EXIT", "FOR", "COMMENT"})
            QVERIFY2(header.contains(QLatin1String(title)), listed.out);
        const QRegularExpression waits(QStringLiteral("WAITS FOR *"));
        QVERIFY2(waits.match(header).capturedLength() >= 22, listed.out); // 20, and the gap
        for (const QByteArray &line : lines) {
            if (!line.startsWith("drover: ")) // the hint, which the terminal wraps
                QVERIFY2(QString::fromUtf8(line).trimmed().size() <= 80, line);
        }
        QVERIFY2(lines.last().contains("left out for want of room: "), listed.out);
        const QStringList made{QString::fromUtf8(held.out.trimmed()), QString::fromUtf8(unfit.out.trimmed())};
        QCOMPARE(m_drover.run(words("cancel") + made).exitCode, 0);
    }

    void otherTablesFitIt_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<int>("columns");
        for (const char *const command : {"history", "history --summary queue", "queue ls", "cluster status"})
            QTest::newRow(command) << QString::fromLatin1(command) << 80;
        for (const char *const command : {"user ls", "worker ls", "cron ls", "files ls"})
            QTest::newRow(command) << QString::fromLatin1(command) << 60;
        QCOMPARE(m_drover
                     .run(words("cron add nightly-summary")
                          << QStringLiteral("10 3 * * MON-FRI") << words("--zone America/Argentina/Buenos_Aires")
                          << words("-- ./summary --of yesterday"))
                     .exitCode,
                 0);
        QCOMPARE(drover("cron run nightly-summary").exitCode, 0);
        const Finished appended = m_drover.shell("echo one | drover append $HOME/a-shared-file-with-a-long-name.txt");
        QVERIFY2(appended.exitCode == 0, appended.err);
    }

    void otherTablesFitIt()
    {
        QFETCH(QString, command);
        QFETCH(int, columns);
        const QString typed = QStringLiteral("TERM=dumb script -qec 'stty cols %2; exec drover %1' /dev/null");
        const Finished listed = m_drover.shell(typed.arg(command).arg(columns).toUtf8());
        const QStringList lines = QString::fromUtf8(listed.out).split(u'\n', Qt::SkipEmptyParts);
        QVERIFY2(lines.size() > 1 && !lines[0].startsWith(u"drover: "), listed.out);
        for (const QString &line : lines) {
            if (!line.startsWith(u"drover: "))
                QVERIFY2(line.trimmed().size() <= columns, qPrintable(line));
        }
        QVERIFY2(!listed.out.contains("the table needs"), listed.out);
    }
};

QTEST_GUILESS_MAIN(ListingTest)
#include "listing_test.moc"
