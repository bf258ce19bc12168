#include "app/support/drover_program.h"
#include "app/support/pasted_document.h"
#include "support/zk_server.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

using namespace drover::test;
using namespace Qt::StringLiterals;

namespace {

const QString Sources = QStringLiteral(DROVER_SOURCE_DIR);

QStringList documents()
{
    QStringList paths{u"README.md"_s};
    for (const QString &name : QDir(Sources + u"/packaging/docs"_s).entryList({u"*.md"_s}))
        paths.append(u"packaging/docs/"_s + name);
    return paths;
}

// What two translations of a line have in common: its kind, and of headings, pictures and rows of a table the level,
// what stands in `...`, and the numbers. Empty for a line of text.
QString shapeOf(const QString &line)
{
    static const QRegularExpression kind(u"^(#+ |\\||!\\[)"_s);
    static const QRegularExpression code(u"`[^`]*`"_s);
    static const QRegularExpression number(u"\\d+(?:[.,]\\d+)*"_s);
    const QRegularExpressionMatch match = kind.match(line);
    if (!match.hasMatch())
        return {};
    const auto collected = [&](const QRegularExpression &pattern, const QString &text) {
        QStringList found;
        for (auto it = pattern.globalMatch(text); it.hasNext();)
            found.append(it.next().captured());
        found.sort();
        return found.join(u' ');
    };
    if (match.captured() != u"|")
        return match.captured();
    return u"| %1 cells %2 %3"_s.arg(line.count(u'|') - 1)
        .arg(collected(code, line), collected(number, QString(line).remove(code)));
}

// The shapes of a document's lines in their order, without its fenced blocks.
QStringList shapesOf(const QString &text)
{
    QStringList shapes;
    bool inBlock = false;
    for (const QString &line : text.split(u'\n')) {
        inBlock ^= line.startsWith(u"```");
        if (const QString shape = shapeOf(line); !inBlock && !shape.isEmpty())
            shapes.append(shape);
    }
    return shapes;
}

QString read(const QString &path)
{
    QFile file(Sources + path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

// The commands of each document, pasted in their order into one shell on a machine with nothing but Drover. Other
// machines are subshells with settings of their own. Not pasted, and by runners_test pasted by a script: what root
// does, what acts on the sources, windows, and `drover launch`, which needs ssh.
class DocumentsTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_directory;

    PastedDocument written(const QString &text) const
    {
        QFile file(m_directory.filePath(u"text.md"_s));
        if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0)
            throw std::logic_error("cannot write " + file.fileName().toStdString());
        file.close();
        return PastedDocument(file.fileName());
    }

private Q_SLOTS:
    void everyCommandWorks_data()
    {
        QTest::addColumn<QString>("path");
        for (const QString &path : documents())
            QTest::newRow(qPrintable(path)) << path;
    }

    void everyCommandWorks()
    {
        QFETCH(QString, path);
        const PastedDocument document(Sources + u'/' + path);
        for (const LeftOutCommand &command : document.leftOut())
            qInfo("%ls:%lld: not pasted, %ls: %ls", qUtf16Printable(path), qlonglong(command.line),
                  qUtf16Printable(command.why), qUtf16Printable(command.text));
        if (document.commands().isEmpty())
            return;
        TestServer server; // of the other machines
        server.start();
        DroverProgram drover;
        drover.setVariable("DROVER_SERVERS", server.connectString());
        drover.setVariable("DROVER_MACHINES", drover.directory() + u"/machines"_s);
        QVERIFY(QDir(drover.directory()).mkdir(u"machines"_s));
        QProcess bash;
        bash.setProcessEnvironment(drover.environment());
        bash.setWorkingDirectory(drover.directory());
        bash.start(u"bash"_s,
                   {u"-c"_s,
                    u"PATH=$DROVER_BIN_DIR:$PATH\n. "_s + Sources + u"/tests/app/support/other_machines.sh\n"_s
                        + document.script()});
        bash.closeWriteChannel();
        const Finished finished = DroverProgram::finish(bash, 400'000);
        const QString objection = document.objectionTo(QString::fromUtf8(finished.out));
        QVERIFY2(objection.isEmpty(), qPrintable(objection));
        QVERIFY2(finished.exitCode == 0, finished.out);
    }

    void aWrongDocumentIsNoticed_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("works");
        const auto add = [](const char *name, const char *text, bool works) {
            QTest::newRow(name) << u"```\n"_s + QString::fromUtf8(text) + u"\n```\n"_s << works;
        };
        add("nothing printed", "$ true", true);
        add("one that fails", "$ false\n$ true", false);
        add("one that is said to fail", "$ false    # exit code 1", true);
        add("one that does not fail as it should", "$ true    # exit code 1", false);
        add("output", "$ echo a  b c\na ... c", true);
        add("other output", "$ echo a b\na c", false);
        add("output of the next command", "$ echo a\nb\n$ echo b", false);
        add("output in another order", "$ printf 'a\\nb\\n'\nb\na", false);
        add("a here-document", "$ cat <<'END'\n$ false\nEND\n$ true", true);
        add("two lines", "$ echo a \\\n  b\na b", true);
        add("an end of the shell", "$ exit", false);
        add("root's and that of the sources", "# false\nno output\ndrover$ false", true);
        add("another machine's", "zk1$ echo a\na", true);
        add("another machine's that fails", "zk1$ false", false);
    }

    void aWrongDocumentIsNoticed()
    {
        QFETCH(QString, text);
        QFETCH(bool, works);
        const PastedDocument document = written(text);
        const Finished finished = DroverProgram().shell("machine() { :; }\n" + document.script().toUtf8());
        const QString objection = document.objectionTo(QString::fromUtf8(finished.out));
        QCOMPARE(objection.isEmpty(), works);
    }

    void aCommandNeedsAPrompt()
    {
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, written(u"```\ndrover ls\n```\n"_s));
        QVERIFY(written(u"```toml\nslots = 8\n```\n"_s).commands().isEmpty());
        QCOMPARE(written(u"```\n# true\ndrover$ true\n$ drover-console &\n```\n"_s).leftOut().size(), 3);
        QCOMPARE(written(u"```\nzk1$ true\n```\n"_s).commands().at(0).machine, u"zk1"_s);
    }

