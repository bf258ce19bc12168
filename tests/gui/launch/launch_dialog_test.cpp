#include "app/support/drover_on_server.h"
#include "gui/launch/launch_dialog.h"
#include "gui/pictures.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/theme.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSignalSpy>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace drover::test;

namespace {

constexpr int LimitMs = 120'000;

// A program that does not end before it is interrupted, and says a line of a host first.
constexpr char Waits[] = R"sh(#!/bin/sh
trap 'exit 143' TERM
echo '{"schema":1,"host":"far-away","state":"working","on":"waiting for the end of its jobs"}'
echo 'no JSON at all'
echo '{"schema":1,"state":"of no host"}'
while :; do sleep 0.05; done
)sh";

} // namespace

class LaunchDialogTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    QString m_refusal;

    QString path(const QString &name) const { return m_cluster.drover.directory() + u'/' + name; }

    std::unique_ptr<LaunchDialog> newDialog(const QString &program)
    {
        auto dialog = std::make_unique<LaunchDialog>(
            [program](const Target &target) {
                return LaunchProgram{program, {QStringLiteral("--connect"), target.connect}};
            },
            [this](const QString &verb) { return verb == u"upgrade" ? m_refusal : QString(); });
        dialog->setTarget({m_cluster.server.connectString()});
        [&] { QVERIFY(dialog->windowTitle().contains(m_cluster.server.connectString())); }();
        dialog->show();
        return dialog;
    }

    static QPushButton *button(const LaunchDialog &dialog, const QString &text)
    {
        for (QPushButton *const one : dialog.findChildren<QPushButton *>()) {
            if (one->text().remove(u'&') == text)
                return one;
        }
        return nullptr;
    }

    // The button that carries out what was chosen, and says so.
    static QPushButton *goOf(const LaunchDialog &dialog)
    {
        return dialog.findChild<QPushButton *>(QStringLiteral("launch.go"));
    }

    static void choose(const LaunchDialog &dialog, const char *verb)
    {
        auto *const verbs = dialog.findChild<QComboBox *>();
        verbs->setCurrentIndex(verbs->findData(QLatin1String(verb)));
    }

    static QLineEdit *field(const LaunchDialog &dialog, const QString &label)
    {
        for (const QLabel *const one : dialog.findChildren<QLabel *>()) {
            if (one->text().remove(u'&') == label)
                return qobject_cast<QLineEdit *>(one->buddy());
        }
        return nullptr;
    }

    static bool says(const LaunchDialog &dialog, const QString &text)
    {
        const QList<QLabel *> labels = dialog.findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel *one) { return one->text().contains(text); });
    }

    // Goes, and waits for the end. Returns the row of the only host.
    static LaunchRow rowAfter(LaunchDialog &dialog, const char *verb)
    {
        choose(dialog, verb);
        QSignalSpy ended(&dialog.launch(), &LaunchRun::ended);
        goOf(dialog)->click();
        if (!ended.wait(LimitMs) || dialog.launch().rows().rowCount() != 1)
            return {};
        return dialog.launch().rows().row(0);
    }

