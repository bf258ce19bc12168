#include "app/cli/terminal.h"
#include "app/support/on_terminal.h"
#include "app/support/sample_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::test;

namespace {

constexpr int Columns = 80;

// Commands that print text for programs or shells, or the names of znodes, which is not wrapped.
constexpr const char *AsItIs[]{"submit --dry-run", "resubmit --dry-run", "history export", "top",
                               "completion",       "complete",           "config get",     "tree"};

// Lines beside the samples, about what holds long texts.
constexpr const char *Others[]{
    "ls --all --tasks",   "show {running}", "show {long}",      "why {long}",  "show {waits}",
    "why {waits}",        "why {unfit}",    "why {job}",        "why {ended}", "worker show {idle}",
    "cron show {paused}", "cron show long", "ls --queue other", "group g ls",  "queue a-queue-of-another-team ls"};

QByteArrayList linesOf(QByteArray shown)
{
    return shown.replace("\r\n", "\n").split('\n');
}

// A path or an id that is wider than the terminal stays whole.
bool isWord(const QString &line)
{
    return !line.trimmed().contains(u' ');
}

} // namespace

// All commands on a terminal of 80 columns, in a cluster with long texts: no line is wider.
class TerminalWidthTest : public QObject
{
    Q_OBJECT

    SampleCluster m_cluster;
    std::map<QString, QString> m_ids; // of placeholders of this test

    QString submit(const QStringList &arguments) const;
    QByteArray shown(const QStringList &line) const;

private Q_SLOTS:
    void initTestCase();
    void noLineIsWider_data();
    void noLineIsWider();
};

QString TerminalWidthTest::submit(const QStringList &arguments) const
{
    const Finished finished = m_cluster.administrator().run(QStringList{QStringLiteral("submit")} + arguments);
    if (finished.exitCode != 0)
        qFatal("submit: %s", finished.err.constData());
    return QString::fromUtf8(finished.out.trimmed());
}

// On standard output. Messages go elsewhere: they have commands to copy, and are not wrapped.
QByteArray TerminalWidthTest::shown(const QStringList &line) const
{
    QByteArrayList command{"/bin/sh", "-c", "exec \"$0\" \"$@\" </dev/null 2>>messages",
                           (qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover")).toLocal8Bit()};
    for (const QString &word : line)
        command.append(word.toUtf8());
    OnTerminal terminal(command, m_cluster.administrator().environment().toStringList(), Columns);
    return terminal.ends() ? terminal.seen : "not in time: " + terminal.seen;
}

void TerminalWidthTest::initTestCase()
{
    m_cluster.start();
    const QString sentence = QStringLiteral("a text that goes on and on, ").repeated(7).trimmed();
    const QString path = u'/' + QStringLiteral("folder-").repeated(12);
    m_ids[QStringLiteral("{long}")] =
        submit({QStringLiteral("--hold"), QStringLiteral("--name"), sentence, QStringLiteral("--comment"), sentence,
                QStringLiteral("--tag"), QString(60, u't'), QStringLiteral("--stdout"), path, QStringLiteral("--"),
                QStringLiteral("echo"), sentence, path});
    QStringList held;
    for (int i = 0; i < 12; ++i)
        held.append(submit(words("--hold --queue other -- true")));
    m_ids[QStringLiteral("{waits}")] =
        submit({QStringLiteral("--after-ok"), held.join(u','), QStringLiteral("--"), QStringLiteral("true")});
    m_ids[QStringLiteral("{unfit}")] =
        submit(words("--label gpu-of-the-newest-kind,licence-of-the-compiler --memory 900G --slots 64 -- true"));
    const DroverProgram &by = m_cluster.administrator();
    by.run(words("cron add long @daily --comment") << sentence << words("-- echo") << sentence << path);
    by.run(words("queue pause other --why") << sentence);
    by.run(words("worker cordon w2 --why") << sentence);
    by.run(words("config set known") << sentence);
    by.run(words("queue a-queue-of-another-team put") << sentence << path);
    m_cluster.administer("limit set licences-of-the-compiler 3");
    m_cluster.administer("history keep --when-away drop --jobs 1000000 --for 400h");
}

void TerminalWidthTest::noLineIsWider_data()
{
    QTest::addColumn<QByteArray>("line");
    for (const char *const line : Others)
        QTest::newRow(line) << QByteArray(line);
    for (const Sample &sample : samples()) {
        const bool isAsItIs = std::any_of(std::begin(AsItIs), std::end(AsItIs),
                                          [&](const char *begin) { return QByteArray(sample.line).startsWith(begin); });
        if (!isAsItIs && !sample.says) // what goes on until it is ended prints lines of events
            QTest::newRow(sample.line) << QByteArray(sample.line);
    }
}

void TerminalWidthTest::noLineIsWider()
{
    QFETCH(QByteArray, line);
    for (const auto &[placeholder, id] : m_ids)
        line.replace(placeholder.toUtf8(), id.toUtf8());
    const QByteArray seen = shown(m_cluster.filled(Sample{line.constData()}, true));
    QVERIFY2(!seen.startsWith("not in time"), seen);
    for (const QByteArray &each : linesOf(seen)) {
        static const QRegularExpression colour(QStringLiteral("\x1b\\[[0-9;]*m"));
        const QString text = QString::fromUtf8(each).remove(colour);
        QVERIFY2(app::displayWidth(text) <= Columns || isWord(text), seen);
    }
}

QTEST_GUILESS_MAIN(TerminalWidthTest)
#include "terminal_width_test.moc"
