#include "app/support/drover_program.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

using namespace drover::test;

// The real `drover lab` and `drover bench recipes`, small: counts are judged, times are not.
class LabTest : public QObject
{
    Q_OBJECT

    DroverProgram m_drover;

    QJsonObject measure(const QString &arguments)
    {
        m_last = m_drover.run(arguments.split(u' ') + words("-o json"), 400'000);
        return QJsonDocument::fromJson(m_last.out).object();
    }

    static double number(const QJsonObject &figures, const char *name)
    {
        return figures.value(QLatin1String(name)).toDouble(-1);
    }

    Finished m_last;

private Q_SLOTS:
    void aReleaseOfTheMutexWakesTwo_data();
    void aReleaseOfTheMutexWakesTwo();
    void aReleaseOfTheSlowLockWakesAll();
    void readersGoOnTogether();
    void kindsAreChecked();
    void aResignationWakesTwo();
    void aBarrierAdmitsAllClients();
    void everyItemIsDeliveredOnce();
    void changesArePrintedUpToTheLimit();
    void everyLineFits_data();
    void everyLineFits();
    void onlyTheFencePreventsOverlaps();
    void recipesAreMeasured();
    void aMissingPeerIsNamed();
};

void LabTest::aReleaseOfTheMutexWakesTwo_data()
{
    QTest::addColumn<QString>("kind");
    QTest::newRow("mutex") << QStringLiteral("mutex");
    QTest::newRow("write") << QStringLiteral("write");
}

void LabTest::aReleaseOfTheMutexWakesTwo()
{
    QFETCH(QString, kind);
    const QJsonObject figures = measure(QStringLiteral("lab locks --clients 6 --for 2s --kind ") + kind);
    QVERIFY2(m_last.exitCode == 0, m_last.err);
    QCOMPARE(number(figures, "clients"), 6);
    const double cycles = number(figures, "cycles");
    QVERIFY(cycles >= 1);
    QVERIFY2(number(figures, "wakeups") <= 2 + 6 / cycles, m_last.out);
    QVERIFY(number(figures, "wakeups") >= 1 - 6 / cycles);
    QVERIFY(number(figures, "handoff_p99_ms") >= number(figures, "handoff_ms"));
    QVERIFY(number(figures, "fairness") >= 1);
    QVERIFY(figures.value(u"shows").toString().contains(u"of 5 waiters"));
}

void LabTest::aReleaseOfTheSlowLockWakesAll()
{
    // Held so long that all five have set their watches again.
    const QJsonObject figures = measure(QStringLiteral("lab locks --clients 6 --for 8s --kind slow --hold 600ms"));
    QVERIFY2(m_last.exitCode == 0, m_last.err);
    const double cycles = number(figures, "cycles");
    QVERIFY(cycles >= 1);
    QVERIFY2(number(figures, "wakeups") >= 4 && number(figures, "wakeups") <= 5 + 5 / cycles, m_last.out);
    QVERIFY(figures.value(u"shows").toString().contains(u"herd"));
}

void LabTest::readersGoOnTogether()
{
    // Ten who held it alone would have it five times a second each.
    const QJsonObject figures = measure(QStringLiteral("lab locks --clients 10 --for 3s --kind rw --hold 100ms"));
    QVERIFY2(m_last.exitCode == 0, m_last.err);
    QVERIFY(number(figures, "cycles") >= 1);
    QVERIFY(number(figures, "requests") > 0);
}

void LabTest::kindsAreChecked()
{
    const Finished finished = m_drover.run(
        {QStringLiteral("lab"), QStringLiteral("locks"), QStringLiteral("--kind"), QStringLiteral("fast")});
    QCOMPARE(finished.exitCode, 2);
    QVERIFY2(finished.complainsOnce(), finished.err);
    QVERIFY(finished.err.contains("mutex, slow, write or rw"));
}

void LabTest::aResignationWakesTwo()
{
    const QJsonObject figures = measure(QStringLiteral("lab election --clients 4 --for 1s"));
    QVERIFY2(m_last.exitCode == 0, m_last.err);
    QCOMPARE(figures.value(u"bench").toString(), QStringLiteral("election"));
    const double terms = number(figures, "terms");
    QVERIFY(terms >= 1);
    QVERIFY2(number(figures, "wakeups") <= 2 + 4 / terms, m_last.out);
    QVERIFY(number(figures, "median_ms") > 0);
}

void LabTest::aBarrierAdmitsAllClients()
{
    const QJsonObject figures = measure(QStringLiteral("lab barrier --clients 4 --for 1s"));
    QVERIFY2(m_last.exitCode == 0, m_last.err);
    QVERIFY(number(figures, "rounds") >= 1);
    QVERIFY(number(figures, "wakeups") > 0);
}

void LabTest::everyItemIsDeliveredOnce()
{
    const QJsonObject figures = measure(QStringLiteral("lab queue --clients 4 --for 1s --batch 50"));
    QVERIFY2(m_last.exitCode == 0, m_last.err); // what came twice would have ended it
    QCOMPARE(number(figures, "producers"), 2);
    QCOMPARE(number(figures, "consumers"), 2);
    QVERIFY(number(figures, "items") >= 1);
    QVERIFY2(number(figures, "requests") < 3, m_last.out);
}

void LabTest::changesArePrintedUpToTheLimit()
{
    const auto locks = [this](const QStringList &options) {
        const QStringList words{QStringLiteral("lab"), QStringLiteral("locks"), QStringLiteral("--clients"),
                                QStringLiteral("3"),   QStringLiteral("--for"), QStringLiteral("1s")};
        return m_drover.run(words + options, 120'000);
    };
    static const QRegularExpression change(QStringLiteral("^ *[0-9.]+ ms  [-+~] _c_[-0-9a-f]+-lock-[0-9]{10}"),
                                           QRegularExpression::MultilineOption);
    const Finished seven = locks({QStringLiteral("--changes"), QStringLiteral("7")});
    QVERIFY2(seven.exitCode == 0, seven.err);
    QCOMPARE(QString::fromUtf8(seven.out).count(change), 7);
    QVERIFY(seven.out.contains("wakeups"));
    const Finished quiet = locks({QStringLiteral("--quiet")});
    QVERIFY2(quiet.exitCode == 0, quiet.err);
    QCOMPARE(QString::fromUtf8(quiet.out).count(change), 0);
}

void LabTest::everyLineFits_data()
{
    QTest::addColumn<QString>("lab");
    QTest::addColumn<int>("width");
    QTest::newRow("into a pipe") << QStringLiteral("locks --kind mutex") << 80;
    QTest::newRow("terminal") << QStringLiteral("locks --kind rw") << 80;
    QTest::newRow("narrow terminal") << QStringLiteral("locks --kind slow") << 60;
    QTest::newRow("barrier") << QStringLiteral("barrier") << 80;
}

void LabTest::everyLineFits()
{
    QFETCH(QString, lab);
    QFETCH(int, width);
    QString command = QStringLiteral("drover lab %1 --clients 4 --for 1s --changes 12").arg(lab);
    if (QTest::currentDataTag() != QByteArray("into a pipe"))
        command = QStringLiteral("TERM=dumb script -qec 'stty cols %1; exec %2' /dev/null").arg(width).arg(command);
    const Finished shown = m_drover.shell(command.toUtf8());
    QVERIFY2(shown.out.contains("shows"), shown.out + shown.err);
    for (QString line : QString::fromUtf8(shown.out).split(u'\n')) {
        while (line.endsWith(u'\r'))
            line.chop(1);
        QVERIFY2(line.size() <= width, qPrintable(line));
    }
}

void LabTest::onlyTheFencePreventsOverlaps()
{
    const QJsonObject figures = measure(QStringLiteral("lab compare --clients 3 --for 2s --pauses 4"));
    QVERIFY2(m_last.exitCode == 0, m_last.err);
    const QJsonArray locks = figures.value(u"locks").toArray();
    QCOMPARE(locks.size(), 4);
    for (int i = 0; i < locks.size(); ++i) {
        const QJsonObject lock = locks[i].toObject();
        if (i >= 2 && lock.contains(u"missing"))
            continue; // an optional component
        QVERIFY2(number(lock, "cycles") >= 1, m_last.out);
        QVERIFY(number(lock, "per_s") > 0);
        QVERIFY2(number(lock, "overlaps") >= 1, m_last.out);
        QCOMPARE(number(lock, "overlaps_fenced"), 0);
    }
}

void LabTest::recipesAreMeasured()
{
    const bool withPeers = QFileInfo(qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/kazoo-peer")).exists();
    const QJsonObject figures = measure(withPeers ? QStringLiteral("bench recipes --for 1s --against kazoo")
                                                  : QStringLiteral("bench recipes --for 1s"));
    QVERIFY2(m_last.exitCode == 0, m_last.err);
    QStringList works;
    const QJsonArray rows = figures.value(u"rows").toArray();
    for (const QJsonValue &value : rows) {
        const QJsonObject row = value.toObject();
        const QString work = row.value(u"work").toString();
        works.append(work);
        QVERIFY2(number(row, "drover") > 0, m_last.out);
        if (work == u"wakeups") {
            QCOMPARE(number(row, "clients"), 1000);
            QVERIFY2(number(row, "drover") <= 2.1, m_last.out);
        } else if (withPeers) {
            QVERIFY2(number(row, "kazoo") > 0, m_last.out);
            QVERIFY2(number(row, "kazoo_ratio") > 0, m_last.out);
        }
    }
    works.removeDuplicates();
    QCOMPARE(rows.size(), 13);
    QCOMPARE(works.join(u' '), QStringLiteral("lock rw queue latch wakeups"));
}

void LabTest::aMissingPeerIsNamed()
{
    m_drover.setVariable("DROVER_PEERS", QStringLiteral("/no/such/folder"));
    const Finished finished = m_drover.run(
        {QStringLiteral("bench"), QStringLiteral("recipes"), QStringLiteral("--against"), QStringLiteral("curator")});
    QCOMPARE(finished.exitCode, 3);
    QVERIFY2(finished.complainsOnce(), finished.err);
    QVERIFY(finished.err.contains("/no/such/folder/curator-peer"));
}

QTEST_GUILESS_MAIN(LabTest)
#include "lab_test.moc"
