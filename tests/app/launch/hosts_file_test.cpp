#include "app/cli/failure.h"
#include "app/launch/hosts_file.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;

// What `drover launch` reads.
class HostsFileTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_directory;

    QString write(const QByteArray &text) const
    {
        const QString path = m_directory.filePath(QStringLiteral("hosts.toml"));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(text) != text.size())
            throw std::runtime_error("cannot write the file of the test");
        return path;
    }

    QByteArray complaintAbout(const QByteArray &text) const
    {
        const QString path = write(text);
        try {
            app::HostsFile::read(path, {});
        } catch (const app::UsageError &error) {
            return error.what();
        }
        return "nothing";
    }

private Q_SLOTS:
    // Uncommented, but for files that a machine has to have.
    void theSampleIsAccepted()
    {
        QFile sample(QStringLiteral(DROVER_SOURCE_DIR "/packaging/hosts.toml"));
        QVERIFY(sample.open(QIODevice::ReadOnly));
        QString text = QString::fromUtf8(sample.readAll());
        text.replace(QRegularExpression(QStringLiteral("^#(?=[a-z_]+ = |\\[worker\\]|\\[\\[host)"),
                                        QRegularExpression::MultilineOption),
                     {});
        const QString secret = m_directory.filePath(QStringLiteral("secret"));
        QFile file(secret);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("secret") == 6);
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
        file.close();
        for (const char *const name : {"workers.drover", "build-2.drover"})
            text.replace(QLatin1String(name), secret);
        const app::HostsFile hosts = app::HostsFile::read(write(text.toUtf8()), {});
        QCOMPARE(hosts.hosts.size(), 3);
        QCOMPARE(hosts.sshConfig, m_directory.filePath(QStringLiteral("ssh_config")));
        const app::LaunchHost &first = hosts.hosts[0];
        QCOMPARE(first.address, QStringLiteral("build-1"));
        QCOMPARE(first.credentials, QByteArray("secret"));
        QVERIFY2(first.workerFile.contains("slots = 8") && first.workerFile.contains("id = "), first.workerFile);
        const app::LaunchHost &second = hosts.hosts[1];
        QCOMPARE(second.address, QStringLiteral("ci@build-2.example.com"));
        QVERIFY2(second.workerFile.contains("slots = 32") && second.workerFile.contains("gpu")
                     && second.workerFile.contains("queues"),
                 second.workerFile);
        QVERIFY(hosts.hosts[2].address.isEmpty()); // this machine
    }

    void eachErrorNamesItsPlaceInTheFile_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("complaint");
        const auto row = [](const char *name, const QByteArray &text, const QByteArray &complaint) {
            QTest::newRow(name) << text << complaint;
        };
        const QByteArray good = "connect = \"zk1\"\n[[host]]\nname = \"a\"\n";
        row("no TOML", "parallel = \n", "hosts.toml:1: ");
        row("no host", "parallel = 2\n", "it names no host");
        row("an unknown key", good + "prefixx = \"/x\"\n",
            "hosts.toml:4: prefixx is an unknown key; did you mean prefix");
        row("no name", "connect = \"zk1\"\n[[host]]\naddress = \"a\"\n", "hosts.toml:2: name is \"\"");
        row("a name with a domain", "connect = \"zk1\"\n[[host]]\nname = \"a.example.com\"\n",
            "what ssh connects to may be another name: address");
        row("an option as address", good + "address = \"-oProxyCommand=x\"\n", "hosts.toml:4: address is ");
        row("no ZooKeeper", "[[host]]\nname = \"a\"\n", "hosts.toml:1: connect is missing");
        row("no servers", "connect = \"zk1:0\"\n[[host]]\nname = \"a\"\n", "hosts.toml:1: connect cannot be used: ");
        row("twice", good + "[[host]]\nname = \"a\"\n", "two hosts are called a");
        row("an id", good + "worker = { id = \"b\" }\n", "hosts.toml:4: id is the name of the host");
        row("no programs", good + "programs = \"apt\"\n", "hosts.toml:4: programs is \"apt\"");
        row("no credentials", good + "credentials = \"nowhere\"\n", "hosts.toml:4: credentials cannot be taken: ");
        row("credentials that others can read", good + "credentials = \"public\"\n",
            "is not safe: other users may read");
        row("the home directory as prefix", good + "prefix = \"~/\"\n", "hosts.toml:2: prefix has to be a folder");
        row("the home of another as prefix", good + "prefix = \"~bob/x\"\n", "prefix has to be a folder");
        row("this machine by an address", good + "ssh = false\naddress = \"b\"\n",
            "hosts.toml:2: address means nothing with ssh = false");
        row("neither with ssh nor without", good + "ssh = \"no\"\n", "hosts.toml:4: ssh has to be true or false");
        row("without ssh, for all", "ssh = false\n" + good, "hosts.toml:1: ssh belongs below a [[host]]");
        row("the root as prefix", good + "prefix = \"//\"\n", "hosts.toml:2: prefix has to be a folder");
        row("a key of a host, for all", "name = \"a\"\n" + good, "hosts.toml:1: name belongs below a [[host]]");
        row("a key for all, misspelt", "paralel = 3\n" + good, "paralel is an unknown key; did you mean parallel");
        row("a key of the worker, misspelt", "[worker]\nslots = 2\nlabel = [\"x\"]\n" + good,
            "hosts.toml:3: label is an unknown key; did you mean labels");
        row("a key of a host's worker, misspelt", good + "[host.worker]\nslots = 2\nslotz = 2\n",
            "hosts.toml:6: slotz is an unknown key; did you mean slots");
        row("in a table in one line", good + "worker = { slots = 2, queue = \"x\" }\n",
            "hosts.toml:4: queue is an unknown key; did you mean queues");
        row("a hyphen", good + "min-free = \"1M\"\n",
            "hosts.toml:4: min-free is an unknown key; did you mean min_free");
        row("a hyphen in a key of the worker", good + "worker = { spool-keep = \"1h\" }\n", "nothing");
        row("several", "paralel = 2\n" + good + "prefixx = \"/x\"\nworker = { slotz = 2 }\n",
            "hosts.toml:1: paralel is an unknown key; did you mean parallel; ");
        row("the last of several", "paralel = 2\n" + good + "prefixx = \"/x\"\nworker = { slotz = 2 }\n",
            "hosts.toml:6: slotz is an unknown key");
        row("a key of all, below a host", good + "parallel = 2\n", "hosts.toml:4: parallel is an unknown key");
        row("credentials at home", good + "credentials = \"~/no-such-file\"\n", QDir::homePath().toUtf8() + "/no-such");
        row("no size", good + "min_free = \"much\"\n", "hosts.toml:4: min_free: \"much\"");
        row("too many", "parallel = 0\n", "hosts.toml:1: parallel has to be a whole number from 1");
    }
    void eachErrorNamesItsPlaceInTheFile()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, complaint);
        QFile readable(m_directory.filePath(QStringLiteral("public")));
        QVERIFY(readable.open(QIODevice::WriteOnly) && readable.setPermissions(QFile::ReadOwner | QFile::ReadOther));
        const QByteArray complained = complaintAbout(text);
        QVERIFY2(complained.contains(complaint), complained);
    }
};

QTEST_GUILESS_MAIN(HostsFileTest)
#include "hosts_file_test.moc"
