#include "app/support/drover_on_server.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace drover;
using namespace drover::test;

namespace {

const QByteArray InFile = "value-of-the-file-3af1";
const QByteArray InVariable = "value of the variable 90c2";

void write(const QString &file, const QByteArray &text)
{
    QFile out(file);
    QVERIFY(out.open(QIODevice::WriteOnly | QIODevice::Truncate));
    out.write(text);
    QVERIFY(out.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
}

QByteArray contents(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// A user that jobs may run as.
QByteArray someUser()
{
    QByteArray name;
    ::setpwent();
    while (const passwd *const one = ::getpwent()) {
        if (one->pw_uid >= 1000 && one->pw_gid != 0)
            name = one->pw_name;
    }
    ::endpwent();
    return name;
}

QStringList filesWith(const QString &folder, const QByteArray &text)
{
    QStringList found;
    QDirIterator files(folder, QDir::Files | QDir::Hidden | QDir::System, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString path = files.next();
        if (contents(path).contains(text))
            found.append(path);
    }
    return found;
}

} // namespace

// Jobs with --secret, on a worker whose policy allows some.
class SecretTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    DroverProgram &m_drover = m_cluster.drover;
    std::unique_ptr<QProcess> m_worker;
    QTemporaryDir m_place; // beside what is searched
    QString m_reference; // of the file

    QString path(const char *name) const { return m_place.filePath(QLatin1String(name)); }
    QString ofFile(const char *name) const { return QStringLiteral("file:") + path(name); }

    void startWorker(QByteArray policy)
    {
        write(path("worker.toml"), policy + (::geteuid() == 0 ? "allow_root = true\n" : ""));
        m_worker = m_drover.start(words("worker --slots 2 --policy") << path("worker.toml"));
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, 30'000);
    }
    void startAllowing() { startWorker("secrets = [\"file:" + path("secrets").toUtf8() + "/*\", \"env:DB_*\"]\n"); }

    Finished run(const QStringList &secrets, const QString &script, const QString &options = {}) const
    {
        QStringList arguments = words("run --dir /") + options.split(u' ', Qt::SkipEmptyParts);
        for (const QString &secret : secrets)
            arguments << QStringLiteral("--secret") << secret;
        return m_drover.run(arguments + words("-- sh -c") << script);
    }
    QJsonObject newest() const
    {
        const auto numberOf = [](const QJsonObject &job) { return job[u"id"].toString().section(u'-', 1).toInt(); };
        QJsonObject newest;
        const QJsonArray jobs = json(m_drover.run(words("ls --all --queue default -o json")))[u"jobs"].toArray();
        for (const QJsonValue &job : jobs) {
            if (numberOf(job.toObject()) >= numberOf(newest))
                newest = job.toObject();
        }
        return newest;
    }
    QJsonObject secretsOf(const QByteArray &id) const
    {
        return json(m_drover.run(words("show -o json") << QString::fromUtf8(id.trimmed())))[u"secrets"].toObject();
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (const QByteArray user = someUser(); !user.isEmpty())
            m_cluster.runAs = {QString::fromLocal8Bit(user)};
        m_cluster.start({"default", "other"});
        m_drover.setVariable("DB_PASSWORD", QString::fromUtf8(InVariable));
        m_drover.setVariable("OTHER_PASSWORD", QString::fromUtf8(InVariable));
        m_drover.setVariable("DROVER_HISTORY", m_drover.directory() + QStringLiteral("/history.sqlite"));
        QDir().mkpath(path("secrets/below"));
        QCOMPARE(::chmod(qPrintable(m_place.path()), 0755), 0);
        write(path("secrets/token"), InFile + "\n");
        write(path("secrets/below/token"), InFile);
        write(path("outside"), InFile);
        write(path("secrets/nul"), InFile + '\0' + InFile);
        write(path("secrets/most"), QByteArray(64 * 1024, 'm'));
        write(path("secrets/large"), QByteArray(64 * 1024 + 1, 'm'));
        QVERIFY(QFile::link(path("outside"), path("secrets/link")));
        QCOMPARE(::mkfifo(qPrintable(path("secrets/pipe")), 0600), 0);
        m_reference = ofFile("secrets/token");
    }

    void cleanup() { m_cluster.stopWorker(m_worker); }

    void theValuesReachTheJobAndNothingElse()
    {
        startAllowing();
        const Finished finished =
            run({u"TOKEN="_qs + m_reference, QStringLiteral("PASSWORD=env:DB_PASSWORD")},
                QStringLiteral("printf %s-%s \"$TOKEN\" \"$PASSWORD\" >%1; echo ${#TOKEN}").arg(path("seen")));
        QVERIFY2(finished.exitCode == 0, finished.err);
        QCOMPARE(finished.out.trimmed(), QByteArray::number(InFile.size())); // without its line end
        QCOMPARE(contents(path("seen")), InFile + '-' + InVariable);

        const QString id = newest()[u"id"].toString();
        QTRY_VERIFY_WITH_TIMEOUT(m_drover.run(words("history")).out.contains(id.toUtf8()), 30'000);
        QByteArray said;
        for (const QString &command :
             {QStringLiteral("show %1"), QStringLiteral("show -o json %1"), QStringLiteral("ls --all -o json"),
              QStringLiteral("history -o json"), QStringLiteral("logs %1"), QStringLiteral("resubmit --dry-run %1")}) {
            const Finished one = m_drover.run(words(command.contains(u'%') ? command.arg(id) : command));
            QVERIFY2(one.exitCode == 0, one.err);
            said += one.out + one.err;
        }
        QVERIFY2(said.contains("PASSWORD=env:DB_PASSWORD") && said.contains(m_reference.toUtf8()), said);
        m_cluster.stopWorker(m_worker);
        const QByteArray configuration = m_cluster.server.ask("conf");
        const qsizetype at = configuration.indexOf("dataDir=") + 8;
        const QString data = QString::fromUtf8(configuration.mid(at, configuration.indexOf('\n', at) - at).trimmed());
        QVERIFY2(!filesWith(data, m_reference.toUtf8()).isEmpty(), qPrintable(data)); // so its logs are there
        QVERIFY(!filesWith(m_drover.directory(), m_reference.toUtf8()).isEmpty()); // and so is the history
        for (const QByteArray &value : {InFile, InVariable}) {
            QVERIFY2(!said.contains(value), said);
            QCOMPARE(filesWith(data, value), QStringList());
            QCOMPARE(filesWith(m_drover.directory(), value), QStringList());
        }
    }

    void upTo64KiBAreRead()
    {
        startAllowing();
        const Finished finished = run({u"MOST="_qs + ofFile("secrets/most")}, QStringLiteral("echo ${#MOST}"));
        QCOMPARE(finished.out.trimmed(), QByteArray("65536"));
    }

    void aSecretThatTheOwnerForbidsIsRefused_data()
    {
        QTest::addColumn<QString>("secret");
        QTest::addColumn<QByteArray>("why");
        const auto row = [this](const char *name, const char *file, const char *why) {
            QTest::newRow(name) << u"TOKEN="_qs + ofFile(file) << QByteArray(why);
        };
        const char *const notAllowed = "this worker does not allow the secret TOKEN=";
        row("a file elsewhere", "outside", notAllowed);
        row("a file in a folder below", "secrets/below/token", notAllowed);
        row("the folder", "secrets", notAllowed);
        row("a folder in it", "secrets/below", "it is not a regular file");
        row("a link", "secrets/link", "it is a symbolic link");
        row("a pipe", "secrets/pipe", "it is not a regular file");
        row("nothing", "secrets/missing", "No such file");
        row("a NUL", "secrets/nul", "it contains a NUL character");
        row("too much", "secrets/large", "it has more than 64 KiB");
        QTest::newRow("another variable") << QStringLiteral("TOKEN=env:OTHER_PASSWORD") << QByteArray(notAllowed);
        QTest::newRow("no variable") << QStringLiteral("TOKEN=env:DB_NONE") << QByteArray("is not set there");
    }
    void aSecretThatTheOwnerForbidsIsRefused()
    {
        QFETCH(QString, secret);
        QFETCH(QByteArray, why);
        startAllowing();
        const Finished finished = run({secret}, QStringLiteral("echo it ran"), QStringLiteral("--retries 2"));
        QCOMPARE(finished.exitCode, 125);
        QVERIFY2(finished.out.isEmpty() && finished.err.contains(why), finished.err);
        QVERIFY2(finished.err.contains("was refused: ") && finished.err.contains(secret.toUtf8()), finished.err);
        QVERIFY2(!finished.err.contains(InFile) && !finished.err.contains(InVariable), finished.err);
        const QJsonObject job = newest();
        QCOMPARE(job[u"outcome"].toString(), QStringLiteral("refused"));
        QCOMPARE(job[u"attempt"].toInt(), 1);
    }

    void noSecretIsAllowedByDefault()
    {
        startWorker("slots = 2\n");
        const Finished finished = run({u"TOKEN="_qs + m_reference}, QStringLiteral("echo it ran"));
        QVERIFY2(finished.exitCode == 125 && finished.err.contains("does not allow the secret"), finished.err);
    }

    // It is the worker's: the user who the job runs as cannot read the file.
    void aJobOfAnotherUserGetsIt()
    {
        const QByteArray user = someUser();
        if (::geteuid() != 0 || user.isEmpty())
            QSKIP("only root can start processes of another user");
        startWorker("secrets = [\"" + m_reference.toUtf8() + "\"]\nrun_as = [\"" + user + "\"]\n");
        const Finished finished = run({u"TOKEN="_qs + m_reference},
                                      QStringLiteral("cat %1; test \"$TOKEN\" = %2 && id -un")
                                          .arg(path("secrets/token"))
                                          .arg(QString::fromUtf8(InFile)),
                                      QStringLiteral("--run-as ") + QString::fromLocal8Bit(user));
        QVERIFY2(finished.out == user + '\n' && finished.err.contains("ermission denied"), finished.out + finished.err);
    }

    void theReferenceGoesWhereverTheJobGoes()
    {
        const QString secret = u"TOKEN="_qs + m_reference;
        const QJsonObject expected{{QStringLiteral("TOKEN"), m_reference}};
        const auto made = [&](const QString &command) {
            return m_drover.run(words(command) << QStringLiteral("--secret") << secret << words("-- true")).out;
        };
        const QByteArray held = made(QStringLiteral("submit --hold"));
        QCOMPARE(secretsOf(held), expected);
        const Finished moved =
            m_drover.run(words("move") << QString::fromUtf8(held.trimmed()) << QStringLiteral("other"));
        QVERIFY2(moved.exitCode == 0, moved.err);
        const QJsonArray others = json(m_drover.run(words("ls --queue other -o json")))[u"jobs"].toArray();
        QCOMPARE(others.last()[u"secrets"].toObject(), expected);

        QCOMPARE(m_drover.run(words("cron add nightly @daily --secret") << secret << words("-- true")).exitCode, 0);
        QCOMPARE(secretsOf(m_drover.run(words("cron run nightly")).out), expected);

        const QByteArray file = made(QStringLiteral("submit --dry-run"));
        write(path("job.json"), file);
        QCOMPARE(secretsOf(m_drover.run(words("submit --hold --file") << path("job.json")).out), expected);

        startAllowing();
        const QByteArray array = made(QStringLiteral("submit --wait --array 1-2"));
        QCOMPARE(secretsOf(array), expected);
        const QByteArray again = m_drover.run(words("resubmit --id-only") << QString::fromUtf8(array.trimmed())).out;
        QCOMPARE(secretsOf(again), expected);
        const Finished waited = m_drover.run(words("wait") << QString::fromUtf8(again.trimmed()));
        QVERIFY2(waited.exitCode == 0, waited.err);
    }

    void nonsenseIsRefused_data()
    {
        QTest::addColumn<QString>("secret");
        for (const char *const secret :
             {"TOKEN", "TOKEN=", "TOKEN=/etc/x", "TOKEN=file:x", "TOKEN=file:/a/../b", "TOKEN=file:/a/", "TOKEN=file:/",
              "TOKEN=env:", "TOKEN=env:A-B", "=file:/a", "1A=file:/a", "DROVER_FENCE=file:/a", "HOME=file:/a"})
            QTest::newRow(secret) << QString::fromLatin1(secret);
    }
    void nonsenseIsRefused()
    {
        QFETCH(QString, secret);
        const Finished finished = m_drover.run(words("submit --secret") << secret << words("-- true"));
        QCOMPARE(finished.exitCode, 2);
        QVERIFY2(finished.complainsOnce() && finished.err.contains("secret"), finished.err);
    }

    void rulesOfNonsenseAreRefused_data()
    {
        QTest::addColumn<QByteArray>("rule");
        for (const char *const rule :
             {"/etc/x", "file:*", "file:/*", "file:/nowhere/at/all/*", "env:A*B", "*", "env:-"})
            QTest::newRow(rule) << QByteArray(rule);
    }
    void rulesOfNonsenseAreRefused()
    {
        QFETCH(QByteArray, rule);
        write(path("worker.toml"), "\nsecrets = [\"" + rule + "\"]\n");
        const Finished refused = m_drover.run(words("worker --policy") << path("worker.toml"));
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("worker.toml:2: secrets names \"" + rule),
                 refused.err);
    }
};

QTEST_GUILESS_MAIN(SecretTest)
#include "secret_test.moc"