private Q_SLOTS:
    void initTestCase()
    {
        applyTheme(ThemeChoice::Light);
        m_cluster.start({"default"});
        // The workers are started in folders of this user's, which is the test's.
        qputenv("HOME", m_cluster.drover.directory().toUtf8());
        qputenv("XDG_CONFIG_HOME", path(u"xdg_config_home"_qs).toUtf8());
    }

    void aWorkerOfThisMachineStartsAndStops()
    {
        const std::unique_ptr<LaunchDialog> dialog = newDialog(qEnvironmentVariable("DROVER_BIN_DIR") + u"/drover"_qs);
        const QAbstractItemModelTester tester(&dialog->launch().rows());
        field(*dialog, u"Name"_qs)->setText(u"desk"_qs);
        field(*dialog, u"Credentials"_qs)->setText(path(u"xdg_config_home/drover/credentials/default"_qs));
        const LaunchRow started = rowAfter(*dialog, "start");
        QVERIFY2(started.state == u"running", qPrintable(started.details));
        QCOMPARE(started.host, u"desk"_qs);
        QVERIFY2(started.details.startsWith(u"process "), qPrintable(started.details));
        QVERIFY(says(*dialog, u"Done."_qs));
        QCOMPARE(m_cluster.children(m_cluster.layout.members()), QByteArrayList{"desk"});
        pictureOf(*dialog, u"launch"_qs);

        QCOMPARE(rowAfter(*dialog, "status").details, started.details);
        QCOMPARE(rowAfter(*dialog, "stop").state, u"stopped"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).isEmpty(), LimitMs);
    }

    void aFailureIsSaidInItsRowOrBelow()
    {
        const std::unique_ptr<LaunchDialog> dialog = newDialog(qEnvironmentVariable("DROVER_BIN_DIR") + u"/drover"_qs);
        field(*dialog, u"Name"_qs)->setText(u"desk"_qs);
        field(*dialog, u"Credentials"_qs)->setText(path(u"nowhere"_qs));
        QCOMPARE(rowAfter(*dialog, "start").host, QString());
        QVERIFY(says(*dialog, u"credentials cannot be taken"_qs));
        field(*dialog, u"Credentials"_qs)->setText(u"nowhere"_qs); // beside the console, not beside a file of its own
        QCOMPARE(rowAfter(*dialog, "start").host, QString());
        QVERIFY(says(*dialog, QDir::current().absoluteFilePath(u"nowhere"_qs)));

        field(*dialog, u"Name"_qs)->setText(u"no name"_qs);
        QVERIFY(!goOf(*dialog)->isEnabled() && says(*dialog, u"use 1 to 32"_qs));
        dialog->findChildren<QRadioButton *>()[1]->setChecked(true);
        QVERIFY(!goOf(*dialog)->isEnabled());
        QFile file(path(u"hosts.toml"_qs));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("programs = \"installed\"\n[[host]]\nname = \"nowhere\"\naddress = \"nowhere.invalid\"\n");
        file.close();
        field(*dialog, u"File"_qs)->setText(file.fileName());
        const LaunchRow failed = rowAfter(*dialog, "status");
        QCOMPARE(failed.host, u"nowhere"_qs);
        QCOMPARE(failed.state, u"failed"_qs);
        QVERIFY(!failed.details.isEmpty());
        QVERIFY(says(*dialog, u"A machine failed"_qs));

        const std::unique_ptr<LaunchDialog> without = newDialog(path(u"no-such-program"_qs));
        rowAfter(*without, "status");
        QVERIFY(says(*without, u"cannot run"_qs) && goOf(*without)->isEnabled());
    }

    void aRefusedActionIsNotOffered()
    {
        m_refusal = u"Editing is off."_qs;
        const std::unique_ptr<LaunchDialog> dialog = newDialog(u"/bin/false"_qs);
        QVERIFY(goOf(*dialog)->isEnabled());
        QCOMPARE(goOf(*dialog)->text().remove(u'&'), u"Start them"_qs);
        choose(*dialog, "upgrade");
        QCOMPARE(goOf(*dialog)->text().remove(u'&'), u"Upgrade them"_qs);
        QVERIFY(!goOf(*dialog)->isEnabled() && says(*dialog, m_refusal));
        m_refusal.clear();
        dialog->check();
        QVERIFY(goOf(*dialog)->isEnabled());
    }

    void aRunningLaunchIsInterrupted()
    {
        QFile program(path(u"waits"_qs));
        QVERIFY(program.open(QIODevice::WriteOnly) && program.write(Waits) > 0);
        QVERIFY(program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        program.close();
        std::unique_ptr<LaunchDialog> dialog = newDialog(program.fileName());
        QSignalSpy ended(&dialog->launch(), &LaunchRun::ended);
        goOf(*dialog)->click();
        QTRY_COMPARE_WITH_TIMEOUT(dialog->launch().rows().rowCount(), 1, LimitMs); // the other lines are of no host
        QCOMPARE(dialog->launch().rows().row(0).details, u"waiting for the end of its jobs"_qs);
        QVERIFY(!goOf(*dialog)->isEnabled());
        button(*dialog, u"Interrupt"_qs)->click();
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, LimitMs);
        QVERIFY(says(*dialog, u"Interrupted."_qs) && !button(*dialog, u"Interrupt"_qs)->isEnabled());

        goOf(*dialog)->click(); // and the console is left while it runs
        QTRY_COMPARE_WITH_TIMEOUT(dialog->launch().rows().rowCount(), 1, LimitMs);
        dialog.reset();
    }
};

QTEST_MAIN(LaunchDialogTest)
#include "launch_dialog_test.moc"
