#include "app/support/key_machines.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>

using namespace drover;
using namespace drover::test;

// A worker whose credentials come by standard input, as systemd hands over a file that root alone may read: by the real
// program, on a real server.
class CredentialsInputTest : public KeyMachines
{
    Q_OBJECT

    DroverProgram m_machine; // which has no credentials of its own
    std::unique_ptr<QProcess> m_worker;

    QString spool() const { return m_machine.directory() + u"/spool"_qs; }
    QString handedOver() const { return m_admin.directory() + u"/machine.drover"_qs; }

    std::unique_ptr<QProcess> workerWith(const QString &input) const
    {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(m_machine.environment());
        process->setWorkingDirectory(m_machine.directory());
        process->setStandardInputFile(input);
        process->start(qEnvironmentVariable("DROVER_BIN_DIR") + u"/drover"_qs,
                       words("worker --id here --allow-root --policy none --credentials - --spool") << spool());
        return process;
    }
    bool joins() const
    {
        return QTest::qWaitFor([&] { return output(m_admin, u"worker ls"_qs).contains("here "); }, 60'000);
    }
    void stop()
    {
        if (!m_worker)
            return;
        m_worker->terminate();
        DroverProgram::finish(*m_worker);
        m_worker.reset();
    }
    static QString inputOf(const QString &pid)
    {
        return QFileInfo(QStringLiteral("/proc/%1/fd/0").arg(pid)).symLinkTarget();
    }
    QStringList childrenOfWorker() const
    {
        QStringList children;
        const QString tasks = QStringLiteral("/proc/%1/task").arg(m_worker->processId());
        for (const QString &thread : QDir(tasks).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            QFile list(tasks + u'/' + thread + u"/children"_qs);
            if (list.open(QIODevice::ReadOnly))
                children += QString::fromLatin1(list.readAll()).split(u' ', Qt::SkipEmptyParts);
        }
        return children;
    }
    QByteArray refusalOf(const QString &input) const
    {
        const std::unique_ptr<QProcess> worker = workerWith(input);
        const Finished refused = DroverProgram::finish(*worker);
        return refused.exitCode == 5 && refused.complainsOnce()
            ? refused.err
            : "exit code " + QByteArray::number(refused.exitCode) + ": " + refused.err;
    }

private Q_SLOTS:
    void initTestCase() { found(); }
    void cleanup() { stop(); }

    void jobsCannotReadThemAgain()
    {
        m_worker = workerWith(handedOver());
        QVERIFY(joins());
        QCOMPARE(endOf(m_alice, output(m_alice, u"submit -- true"_qs)), QByteArray("good"));
        if (::geteuid() != 0)
            QSKIP("only root sees what a worker holds");
        QCOMPARE(inputOf(QString::number(m_worker->processId())), u"/dev/null"_qs);
        const QStringList children = childrenOfWorker();
        QVERIFY(!children.isEmpty());
        for (const QString &child : children)
            QVERIFY(inputOf(child) != handedOver());
    }

    void whatIsNoneIsRefused()
    {
        const QString file = m_admin.directory() + u"/none"_qs;
        QVERIFY(QFile(file).open(QIODevice::WriteOnly));
        QVERIFY2(refusalOf(file).contains("other users may read it"), refusalOf(file));
        QVERIFY(QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner));
        QVERIFY2(refusalOf(file).contains("standard input: damaged"), refusalOf(file));
        for (const char *const line : {"ls --credentials -", "config check --credentials -"}) {
            const Finished refused = run(m_alice, QLatin1String(line));
            QCOMPARE(refused.exitCode, 2);
            QVERIFY2(refused.complainsOnce() && refused.err.contains("only drover worker"), refused.err);
        }
        DroverProgram other;
        other.setVariable("DROVER_CREDENTIALS", u"-"_qs);
        QCOMPARE(other.run(words("worker")).exitCode, 2);
    }

    // The file stays as it was, and the worker follows the root key all the same.
    void theyAreRenewedAfterARestart()
    {
        m_worker = workerWith(handedOver());
        QVERIFY(joins());
        const Finished begun = run(m_admin, u"key rotate --root -o json"_qs);
        QVERIFY2(begun.exitCode == 0, begun.err);
        QCOMPARE(json(begun)[u"workers_behind"].toArray(), QJsonArray());
        QCOMPARE(endOf(m_alice, output(m_alice, u"submit -- true"_qs)), QByteArray("good"));
        const Finished ended = run(m_admin, u"key rotate --root --finish -o json"_qs);
        QVERIFY2(ended.exitCode == 0, ended.err);
        stop();

        m_worker = workerWith(handedOver());
        QVERIFY(joins());
        QCOMPARE(endOf(m_alice, output(m_alice, u"submit -- true"_qs)), QByteArray("good"));
    }
};

QTEST_GUILESS_MAIN(CredentialsInputTest)
#include "credentials_input_test.moc"
