#include "app/worker/worker_id.h"
#include "text/name.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using app::KeptWorkerId;

// The ids of workers that are given none.
class KeptWorkerIdTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_directory;

    QString spool(const char *name) const { return m_directory.filePath(QLatin1String(name)); }

private Q_SLOTS:
    void aWorkerThatIsStartedAgainHasItsIdAgain()
    {
        QString first;
        QString second;
        {
            const KeptWorkerId one(spool("kept"));
            const KeptWorkerId beside(spool("kept"));
            first = one.id();
            second = beside.id();
            QVERIFY2(first != second && text::isName(first) && text::isName(second), qPrintable(first + u' ' + second));
        }
        const KeptWorkerId again(spool("kept"));
        const KeptWorkerId besideAgain(spool("kept"));
        QCOMPARE(QSet({again.id(), besideAgain.id()}), QSet({first, second}));
        QCOMPARE(QDir(spool("kept") + QStringLiteral("/ids")).entryList(QDir::Files).size(), 2);
    }

    void anIdIsKeptAndNotMadeAgain()
    {
        QString made;
        {
            const KeptWorkerId one(spool("earlier"));
            made = one.id();
        }
        // As an earlier process has left it, whose number was another.
        const QString folder = spool("earlier") + QStringLiteral("/ids/");
        const QString earlier = made.section(u'-', 0, -2) + QStringLiteral("-1");
        QVERIFY(QFile::rename(folder + made, folder + earlier));
        const KeptWorkerId again(spool("earlier"));
        QCOMPARE(again.id(), earlier);
    }

    void theIdOfAnotherMachineIsLeftAlone()
    {
        const QString folder = spool("copied") + QStringLiteral("/ids");
        QVERIFY(QDir().mkpath(folder));
        QFile other(folder + QStringLiteral("/a-machine-of-another-name-1"));
        QVERIFY(other.open(QIODevice::WriteOnly));
        const KeptWorkerId own(spool("copied"));
        QVERIFY2(!own.id().startsWith(u"a-machine"), qPrintable(own.id()));
    }

    void withoutAPlaceTheProcessGivesTheNumber()
    {
        const KeptWorkerId own(QStringLiteral("/proc/no-spool"));
        QVERIFY2(own.id().endsWith(u'-' + QString::number(QCoreApplication::applicationPid())), qPrintable(own.id()));
    }
};

QTEST_GUILESS_MAIN(KeptWorkerIdTest)
#include "worker_id_test.moc"
