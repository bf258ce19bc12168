#include "app/cli/exit_codes.h"
#include "app/doctor/checks.h"
#include "app/doctor/verdict.h"

#include <QScopeGuard>
#include <QTest>

#include <pty.h>
#include <unistd.h>

using namespace drover::app;
using Level = Finding::Level;

// What `drover doctor` prints.
class DoctorTextTest : public QObject
{
    Q_OBJECT

    const Findings m_findings{
        {Level::Ok, QStringLiteral("ZooKeeper 127.0.0.1:2181"), QStringLiteral("standalone, 3 sessions")},
        {Level::Problem, QStringLiteral("queue default"),
         QStringLiteral("no worker can ever run 3 of its jobs, beginning with default-17: it needs the label gpu, ")
             + QStringLiteral("and none of the workers of its queue has it; ").repeated(5),
         QStringLiteral("drover worker --labels gpu --queues default")},
    };

private Q_SLOTS:
    void onATerminalItIsAllThere()
    {
        int ends[2];
        winsize size{24, 80, 0, 0};
        QCOMPARE(::openpty(&ends[0], &ends[1], nullptr, nullptr, &size), 0);
        std::FILE *const terminal = ::fdopen(ends[1], "w");
        const auto close = qScopeGuard([&] {
            std::fclose(terminal);
            ::close(ends[0]);
        });
        QCOMPARE(tellFindings(Output(Format::Table, terminal), m_findings), int(ExitError));
        QByteArray text;
        while (!text.contains("1 problem, 0 warnings")) {
            char some[4096];
            const ssize_t count = ::read(ends[0], some, sizeof some);
            QVERIFY(count > 0);
            text.append(some, count);
        }
        const QStringList lines = QString::fromUtf8(text).split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
        for (const QString &line : lines)
            QVERIFY2(displayWidth(line) <= 80, qPrintable(line));
        const QString said = lines.join(u' ').simplified();
        for (const Finding &finding : m_findings) {
            QVERIFY2(said.contains(finding.what.simplified()), qPrintable(said));
            QVERIFY2(said.contains(finding.advice), qPrintable(said));
        }
    }

    void aFloodOfOneKindDoesNotHideTheOthers()
    {
        Findings findings;
        for (int i = 0; i < 20'000; ++i)
            findings.append({Level::Warning, QStringLiteral("member m%1").arg(i), QStringLiteral("is malformed")});
        findings.append({Level::Problem, QStringLiteral("master"), QStringLiteral("there is none")});
        std::FILE *const file = std::tmpfile();
        QCOMPARE(tellFindings(Output(Format::Table, file), findings), int(ExitError));
        std::rewind(file);
        QByteArray text(100'000, Qt::Uninitialized);
        text.truncate(qsizetype(std::fread(text.data(), 1, std::size_t(text.size()), file)));
        std::fclose(file);
        QCOMPARE(text.count('\n'), 20 + 1 + 1 + 1); // the kind, what is left out of it, the other, the sum
        QVERIFY2(text.contains("member: and 19,980 more of these") && text.contains("master: there is none"), text);
        QVERIFY2(text.contains("1 problem, 20,000 warnings"), text);
    }

    void aFullSpoolIsAProblem()
    {
        const QString spool = QStringLiteral("/var/spool/drover");
        const std::optional<Finding> full = aboutSpool(spool, 4096);
        QVERIFY(full && full->level == Level::Problem);
        QVERIFY2(full->subject.contains(spool) && full->what.contains(u"full"), qPrintable(full->what));
        const std::optional<Finding> nearly = aboutSpool(spool, 50 << 20);
        QVERIFY(nearly && nearly->level == Level::Warning);
        QVERIFY2(nearly->what.contains(u"50"), qPrintable(nearly->what));
        QVERIFY(!aboutSpool(spool, qint64(1) << 30));
    }

    void longWordsAreNotBroken()
    {
        const QString path(50, u'p');
        QCOMPARE(wrapped(QStringLiteral("rm -r ") + path + QStringLiteral(" now"), 20),
                 (QStringList{QStringLiteral("rm -r"), path, QStringLiteral("now")}));
        QCOMPARE(wrapped(QStringLiteral("a b"), 0), QStringList{QStringLiteral("a b")});
    }
};

int main(int argc, char **argv)
{
    qputenv("LC_ALL", "C.UTF-8"); // widths of characters are the locale's
    qputenv("NO_COLOR", "1");
    QCoreApplication application(argc, argv);
    DoctorTextTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "doctor_text_test.moc"
