#include "app/support/drover_on_server.h"

#include <QDir>
#include <QImage>
#include <QSettings>
#include <QTest>

using namespace drover;
using namespace drover::test;

// The options of the desktop: the real program, on a platform without a screen.
class ConsoleProgramTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    const DroverProgram &m_drover = m_cluster.drover;

    QString picture() const { return m_drover.directory() + QStringLiteral("/window.png"); }

    Finished console(const QString &arguments) const
    {
        QProcessEnvironment environment = m_drover.environment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover-console"), words(arguments));
        return DroverProgram::finish(process);
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({QByteArrayLiteral("default")}); }

    void aPictureHasItsThemeAndSize()
    {
        for (const char *const theme : {"light", "dark"}) {
            const Finished finished = console(QStringLiteral("--theme %1 --size 900x600 --after 100ms --screenshot %2")
                                                  .arg(QLatin1String(theme), picture()));
            QVERIFY2(finished.exitCode == 0, finished.err);
            const QImage image(picture());
            QCOMPARE(image.size(), QSize(900, 600));
            QCOMPARE(image.pixelColor(880, 580).lightness() < 128, QByteArray(theme) == "dark");
        }
    }

    void aPictureOfAClusterThatIsMissingBlamesTheCluster()
    {
        const Finished finished = console(QStringLiteral("--cluster nosuch --screenshot %1").arg(picture()));
        QCOMPARE(finished.exitCode, 3);
        QVERIFY2(finished.err.contains("there is no cluster nosuch at"), finished.err);
    }

    // The servers that the environment names have a tab beside those of the last time, which are kept.
    void tabsOfTheLastTimeStayBesideTheServersThatAreConfigured()
    {
        const QString home = m_drover.directory() + QStringLiteral("/settings");
        const QString path = home + QStringLiteral("/drover/drover-console.conf");
        QVERIFY(QDir().mkpath(QFileInfo(path).path()));
        const auto tabs = [&path] {
            QSettings settings(path, QSettings::IniFormat);
            QStringList clusters;
            const int count = settings.beginReadArray(QStringLiteral("tabs"));
            for (int i = 0; i < count; ++i) {
                settings.setArrayIndex(i);
                clusters << settings.value(QStringLiteral("cluster")).toString();
            }
            return clusters;
        };
        {
            QSettings settings(path, QSettings::IniFormat);
            settings.beginWriteArray(QStringLiteral("tabs"));
            settings.setArrayIndex(0);
            settings.setValue(QStringLiteral("servers"), m_cluster.server.connectString());
            settings.setValue(QStringLiteral("cluster"), QByteArrayLiteral("night"));
            settings.endArray();
        }
        QProcessEnvironment environment = m_drover.environment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), home);
        environment.insert(QStringLiteral("XDG_STATE_HOME"), home);
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover-console"),
                      {QStringLiteral("--connect"), m_cluster.server.connectString()});
        // The charts are kept from the moment at which there is a window; its event loop obeys signals.
        const QString charts = home + QStringLiteral("/drover");
        QTRY_VERIFY_WITH_TIMEOUT(QDir(charts).entryList(QDir::Files).size() > 1, 60'000);
        process.terminate();
        const Finished finished = DroverProgram::finish(process);
        QVERIFY2(finished.exitCode == 0, finished.err);
        QCOMPARE(tabs(), QStringList({QStringLiteral("night"), QStringLiteral("default")}));
    }

    // With all that it can log.
    void noPasswordIsPrintedOrLogged()
    {
        const QByteArray secret = m_cluster.credentials().digestSecret(trust::Role::Viewer);
        const QByteArray password = secret.mid(secret.indexOf(':') + 1);
        QProcessEnvironment environment = m_drover.environment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        environment.insert(QStringLiteral("QT_LOGGING_RULES"), QStringLiteral("drover.*=true"));
        environment.insert(QStringLiteral("DROVER_AUTH"), QStringLiteral("digest:") + QString::fromUtf8(secret));
        const QStringList runs{QStringLiteral("--credentials none --screenshot ") + picture(),
                               QStringLiteral("--bench locks --scale 0.01 --json")};
        for (const QString &arguments : runs) {
            QProcess process;
            process.setProcessEnvironment(environment);
            process.start(qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover-console"), words(arguments));
            const Finished finished = DroverProgram::finish(process);
            QVERIFY2(finished.exitCode == 0, finished.err);
            QVERIFY(finished.err.contains("connected to") || finished.out.contains("longest_stall_ms"));
            QVERIFY(!(finished.out + finished.err).contains(password));
        }
    }

    // The help names all pages and measurements that there are.
    void theHelpIsComplete()
    {
        const Finished help = console(QStringLiteral("--help"));
        QVERIFY2(help.exitCode == 0 && help.out.startsWith("Usage: drover-console [OPTIONS] [FILE]\n"), help.out);
        const QString said = QString::fromUtf8(help.out).simplified();
        for (const char *const option : {"--page nosuch", "--bench nosuch"}) {
            const Finished refused = console(QLatin1String(option));
            const QString known =
                QString::fromUtf8(refused.err).section(QStringLiteral("must be one of "), 1).simplified();
            QVERIFY2(known.count(u',') > 3 && said.contains(QStringLiteral(": ") + known), qPrintable(known + said));
        }
        QVERIFY2(said.contains(u"Examples: drover-console --demo"), qPrintable(said));
        QVERIFY2(said.contains(u"3 of --screenshot: there is no such cluster"), qPrintable(said));
        QVERIFY(console(QStringLiteral("--version")).out.startsWith("drover-console "));
    }

    // With a hundredth of its load each does all that it does.
    void everyMeasurementPrintsItsFigures_data()
    {
        QTest::addColumn<QStringList>("figures");
        QTest::newRow("start") << words("filled_ms idle_cpu_share idle_rss_mb");
        QTest::newRow("siblings") << words("siblings first_rows_ms all_rows_ms open_stall_ms");
        QTest::newRow("events") << words("events_per_s pages cpu_share");
        QTest::newRow("locks") << words("lock_count locks_shown appear_ms circles graph_ms graph_busy_ms");
        QTest::newRow("history") << words(
            "job_count open_ms filter_ms filter_name_ms filter_tag_ms filter_submitter_ms filter_state_ms sort_id_ms "
            "sort_id_descending_ms sort_name_ms sort_name_descending_ms sort_worker_ms sort_worker_descending_ms "
            "sort_ended_ms sort_ended_descending_ms sort_state_ms sort_state_descending_ms sort_ms sort_cpu_ms "
            "scroll_ms scroll_all_ms");
        QTest::newRow("output") << words(
            "flood_stall_ms line_stall_ms file_mb file_open_ms file_find_ms file_error_ms file_stall_ms");
        QTest::newRow("replay") << words("changes record_ms moment_ms moment_median_ms");
    }
    void everyMeasurementPrintsItsFigures()
    {
        QFETCH(const QStringList, figures);
        const QString name = QLatin1String(QTest::currentDataTag());
        const Finished finished = console(QStringLiteral("--bench %1 --scale 0.01 --json").arg(name));
        QVERIFY2(finished.exitCode == 0, finished.err);
        const QJsonObject printed = json(finished);
        QCOMPARE(printed.value(u"name").toString(), name);
        for (const QString &figure : figures + words("longest_stall_ms longest_busy_ms rss_mb"))
            QVERIFY2(printed.value(figure).isDouble(), finished.out);
    }

    void aJobFileThatIsWrongIsNamedWithItsLine()
    {
        const QString path = m_drover.directory() + QStringLiteral("/bad.job.toml");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("command = [\"true\"]\npriority = 12\n");
        file.close();
        const Finished finished = console(path);
        QCOMPARE(finished.exitCode, 2);
        QVERIFY2(finished.err.contains("bad.job.toml:2: ") && finished.err.count('\n') == 1, finished.err);
    }

    void unknownArgumentsAreRefusedInOneLine()
    {
        for (const char *const wrong : {"--theme purple", "--size 900", "--size 0x600", "--after soon", "--after 3s",
                                        "list", "one.job.toml two.job.toml", "--bench nosuch", "--json", "--scale 0.5",
                                        "--bench start --scale 2", "--demo --cluster other"}) {
            const Finished finished = console(QLatin1String(wrong));
            QVERIFY2(finished.exitCode == 2, wrong);
            QVERIFY2(finished.err.startsWith("drover-console: ") && finished.err.count('\n') == 1, finished.err);
        }
    }
};

QTEST_GUILESS_MAIN(ConsoleProgramTest)
#include "console_program_test.moc"
