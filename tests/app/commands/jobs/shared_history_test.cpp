#include "app/support/drover_on_server.h"
#include "support/send_signal.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

#include <algorithm>
#include <csignal>

using namespace drover;
using namespace drover::test;

// A history that the cluster's config names, in a file that all candidates for
// master see: the real program, one master after the other.
class SharedHistoryTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    std::unique_ptr<QProcess> m_worker;
    QTemporaryDir m_storage;

    QString file() const { return m_storage.filePath(QStringLiteral("history.sqlite")); }
    QString place() const { return QStringLiteral("shared:") + file(); }
    Finished drover(const char *arguments) const { return m_cluster.drover.run(words(arguments)); }

    void allow(const QString &listed) const
    {
        const QString directory =
            m_cluster.drover.environment().value(QStringLiteral("XDG_CONFIG_HOME")) + QStringLiteral("/drover");
        QVERIFY(QDir().mkpath(directory));
        QFile config(directory + QStringLiteral("/config.toml"));
        QVERIFY(config.open(QFile::WriteOnly | QFile::Truncate));
        config.write("history_allow = [\"" + listed.toUtf8() + "\"]\n");
    }

    void startWorker(const char *id, const QStringList &options = {})
    {
        m_worker = m_cluster.drover.start(words("worker --slots 2 --id") + QStringList(QLatin1String(id)) + options);
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, 30'000);
    }

    void stopWorker()
    {
        if (!m_worker)
            return;
        sendSignal(*m_worker, SIGTERM);
        DroverProgram::finish(*m_worker);
        m_worker.reset();
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 0, 30'000);
    }

    qint64 total() const { return json(drover("history -o json")).value(QStringLiteral("total")).toInteger(-1); }

    QString findings() const
    {
        QStringList texts;
        for (const QJsonValue &finding : json(drover("doctor -o json")).value(QStringLiteral("findings")).toArray()) {
            if (finding[QLatin1String("subject")].toString() == u"history")
                texts.append(finding[QLatin1String("what")].toString());
        }
        return texts.join(u'\n');
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({"default"}); }
    void cleanup() { stopWorker(); }

    void nonsenseIsRefused()
    {
        for (const char *const place : {"shared:here", "history.sqlite", "mysql://host/db"}) {
            const Finished finished = m_cluster.drover.run(words("history keep --in") << QLatin1String(place));
            QCOMPARE(finished.exitCode, 2);
            QVERIFY2(finished.complainsOnce(), finished.err);
        }
        for (const char *const place : {"postgresql://u:secret@db/jobs", "postgresql://u@db/jobs?password=secret"}) {
            const Finished finished = m_cluster.drover.run(words("history keep --in") << QLatin1String(place));
            QCOMPARE(finished.exitCode, 2);
            QVERIFY2(finished.complainsOnce() && finished.err.contains(".pgpass"), finished.err);
            QVERIFY2(!finished.err.contains("secret"), finished.err);
        }
        const Finished none = drover("history");
        QCOMPARE(none.exitCode, 3);
        QVERIFY2(none.complainsOnce() && none.err.contains("no history is kept here"), none.err);
    }

    void mastersInTurnFillOneFile()
    {
        const Finished set = m_cluster.drover.run(words("history keep -o json --in") << place());
        QVERIFY2(set.exitCode == 0, set.err);
        QVERIFY2(set.err.contains("history_allow = [\"" + place().toUtf8() + "\"]"), set.err);
        allow(place());
        QCOMPARE(json(set).value(QStringLiteral("keep_in")).toString(), place());
        QCOMPARE(json(drover("history keep --jobs 1000 -o json")).value(QStringLiteral("keep_in")).toString(), place());
        QVERIFY(drover("history keep").out.contains("by workers without --history\n"));

        startWorker("first");
        QCOMPARE(drover("run -- true").exitCode, 0);
        QTRY_COMPARE_WITH_TIMEOUT(total(), 1, 30'000);
        stopWorker();
        startWorker("second");
        QCOMPARE(drover("run -- false").exitCode, 1);
        QTRY_COMPARE_WITH_TIMEOUT(total(), 2, 30'000);

        const QJsonObject covers = json(drover("history -o json")).value(QStringLiteral("coverage")).toObject();
        QCOMPARE(covers.value(QStringLiteral("history")).toString(), place());
        QCOMPARE(covers.value(QStringLiteral("kept_by")).toArray().size(), 1);
        QVERIFY(covers.value(QStringLiteral("kept_since")).toString().endsWith(u'Z'));
        const Finished table = drover("history --name missing");
        QVERIFY2(table.err.contains("in shared:/") && table.err.contains(" since "), table.err);
        QCOMPARE(json(drover("master show -o json")).value(QStringLiteral("history")).toString(), place());
        QCOMPARE(findings(), QString());
        QVERIFY(!QFile::exists(file() + QStringLiteral("-wal")));
    }

    void anotherPlaceCanBeGivenForTheHistory()
    {
        startWorker("third", {QStringLiteral("--history"), m_storage.filePath(QStringLiteral("own.sqlite"))});
        const std::unique_ptr<QProcess> other = m_cluster.drover.start(words("worker --id fourth"));
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 2, 30'000);
        QTRY_VERIFY2_WITH_TIMEOUT(findings().contains(u"in different places"), qPrintable(findings()), 30'000);
        sendSignal(*other, SIGTERM);
        DroverProgram::finish(*other);
    }

    void eachWorkersOwnFileHoldsAPart()
    {
        startWorker("ninth", {QStringLiteral("--history"), m_storage.filePath(QStringLiteral("own.sqlite"))});
        QVERIFY2(!findings().contains(u" files"), qPrintable(findings())); // one alone
        const std::unique_ptr<QProcess> other = m_cluster.drover.start(
            words("worker --id tenth --history") << m_storage.filePath(QStringLiteral("others.sqlite")));
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 2, 30'000);
        QTRY_VERIFY2_WITH_TIMEOUT(findings().contains(u"workers would keep it in 2 files, each a part"),
                                  qPrintable(findings()), 30'000);
        sendSignal(*other, SIGTERM);
        DroverProgram::finish(*other);
    }

    // The settings of the cluster limit done/ and let the master drop later records. doctor reports both.
    void jobsGoOnWhileTheDatabaseIsDown()
    {
        m_cluster.write(m_cluster.layout.config(), R"({"v":1,"done_limit":3,"history_when_away":"drop"})");
        startWorker("fifth", {QStringLiteral("--history"), QStringLiteral("postgresql://127.0.0.1:1/none")});
        const auto saysDoctor = [this](const char *what) {
            const QJsonArray all = json(drover("doctor -o json")).value(QStringLiteral("findings")).toArray();
            return std::any_of(all.begin(), all.end(), [what](const QJsonValue &finding) {
                return finding[QLatin1String("subject")].toString().startsWith(u"history postgresql:")
                    && finding[QLatin1String("level")].toString() == u"problem"
                    && finding[QLatin1String("what")].toString().contains(QLatin1String(what));
            });
        };
        QCOMPARE(drover("run -- true").exitCode, 0);
        QTRY_VERIFY_WITH_TIMEOUT(saysDoctor("records wait"), 30'000);
        QVERIFY(!saysDoctor("were deleted before they were in it"));
        for (int i = 0; i < 5; ++i)
            QCOMPARE(drover("run -- true").exitCode, 0);
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.done()).size(), 3, 30'000);
        QTRY_VERIFY_WITH_TIMEOUT(saysDoctor("were deleted before they were in it"), 30'000);
        QVERIFY(saysDoctor("records wait"));
    }

    void aFileThatIsSharedIsNotTakenForAnother()
    {
        const Finished finished = m_cluster.drover.run(words("history --history") << file());
        QCOMPARE(finished.exitCode, 1);
        QVERIFY2(finished.complainsOnce() && finished.err.contains("say shared:"), finished.err);
    }
};

QTEST_GUILESS_MAIN(SharedHistoryTest)
#include "shared_history_test.moc"
