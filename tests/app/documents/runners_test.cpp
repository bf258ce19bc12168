#include "app/support/pasted_document.h"
#include "toolchain/source_tree.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

using namespace drover::test;
using namespace Qt::StringLiterals;

namespace {

const QString Sources = QStringLiteral(DROVER_SOURCE_DIR);

QString textOf(const QString &path)
{
    QFile file(Sources + u'/' + path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// A script that pastes what documents_test cannot: it asks for each command by `said PATTERN`
// (tests/support/documents.sh).
struct Runner {
    QString script;
    QString caller; // the file that has it run
};

const QList<Runner> &runners()
{
    static const QList<Runner> all{
        {u"tests/toolchain/bare_root.sh"_s, u"packaging/run"_s},
        {u"tests/toolchain/service.sh"_s, u"packaging/run"_s},
        {u"tests/toolchain/containers.sh"_s, u"packaging/run"_s},
        {u"tests/toolchain/containers_test.sh"_s, u"tests/toolchain/CMakeLists.txt"_s},
        {u"tests/toolchain/sources_test.sh"_s, u"tests/toolchain/CMakeLists.txt"_s},
        {u"tests/transport/tls_test.sh"_s, u"tests/transport/CMakeLists.txt"_s},
    };
    return all;
}

// Commands that no script pastes, and why.
const QMap<QString, QString> &notPasted()
{
    static const QMap<QString, QString> all{
        {u"packaging/run test"_s, u".ci/run is this command"_s},
        {u"ctest --preset dev -j3"_s, u"packaging/run test runs all tests"_s},
    };
    return all;
}

// The patterns by which a script asks for its commands.
QStringList patternsIn(const QString &script)
{
    static const QRegularExpression call(u"\\$\\(said (?:'([^']+)'|\"([^\"]+)\"|([^ )]+))\\)"_s);
    QStringList patterns;
    for (auto it = call.globalMatch(script); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        patterns.append(match.captured(1) + match.captured(2) + match.captured(3));
    }
    return patterns;
}

// As bash does it for patterns whose only sign is the star.
bool matches(const QString &pattern, const QString &command)
{
    const QString expression = QRegularExpression::escape(pattern).replace(u"\\*"_s, u".*"_s);
    return QRegularExpression(QRegularExpression::anchoredPattern(expression)).match(command).hasMatch();
}

bool isPastedByDocumentsTest(const QString &path)
{
    static const QRegularExpression pasted(u"^(README\\.md|packaging/docs/(zh_CN/)?[^/]+\\.md)$"_s);
    return pasted.match(path).hasMatch();
}

// The commands of a document that documents_test does not paste: in the fenced blocks, and those of other programs than
// Drover's in the text. inline_commands_test has Drover's.
QStringList otherCommands(const SourceFile &document)
{
    static const QRegularExpression promptOf(u"^([\\w/-]*\\$|#) "_s);
    static const QRegularExpression inText(
        u"`((?:systemctl|journalctl|kubectl|kind|docker|cmake|ctest|patch|git|apt|apt-get)\\s+[^`\\s]+\\s[^`]+)`"_s);
    const PastedDocument pasted(Sources + u'/' + document.path);
    QStringList commands;
    for (const LeftOutCommand &command : pasted.leftOut())
        commands.append(command.text);
    for (const PastedCommand &command : pasted.commands()) {
        if (!isPastedByDocumentsTest(document.path))
            commands.append(command.text);
    }
    for (auto it = inText.globalMatch(document.text); it.hasNext();)
        commands.append(it.next().captured(1).simplified());
    static const QRegularExpression comment(u" {2,}# .*$"_s);
    for (QString &command : commands)
        command.remove(comment);
    return commands;
}

// What `said` searches: each line behind a prompt in a fenced block, and all that stands in `...` in the text.
QStringList whatSaidSearches(const SourceFile &document)
{
    static const QRegularExpression fenced(
        u"^```.*?^```"_s, QRegularExpression::MultilineOption | QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression inText(u"`([^`]+)`"_s);
    const PastedDocument pasted(Sources + u'/' + document.path);
    QStringList commands = otherCommands(document);
    for (const PastedCommand &command : pasted.commands())
        commands.append(command.text);
    const QString text = QString(document.text).remove(fenced);
    for (auto it = inText.globalMatch(text); it.hasNext();)
        commands.append(it.next().captured(1).simplified());
    return commands;
}

// Of a command that begins one test program: what is wrong with it. Others are left to the scripts.
QString objectionToTest(const QString &command, bool &isTest)
{
    static const QRegularExpression form(u"^(?:[A-Z_]+=\\S+ )+build/dev/tests/(\\S+)(?: (\\w+))?$"_s);
    const QRegularExpressionMatch match = form.match(command);
    isTest = match.hasMatch();
    if (!isTest)
        return {};
    const QString source = textOf(u"tests/"_s + match.captured(1).replace(u'.', u'/') + u".cpp"_s);
    if (source.isEmpty() || (match.hasCaptured(2) && !source.contains(u"void %1()"_s.arg(match.captured(2)))))
        return u"there is no such test"_s;
    return {};
}

} // namespace

// Each command of each document has one that runs it: documents_test, or a script that asks for it.
class RunnersTest : public QObject
{
    Q_OBJECT

    QStringList m_patterns;
    QStringList m_searched;

    QString objectionTo(const QString &command) const
    {
        bool isTest = false;
        const QString objection = objectionToTest(command, isTest);
        if (isTest)
            return objection;
        // inline_commands_test compares these with their usage.
        if (command.startsWith(u"packaging/run ") || command.startsWith(u"tests/bench/peers/run "))
            return {};
        const bool isRun = std::any_of(m_patterns.cbegin(), m_patterns.cend(),
                                       [&](const QString &pattern) { return matches(pattern, command); });
        return isRun || notPasted().contains(command) ? QString() : u"no test runs: "_s + command;
    }

private Q_SLOTS:
    void initTestCase()
    {
        for (const Runner &runner : runners()) {
            const QString text = textOf(runner.script);
            QVERIFY2(text.contains(u"/support/documents.sh\""), qPrintable(runner.script));
            QVERIFY2(textOf(runner.caller).contains(runner.script.section(u'/', -1)), qPrintable(runner.script));
            const QStringList patterns = patternsIn(text);
            QVERIFY2(!patterns.isEmpty(), qPrintable(runner.script));
            m_patterns += patterns;
        }
        for (const SourceFile &document : textFiles())
            m_searched += whatSaidSearches(document);
    }

    void eachCommandIsRun_data()
    {
        QTest::addColumn<QString>("command");
        int count = 0;
        for (const SourceFile &document : textFiles()) {
            for (const QString &command : otherCommands(document))
                QTest::addRow("%d %s: %s", ++count, qPrintable(document.path), qPrintable(command)) << command;
        }
        QVERIFY(count > 60);
    }

    void eachCommandIsRun()
    {
        QFETCH(QString, command);
        const QString objection = objectionTo(command);
        QVERIFY2(objection.isEmpty(), qPrintable(objection));
    }

    // A script stops at a pattern of a command that has gone, and some scripts run only where root may boot a system.
    void eachPatternIsOfACommand_data()
    {
        QTest::addColumn<QString>("pattern");
        QStringList patterns = m_patterns;
        patterns.removeDuplicates();
        for (const QString &pattern : std::as_const(patterns))
            QTest::newRow(qPrintable(pattern)) << pattern;
    }

    void eachPatternIsOfACommand()
    {
        QFETCH(QString, pattern);
        QVERIFY2(std::any_of(m_searched.cbegin(), m_searched.cend(),
                             [&](const QString &command) { return matches(pattern, command); }),
                 qPrintable(u"no document says: "_s + pattern));
    }

    // What is not pasted stands in a document still, and what CI runs is what it says.
    void noExceptionIsOld()
    {
        QStringList commands;
        for (const SourceFile &document : textFiles())
            commands += otherCommands(document);
        for (auto it = notPasted().cbegin(); it != notPasted().cend(); ++it)
            QVERIFY2(commands.contains(it.key()), qPrintable(it.key()));
        QVERIFY(textOf(u".ci/run"_s).contains(u"packaging/run\" test"));
    }

    void aCommandThatNoneRunsIsNoticed()
    {
        QVERIFY(!objectionTo(u"systemctl start drover"_s).isEmpty());
        QVERIFY(!objectionTo(u"DROVER_SEED=1 build/dev/tests/workers.schedules_test nosuch"_s).isEmpty());
        QVERIFY(objectionTo(u"systemctl restart drover-worker@main"_s).isEmpty());
        QCOMPARE(patternsIn(u"pastes \"$(said 'a *')\"; $(said \"b 'c\") $(said d)"_s),
                 (QStringList{u"a *"_s, u"b 'c"_s, u"d"_s}));
        QVERIFY(matches(u"a ./b_*.deb"_s, u"a ./b_1/2.deb"_s));
        QVERIFY(!matches(u"a ./b_*.deb"_s, u"a ./c_1.deb"_s));
        QCOMPARE(otherCommands({u"packaging/tls/README.md"_s, u"`systemctl edit\nthis` `systemctl disable`"_s}).size(),
                 4);
    }
};

QTEST_GUILESS_MAIN(RunnersTest)
#include "runners_test.moc"
