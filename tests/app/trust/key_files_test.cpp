#include "app/cli/failure.h"
#include "app/trust/key_files.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;

// The messages about a missing file of keys.
class KeyFilesTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_directory;

    static QByteArray complaintAbout(const QString &path)
    {
        try {
            app::readRootKey(path);
        } catch (const app::CommandError &error) {
            return error.what();
        }
        return "nothing";
    }

private Q_SLOTS:
    void initTestCase() { qputenv("XDG_DATA_HOME", QFile::encodeName(m_directory.path())); }

    // The guides say root.key, which a cluster of drover up has elsewhere.
    void aMissingRootKeyMayBeThatOfUp()
    {
        const QByteArray asItIs = complaintAbout(QStringLiteral("missing.key"));
        QVERIFY2(asItIs.startsWith("there is no root key at missing.key; ") && asItIs.endsWith("with --root-key"),
                 asItIs);
        const QString trust = m_directory.filePath(QStringLiteral("drover/trust"));
        QVERIFY(QDir().mkpath(trust));
        QFile key(trust + QStringLiteral("/default.root.key"));
        QVERIFY(key.open(QIODevice::WriteOnly));
        const QByteArray named = complaintAbout(QStringLiteral("missing.key"));
        QVERIFY2(named == asItIs + " (that of drover up: " + key.fileName().toUtf8() + ')', named);
    }
};

QTEST_APPLESS_MAIN(KeyFilesTest)
#include "key_files_test.moc"
