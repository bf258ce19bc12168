#include "app/support/drover_program.h"
#include "support/zk_server.h"

#include <QFile>
#include <QJsonArray>
#include <QTest>

using namespace drover;
using namespace drover::test;

// Who has changed what in a closed cluster, by the real program on a real server.
class AuditTest : public QObject
{
    Q_OBJECT

    TestServer m_server;
    DroverProgram m_administrator;
    DroverProgram m_alice; // submit and operate
    DroverProgram m_victor; // viewer
    std::vector<std::unique_ptr<QProcess>> m_workers;
    QString m_id; // of a job that alice has submitted

    static QByteArray run(const DroverProgram &program, const QString &line)
    {
        const Finished finished = program.run(words(line));
        if (finished.exitCode != 0)
            qWarning("%s: %s", qPrintable(line), finished.err.constData());
        return finished.out.trimmed();
    }
    QJsonArray entries(const QString &options = {}) const
    {
        return json(m_victor.run(words(QStringLiteral("events --audit -o json") + options)))[u"audit"].toArray();
    }
    // "alice job-held default-0", one for each entry.
    QStringList told(const QString &options = {}) const
    {
        QStringList lines;
        for (const QJsonValue entry : entries(options))
            lines << QStringLiteral("%1 %2 %3")
                         .arg(entry[u"by"].toString(), entry[u"action"].toString(), entry[u"target"].toString());
        return lines;
    }
    void login(const DroverProgram &person, const char *name, const char *roles)
    {
        const QString file = QStringLiteral("%1/%2.drover").arg(person.directory(), QLatin1String(name));
        run(m_administrator,
            QStringLiteral("user add %1 %2 --file %3").arg(QLatin1String(name), QLatin1String(roles), file));
        run(person, QStringLiteral("login ") + file);
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_server.start();
        run(m_administrator, QStringLiteral("cluster init --connect ") + m_server.connectString());
        login(m_alice, "alice", "--role submit --role operate");
        login(m_victor, "victor", "--role viewer");
        const QString history = m_administrator.directory() + QStringLiteral("/history.sqlite");
        m_alice.setVariable("DROVER_HISTORY", history);
        m_administrator.setVariable("DROVER_HISTORY", history);
        for (const char *const id : {"w1", "w2"})
            m_workers.push_back(
                m_administrator.start(words(QStringLiteral("worker --host-pids --grace 1s --spool %1/%2 --id %2")
                                                .arg(m_administrator.directory(), QLatin1String(id)))));
        QTRY_COMPARE_WITH_TIMEOUT(run(m_alice, QStringLiteral("worker ls -o jsonl")).split('\n').size(), 2, 60'000);
    }
    void cleanupTestCase()
    {
        for (const std::unique_ptr<QProcess> &worker : m_workers) {
            worker->terminate();
            DroverProgram::finish(*worker);
        }
    }

    void eachChangeLeavesOneSignedEntry()
    {
        QCOMPARE(told(),
                 (QStringList{QStringLiteral("admin cluster-closed cluster"), QStringLiteral("admin user-added alice"),
                              QStringLiteral("admin user-added victor")}));
        m_id = QString::fromUtf8(run(m_alice, QStringLiteral("submit --delay 1d -- true")));
        const QStringList lines{QStringLiteral("hold ") + m_id,
                                QStringLiteral("release ") + m_id,
                                QStringLiteral("priority 7 ") + m_id,
                                QStringLiteral("cancel ") + m_id,
                                QStringLiteral("queue pause default --why rest"),
                                QStringLiteral("queue resume default"),
                                QStringLiteral("queue limit default 8"),
                                QStringLiteral("limit set api 2"),
                                QStringLiteral("worker drain w2 --timeout 30s"),
                                QStringLiteral("worker uncordon w2"),
                                QStringLiteral("cron add nightly @daily -- true"),
                                QStringLiteral("cron pause nightly"),
                                QStringLiteral("cron resume nightly"),
                                QStringLiteral("cron rm nightly"),
                                QStringLiteral("cluster limits --queue-limit 1000")};
        for (const QString &line : lines)
            run(m_alice, line);
        const QStringList all = told(QStringLiteral(" --by alice"));
        const QString job = u' ' + m_id;
        QCOMPARE(
            all,
            (QStringList{QStringLiteral("alice job-held") + job, QStringLiteral("alice job-released") + job,
                         QStringLiteral("alice job-priority") + job, QStringLiteral("alice job-cancelled") + job,
                         QStringLiteral("alice queue-paused default"), QStringLiteral("alice queue-resumed default"),
                         QStringLiteral("alice queue-limited default"), QStringLiteral("alice limit-set api"),
                         QStringLiteral("alice worker-drained w2"), QStringLiteral("alice worker-uncordoned w2"),
                         QStringLiteral("alice cron-added nightly"), QStringLiteral("alice cron-paused nightly"),
                         QStringLiteral("alice cron-resumed nightly"), QStringLiteral("alice cron-removed nightly"),
                         QStringLiteral("alice settings-changed cluster")}));
        for (const QJsonValue entry : entries()) {
            QVERIFY2(entry[u"proven"].toBool(), qPrintable(entry[u"unproven"].toString()));
            QCOMPARE(entry[u"serial"].toString().size(), 32);
            QVERIFY(!entry[u"at"].toString().isEmpty());
        }
        QCOMPARE(entries(QStringLiteral(" --by alice --past 1"))[0][u"detail"].toString(),
                 QStringLiteral("queue_limit 1000"));
    }

    void theFiltersChoose()
    {
        const QStringList ofQueue = told(QStringLiteral(" --queue default"));
        QCOMPARE(ofQueue.size(), 7);
        QCOMPARE(told(QStringLiteral(" --queue default --past 2")), ofQueue.last(2));
        QCOMPARE(told(QStringLiteral(" --by missing")), QStringList());
        QCOMPARE(told(QStringLiteral(" --since 1h")).size(), 18);
        QCOMPARE(told(QStringLiteral(" --since 2999-01-01")), QStringList());
        for (const char *const line : {"events --by alice", "events --since 1h", "events --audit -f"}) {
            const Finished refused = m_alice.run(words(line));
            QCOMPARE(refused.exitCode, 2);
            QVERIFY2(refused.complainsOnce() && refused.err.contains("--audit"), refused.err);
        }
    }

    void aRefusedCommandLeavesNoEntry()
    {
        const QStringList before = told(QStringLiteral(" --past 1000"));
        QCOMPARE(m_victor.run(words(QStringLiteral("cancel ") + m_id)).exitCode, 5);
        QCOMPARE(m_victor.run(words("queue pause default")).exitCode, 5);
        QCOMPARE(m_alice.run(words(QStringLiteral("cancel ") + m_id)).exitCode, 4); // it has ended
        QCOMPARE(m_alice.run(words("queue resume default")).exitCode, 0); // it is not paused
        QCOMPARE(told(QStringLiteral(" --past 1000")), before);
    }

    void newKeysLeaveEntries()
    {
        const qsizetype before = told(QStringLiteral(" --past 1000")).size();
        const QString request = QString::fromUtf8(run(m_alice, QStringLiteral("key rotate")));
        run(m_administrator, QStringLiteral("key sign --revoke-old ") + request);
        run(m_alice, QStringLiteral("key rotate"));
        run(m_administrator, QStringLiteral("key rotate --root"));
        run(m_administrator, QStringLiteral("key rotate --root"));
        run(m_administrator, QStringLiteral("key rotate --root --abandon"));
        run(m_administrator, QStringLiteral("key rotate --root"));
        run(m_administrator, QStringLiteral("key rotate --root --finish"));
        run(m_administrator, QStringLiteral("key rotate --revoke-old"));
        QCOMPARE(told(QStringLiteral(" --past 1000")).mid(before),
                 (QStringList{QStringLiteral("admin key-rotated alice"), QStringLiteral("admin key-revoked alice"),
                              QStringLiteral("admin root-rotation-begun cluster"),
                              QStringLiteral("admin root-rotation-abandoned cluster"),
                              QStringLiteral("admin root-rotation-begun cluster"),
                              QStringLiteral("admin root-rotation-ended cluster"),
                              QStringLiteral("admin key-rotated admin"), QStringLiteral("admin key-revoked admin")}));
        const QJsonObject last = entries(QStringLiteral(" --past 1"))[0].toObject();
        QVERIFY2(last[u"proven"].toBool(), qPrintable(last[u"unproven"].toString())); // signed with the new key
    }

    void entriesOfARevokedUserAreUnproven()
    {
        run(m_alice, QStringLiteral("master stepdown"));
        run(m_administrator, QStringLiteral("user rm alice"));
        const QJsonArray ofAlice = entries(QStringLiteral(" --by alice --past 1000"));
        QCOMPARE(ofAlice.last()[u"action"].toString(), QStringLiteral("master-deposed"));
        for (const QJsonValue entry : ofAlice)
            QCOMPARE(entry[u"unproven"].toString(), QStringLiteral("the certificate is revoked"));
        QCOMPARE(told().last(), QStringLiteral("admin user-removed alice"));
        const QByteArray table = run(m_victor, QStringLiteral("events --audit --by alice --past 1"));
        QVERIFY2(table.contains("alice (unproven: the certificate is revoked)"), table);
    }

    // A worker believes no other name than that of the signature: tests/core/jobs/decision/decision_test.cpp.
    void theHistoryHasTheSignerOfAJob()
    {
        const QString id = QString::fromUtf8(run(m_administrator, QStringLiteral("submit -- true")));
        run(m_administrator, QStringLiteral("wait ") + id);
        const auto found = [&](const char *by) {
            return run(m_administrator, QStringLiteral("history -o jsonl --submitter ") + QLatin1String(by))
                .contains(id.toUtf8());
        };
        QTRY_VERIFY_WITH_TIMEOUT(found("admin"), 60'000);
        QVERIFY(!m_administrator.run(words("history -o jsonl --submitter alice")).out.contains(id.toUtf8()));
    }
};

QTEST_GUILESS_MAIN(AuditTest)
#include "audit_test.moc"
