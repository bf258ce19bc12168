#include "app/support/drover_on_server.h"
#include "asking_console.h"
#include "gui/charts/load_file.h"
#include "gui/pages/replay/record_switch.h"
#include "private_keyring.h"

#include <QApplication>
#include <QDirIterator>
#include <QJsonDocument>
#include <QLoggingCategory>
#include <QSettings>
#include <QTemporaryDir>

#include <mutex>

using namespace drover;
using namespace drover::gui;
using namespace drover::test;

namespace {

constexpr int Patience = 60'000; // ms

QByteArray &logged()
{
    static QByteArray lines;
    return lines;
}
std::mutex &logging()
{
    static std::mutex mutex;
    return mutex;
}
QtMessageHandler toTheTest = nullptr;

void keepLine(QtMsgType type, const QMessageLogContext &context, const QString &text)
{
    {
        const std::lock_guard lock(logging());
        logged() += text.toUtf8() + '\n';
    }
    if (QByteArray(context.category).startsWith("drover"))
        toTheTest(type, context, text);
}

} // namespace

// No secret of a session leaves it: by what the console writes, logs, copies and shows.
class SecrecyTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    PrivateKeyring m_desktop;
    DroverOnServer m_cluster;

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("XDG_STATE_HOME", m_home.path().toUtf8());
        m_cluster.start({"batch"});
        m_desktop.start();
        QLoggingCategory::setFilterRules(QStringLiteral("drover.*=true"));
        toTheTest = qInstallMessageHandler(keepLine);
    }
    void cleanupTestCase() { qInstallMessageHandler(toTheTest); }

    void nothingHasThePassword_data()
    {
        QTest::addColumn<bool>("isPassword");
        QTest::newRow("credentials of the cluster") << false;
        QTest::newRow("a user and a password") << true;
    }
    void nothingHasThePassword()
    {
        QFETCH(bool, isPassword);
        const trust::Credentials &own = m_cluster.credentials();
        QByteArrayList secrets;
        const QByteArrayList all = own.digestSecrets();
        for (const QByteArray &secret : all)
            secrets << secret.mid(secret.indexOf(':') + 1);
        const QString key = QJsonDocument::fromJson(own.encode())[u"key"_qs].toString();
        QVERIFY(key.size() > 20);
        secrets << key.toUtf8();
        QByteArray shown;
        {
            QSettings settings(m_home.filePath(isPassword ? u"password.ini"_qs : u"file.ini"_qs), QSettings::IniFormat);
            AskingConsole console;
            console.window.restoreFrom(settings);
            console.window.shown().keepCharts(LoadFile::usualPath());
            console.window.connectTo({m_cluster.server.connectString(), "default"});
            QTRY_VERIFY_WITH_TIMEOUT(console.dialog(), Patience);
            auto *const remember = named<QCheckBox>(*console.dialog(), u"Remember in the keyring"_qs);
            QTRY_VERIFY_WITH_TIMEOUT(remember->isEnabled(), Patience);
            remember->setChecked(true);
            paste(*console.dialog(), isPassword ? "digest:" + own.digestSecret(trust::Role::Admin) : own.encode());
            shown += textOf(*console.dialog());
            connectBy(*console.dialog());
            QTRY_VERIFY_WITH_TIMEOUT(console.isAllowed(), Patience);
            console.window.findChild<RecordSwitch *>()->click();
            QTRY_VERIFY_WITH_TIMEOUT(isRecorded(), Patience);
            QGuiApplication::clipboard()->clear(); // of what was pasted
            shown += visited(console);
            console.window.saveTo(settings);
        }
        // The test has looked where there is something to find.
        const QByteArray written = allFiles();
        QVERIFY(written.contains("keyring=true"));
        QVERIFY(written.contains("SQLite format 3"));
        QVERIFY(shown.contains("default on 127.0.0.1") && shown.contains("read-only"));
        const std::lock_guard lock(logging());
        QVERIFY(logged().contains("connected to"));
        for (const QByteArray &secret : secrets) {
            for (const QByteArray &form : {secret, secret.toBase64(), secret.toHex(), secret.toPercentEncoding()}) {
                QVERIFY2(!written.contains(form), "a file has it");
                QVERIFY2(!shown.contains(form), "the window shows it, or copies it");
                QVERIFY2(!logged().contains(form), "the log has it");
            }
        }
    }

private:
    bool isRecorded() const { return !QDir(m_home.filePath(QStringLiteral("drover/recordings"))).isEmpty(); }
    // All that the console has written, and nothing else has.
    QByteArray allFiles() const
    {
        QByteArray all;
        QDirIterator files(m_home.path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            if (file.open(QIODevice::ReadOnly))
                all += file.fileName().toUtf8() + '\n' + file.readAll();
        }
        return all;
    }
    static QByteArray textOf(const QWidget &window)
    {
        QString text = window.windowTitle() + u'\n';
        const QList<QWidget *> parts = window.findChildren<QWidget *>();
        for (const QWidget *const part : parts) {
            text += part->windowTitle() + u'\n' + part->toolTip() + u'\n' + part->accessibleName() + u'\n';
            if (const auto *const label = qobject_cast<const QLabel *>(part))
                text += label->text() + u'\n';
            if (const auto *const field = qobject_cast<const QLineEdit *>(part))
                text += field->displayText() + u'\n';
        }
        return text.toUtf8();
    }
    // The text of each page, and what it copies.
    static QByteArray visited(AskingConsole &console)
    {
        QByteArray all;
        const QStringList pages = console.window.pageNames();
        for (const QString &page : pages) {
            console.window.showPage(page);
            QApplication::processEvents();
            all += textOf(console.window);
            if (QAction *const copy = console.action(page + u".copy-json"_qs))
                copy->trigger();
            all += QGuiApplication::clipboard()->text().toUtf8();
        }
        return all;
    }
};

QTEST_MAIN(SecrecyTest)
#include "secrecy_test.moc"
