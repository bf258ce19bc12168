#include "gui/doctor/doctor_run.h"
#include "gui/doctor/findings_dialog.h"
#include "gui/pictures.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/tile.h"
#include "gui/window_fixture.h"
#include "gui/workspace/launch_links.h"
#include "gui/workspace/workspace.h"

#include <QAbstractItemModelTester>
#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::gui;

namespace {

constexpr int LimitMs = 60'000;

constexpr char Answers[] = R"sh(#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
cat <<'END'
{"findings": [
  {"level": "ok", "subject": "master", "what": "worker-1"},
  {"level": "warning", "subject": "queue nightly", "what": "is paused", "advice": "drover queue resume nightly"},
  {"level": "unknown", "subject": "server", "what": "does not say"},
  {"level": "problem", "subject": "queue gpu", "what": "3 jobs\u001b[31m, and no worker serves it", "advice": "start one"}
], "problems": 1, "warnings": 1, "unknown": 1}
END
exit 1
)sh";

} // namespace

// `drover doctor` as a process. Scripts stand for its answers; agreement_test has the program itself.
class DoctorTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_directory;

    LaunchProgram program(const QString &name, const QByteArray &script)
    {
        QFile file(m_directory.filePath(name));
        [&] {
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(script);
            QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        }();
        return {file.fileName(), {QStringLiteral("--cluster"), QStringLiteral("default")}};
    }
    QByteArray read(const QString &name) const
    {
        QFile file(m_directory.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private Q_SLOTS:
    void cleanup() { QFile::remove(m_directory.filePath(QStringLiteral("calls"))); }

    void problemsComeFirst()
    {
        DoctorRun run;
        const QAbstractItemModelTester tester(&run.findings());
        QSignalSpy found(&run, &DoctorRun::found);
        run.look(program(QStringLiteral("answers"), Answers));
        QTRY_COMPARE_WITH_TIMEOUT(found.size(), 1, LimitMs);
        QCOMPARE(read(QStringLiteral("calls")), QByteArray("doctor --cluster default --output json\n"));
        const FindingsModel &findings = run.findings();
        QCOMPARE(findings.rowCount(), 3);
        QCOMPARE(findings.row(0).subject, QStringLiteral("queue gpu"));
        QVERIFY2(!findings.row(0).what.contains(u'\x1b'), qPrintable(findings.row(0).what));
        QCOMPARE(findings.row(1).advice, QStringLiteral("drover queue resume nightly"));
        QCOMPARE(findings.row(2).level, QStringLiteral("unknown"));
        QCOMPARE(findings.count(QStringLiteral("problem")), 1);
        QCOMPARE(findings.index(0, FindingsModel::Level).data(ToneRole).toInt(), int(Tone::Bad));
    }

    void whatIsNoAnswerIsSaid_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QString>("why");
        QTest::newRow("refused") << QByteArray("#!/bin/sh\necho 'drover: access denied' >&2\nexit 5\n")
                                 << QStringLiteral("drover: access denied");
        QTest::newRow("no JSON") << QByteArray("#!/bin/sh\necho hello\necho line >&2; echo more >&2\n")
                                 << QStringLiteral("line");
        QTest::newRow("no program") << QByteArray() << QStringLiteral("cannot run");
    }

    void whatIsNoAnswerIsSaid()
    {
        QFETCH(const QByteArray, script);
        QFETCH(const QString, why);
        DoctorRun run;
        QSignalSpy failed(&run, &DoctorRun::failed);
        run.look(script.isEmpty() ? LaunchProgram{m_directory.filePath(QStringLiteral("none")), {}}
                                  : program(QStringLiteral("fails"), script));
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, LimitMs);
        QVERIFY2(failed[0][0].toString().startsWith(why), qPrintable(failed[0][0].toString()));
        QCOMPARE(run.findings().rowCount(), 0);
    }

    // However often the page is looked at. Another cluster is looked at at once.
    void itLooksOnceInAWhile()
    {
        const LaunchProgram answers = program(QStringLiteral("answers"), Answers);
        DoctorRun run(std::chrono::hours(1));
        QSignalSpy found(&run, &DoctorRun::found);
        run.look(answers);
        run.look(answers);
        QTRY_COMPARE_WITH_TIMEOUT(found.size(), 1, LimitMs);
        run.look(answers);
        QVERIFY(!run.isRunning());
        QCOMPARE(read(QStringLiteral("calls")).count('\n'), 1);
        run.forget();
        QCOMPARE(run.findings().rowCount(), 0);
        run.look(answers);
        QTRY_COMPARE_WITH_TIMEOUT(found.size(), 2, LimitMs);
    }

    // Whose servers are slow for a while has the same troubles as before.
    void whatWasFoundOutlivesATroubleOfTheRun()
    {
        DoctorRun run(std::chrono::milliseconds(0));
        QSignalSpy found(&run, &DoctorRun::found);
        QSignalSpy failed(&run, &DoctorRun::failed);
        run.look(program(QStringLiteral("answers"), Answers));
        QTRY_COMPARE_WITH_TIMEOUT(found.size(), 1, LimitMs);
        run.look(program(QStringLiteral("dies"), "#!/bin/sh\nkill -9 $$\n"));
        QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, LimitMs);
        QVERIFY(!failed[0][0].toString().isEmpty());
        QCOMPARE(run.findings().rowCount(), 3);
    }

    // What it would say is of another cluster.
    void aRunThatIsForgottenEndsAndSaysNothing()
    {
        DoctorRun run;
        QSignalSpy found(&run, &DoctorRun::found);
        QSignalSpy failed(&run, &DoctorRun::failed);
        run.look(program(QStringLiteral("hangs"),
                         "#!/bin/sh\necho $$ > \"$(dirname \"$0\")/new\"\nmv \"$(dirname \"$0\")/new\" "
                         "\"$(dirname \"$0\")/pid\"\nexec sleep 600\n"));
        QTRY_VERIFY_WITH_TIMEOUT(!read(QStringLiteral("pid")).isEmpty(), LimitMs);
        const pid_t pid = read(QStringLiteral("pid")).trimmed().toInt();
        QVERIFY(pid > 0);
        run.forget();
        QTRY_VERIFY_WITH_TIMEOUT(::kill(pid, 0) != 0, LimitMs);
        QVERIFY(found.isEmpty() && failed.isEmpty());
    }

    void theOverviewSaysWhatWasFound()
    {
        const LaunchProgram answers = program(QStringLiteral("answers"), Answers);
        test::WindowFixture f;
        f.window.shown().launch().setPrograms([&](const Target &) { return answers; });
        f.window.showPage(QStringLiteral("jobs"));
        f.window.showPage(QStringLiteral("overview")); // it asks at once
        const QList<Tile *> tiles = f.window.findChildren<Tile *>();
        const auto doctor =
            std::find_if(tiles.begin(), tiles.end(), [](const Tile *tile) { return tile->text() == u"Doctor"; });
        QVERIFY(doctor != tiles.end());
        QTRY_COMPARE_WITH_TIMEOUT((*doctor)->value(), QStringLiteral("1 problem, 1 warning"), LimitMs);
        QVERIFY2((*doctor)->remark().startsWith(u"queue gpu: 3 jobs"), qPrintable((*doctor)->remark()));
        test::pictureOf(f.window, QStringLiteral("overview-doctor"));
        (*doctor)->click();
        auto *const dialog = f.window.findChild<FindingsDialog *>();
        QVERIFY(dialog && dialog->isVisible());
        QCOMPARE(dialog->findChild<TableView *>()->model()->rowCount(), 3);
        test::pictureOf(*dialog, QStringLiteral("findings"));
    }
};

QTEST_MAIN(DoctorTest)
#include "doctor_test.moc"