    void theReadmeIsAWalk() { QVERIFY(PastedDocument(Sources + u"/README.md"_s).commands().size() > 35); }

    // A translation has the commands of its original, in the same order; comments behind them are translated.
    void theTranslationsHaveTheSameCommands()
    {
        const QStringList names = QDir(Sources + u"/packaging/docs/zh_CN"_s).entryList({u"*.md"_s});
        QCOMPARE(names, (QStringList{u"operator-guide.md"_s, u"README.md"_s, u"tutorial.md"_s}));
        for (const QString &name : names) {
            const QString original = name == u"README.md" ? u"/"_s : u"/packaging/docs/"_s;
            const PastedDocument english(Sources + original + name);
            const PastedDocument chinese(Sources + u"/packaging/docs/zh_CN/"_s + name);
            QCOMPARE(chinese.prompted(), english.prompted());
            for (qsizetype i = 0; i < chinese.commands().size(); ++i)
                QCOMPARE(chinese.commands()[i].output, english.commands()[i].output);
        }
    }

    // A translation has the headings, pictures and tables of its original, and in each row its numbers and commands.
    void theTranslationsHaveTheSameTables()
    {
        for (const QString &name : QDir(Sources + u"/packaging/docs/zh_CN"_s).entryList({u"*.md"_s})) {
            const QStringList english = shapesOf(read((name == u"README.md" ? u"/"_s : u"/packaging/docs/"_s) + name));
            const QStringList chinese = shapesOf(read(u"/packaging/docs/zh_CN/"_s + name));
            QVERIFY(english.size() >= 10);
            for (qsizetype i = 0; i < std::min(english.size(), chinese.size()); ++i)
                QCOMPARE(chinese[i], english[i]);
            QCOMPARE(chinese.size(), english.size());
        }
    }

    void anotherTableIsNoticed()
    {
        const QString text = u"# A\n| rate | 1,300 to 5.2 | `a b` |\n"_s;
        QCOMPARE(shapesOf(u"# B\ntext\n| 速率 | 5.2, 1,300 | 用 `a b` |\n```\n| x |\n```"_s), shapesOf(text));
        for (const char *const other :
             {"# A\n| rate | 1,301 to 5.2 | `a b` |\n", "# A\n| rate | 1,300 to 5.2 | `a c` |\n",
              "## A\n| rate | 1,300 to 5.2 | `a b` |\n", "# A\n| rate 1,300 to 5.2 | `a b` |\n"})
            QVERIFY2(shapesOf(QString::fromUtf8(other)) != shapesOf(text), other);
    }

    // The index names every document.
    void everyDocumentIsInTheIndex()
    {
        QFile index(Sources + u"/packaging/docs/README.md"_s);
        QVERIFY(index.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(index.readAll());
        for (const QString &name : QDir(Sources + u"/packaging/docs"_s).entryList({u"*.md"_s}))
            QVERIFY2(name == u"README.md" || text.contains(u"]("_s + name + u')'), qPrintable(name));
    }
};

QTEST_GUILESS_MAIN(DocumentsTest)
#include "documents_test.moc"
