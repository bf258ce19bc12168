#include "source_tree.h"

#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QTest>

#include <stdexcept>

using namespace drover::test;
using namespace Qt::StringLiterals;

namespace {

// Plain English: a sentence has a subject and says what it means. Each habit below has a bound in each top folder,
// tests/toolchain/prose.txt, which may be lowered and never raised.
struct Habit {
    const char *name;
    const char *instead;
    bool inComments; // and in the *.md files
    bool inMessages; // string literals
    QRegularExpression pattern;
};

const QList<Habit> &habits()
{
    static const auto ignoringCase = QRegularExpression::CaseInsensitiveOption;
    static const QList<Habit> all{
        {"riddle", "name the thing instead of pointing at it", true, false,
         QRegularExpression(u"(?://|/\\*|^|[.;] )\\s*(?:The same|Of (?:those|these)|As of|Those (?:of|that))\\b"_s,
                            ignoringCase | QRegularExpression::MultilineOption)},
        {"actor", "name the component: worker, master, client, caller", true, true,
         QRegularExpression(u"\\b(?:whoever|whom|somebody|nobody|anybody|someone|lest)\\b"_s, ignoringCase)},
        {"told", "say who reports what", true, true,
         QRegularExpression(u"\\b(?:is|are|was|were|be|been|not) (?:told|heard)\\b"_s, ignoringCase)},
        {"no-x", "say: is not a valid X, must be X", false, true,
         QRegularExpression(u"(?<![Tt]here )\\b(?:is|are) (?:no (?!longer)|none of )[a-z]"_s)},
        {"cannot-be-had", "say: is unavailable, cannot be read", true, true,
         QRegularExpression(u"\\b(?:cannot|can) be (?:had|told)\\b"_s, ignoringCase)},
    };
    return all;
}

struct Place {
    QString path;
    qsizetype line;
    QString text;
};

// Where a file has one of the habits. An .md file is all comment.
QList<Place> placesOf(const Habit &habit, const SourceFile &file)
{
    const bool isText = file.path.endsWith(u".md");
    QString read = isText ? file.text : QString();
    if (!isText && habit.inComments)
        read = commentsOf(file.text);
    QList<Place> places;
    const auto search = [&](const QString &text) {
        for (auto it = habit.pattern.globalMatch(text); it.hasNext();) {
            const QRegularExpressionMatch match = it.next();
            const qsizetype line = text.left(match.capturedStart()).count(u'\n') + 1;
            places.append({file.path, line, match.captured().simplified()});
        }
    };
    if (habit.inComments)
        search(read);
    if (habit.inMessages && !isText)
        search(literalsOf(file.text));
    return places;
}

// The lines of a file, such as "riddle app 12".
QMap<QString, qsizetype> readBounds(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        throw std::runtime_error("cannot read " + path.toStdString());
    QMap<QString, qsizetype> bounds;
    for (const QString &line : QString::fromUtf8(file.readAll()).split(u'\n')) {
        const qsizetype last = line.lastIndexOf(u' ');
        if (!line.startsWith(u'#') && last > 0)
            bounds[line.left(last)] = line.mid(last + 1).toLongLong();
    }
    return bounds;
}

struct Sentence {
    qsizetype line; // where its paragraph begins
    QString text;
};

// The sentences of a file's comments, paragraph by paragraph. A comment behind code is a paragraph of its own. Lines
// that are indented within the comment are code, lists and tables: they are left out.
QList<Sentence> sentencesOf(const QString &text)
{
    static const QRegularExpression end(u"(?<=[.?!])[)`\"]*\\s+"_s);
    QList<Sentence> paragraphs;
    bool goesOn = false;
    const QStringList code = text.split(u'\n');
    const QStringList comments = commentsOf(text).split(u'\n');
    for (qsizetype i = 0; i < comments.size(); ++i) {
        const QString comment = comments[i].trimmed();
        const QString said = comment.mid(2);
        const bool isWhole = comment.startsWith(u"//") && code[i].trimmed().startsWith(u"//");
        const bool isText = comment.startsWith(u"//") && !said.trimmed().isEmpty() && !said.startsWith(u"  ");
        if (isText && isWhole && goesOn)
            paragraphs.last().text += u' ' + said.trimmed();
        else if (isText)
            paragraphs.append({i + 1, said.trimmed()});
        goesOn = isText && isWhole;
    }
    QList<Sentence> sentences;
    for (const Sentence &paragraph : std::as_const(paragraphs)) {
        for (const QString &sentence : paragraph.text.split(end, Qt::SkipEmptyParts))
            sentences.append({paragraph.line, sentence});
    }
    return sentences;
}

// The sentences of a document's paragraphs and lists, without its blocks, tables and headings.
QList<Sentence> documentSentences(const QString &text)
{
    QString comments;
    bool inBlock = false;
    for (const QString &line : text.split(u'\n')) {
        const bool fence = line.startsWith(u"```");
        inBlock ^= fence;
        const bool isText = !inBlock && !fence && !line.trimmed().startsWith(u'|') && !line.startsWith(u'#');
        comments += (isText && !line.isEmpty() ? u"// "_s + line.trimmed() : QString()) + u'\n';
    }
    return sentencesOf(comments);
}

qsizetype wordsIn(const QString &sentence)
{
    static const QRegularExpression word(u"\\S*\\w\\S*"_s);
    qsizetype count = 0;
    for (auto it = word.globalMatch(sentence); it.hasNext(); it.next())
        ++count;
    return count;
}

// Reports the sentences of more than 25 words, and returns their number.
int tellLongSentences(const QString &path, const QList<Sentence> &sentences)
{
    constexpr int MostWords = 25;
    const auto isShort = [](const Sentence &sentence) { return wordsIn(sentence.text) <= MostWords; };
    QList<Sentence> tooLong = sentences;
    tooLong.removeIf(isShort);
    for (const Sentence &sentence : std::as_const(tooLong)) {
        qWarning("%ls:%lld: %lld words, split it: %ls", qUtf16Printable(path), qlonglong(sentence.line),
                 qlonglong(wordsIn(sentence.text)), qUtf16Printable(sentence.text));
    }
    return static_cast<int>(tooLong.size());
}

QString topOf(const QString &path)
{
    return path.contains(u'/') ? path.section(u'/', 0, 0) : u"top"_s;
}

qsizetype countIn(const char *name, const SourceFile &file)
{
    for (const Habit &habit : habits()) {
        if (qstrcmp(habit.name, name) == 0)
            return placesOf(habit, file).size();
    }
    return -1;
}

} // namespace

class ProseTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theHabitsThemselves_data()
    {
        QTest::addColumn<QString>("habit");
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("count");
        const auto add = [](const char *habit, const char *text, int count) {
            QTest::addRow("%s: %s", habit, text) << QString::fromUtf8(habit) << QString::fromUtf8(text) << count;
        };
        add("riddle", "int a; // the same", 1);
        add("riddle", "int a; // Of those that wait", 1);
        add("riddle", "// A job of those that wait", 0);
        add("riddle", "say(\"the same\");", 0);
        add("actor", "// Whoever asks, nobody answers", 2);
        add("actor", "say(\"somebody holds it\");", 1);
        add("actor", "Worker somebody;", 0);
        add("told", "// what is told to the master", 1);
        add("told", "say(\"the loss is told\");", 1);
        add("told", "// the worker has been told, and has not told the master", 2);
        add("no-x", "say(\"%1 is no name; \\\"x\\\" is none of them\");", 2);
        add("no-x", "// it is no name", 0);
        add("no-x", "say(\"there is no worker; %1 is no longer master\");", 0);
        add("cannot-be-had", "say(\"it cannot be had\"); // and cannot be told", 2);
    }

    void theHabitsThemselves()
    {
        QFETCH(QString, habit);
        QFETCH(QString, text);
        QFETCH(int, count);
        QCOMPARE(countIn(habit.toUtf8().constData(), {u"app/a.cpp"_s, text}), count);
    }

    void aTextIsAllComment()
    {
        QCOMPARE(countIn("actor", {u"README.md"_s, u"`a` // b\nWhoever asks \"nobody\"."_s}), 2);
    }

    void aSentenceIsCounted_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QList<int>>("counts");
        QTest::newRow("one a line") << u"// Two words.\n// Three more words."_s << QList<int>{2, 3};
        QTest::newRow("over two lines") << u"// A sentence\n    // of five words."_s << QList<int>{5};
        QTest::newRow("paragraphs") << u"// One\n//\n// two words"_s << QList<int>{1, 2};
        QTest::newRow("behind code") << u"int a; // of one\nint b; // of two, too"_s << QList<int>{2, 3};
        QTest::newRow("code and lists") << u"// Steps:\n//\n//     set(a, 1) ; set(b, 2)\n// Then go on."_s
                                        << QList<int>{1, 3};
        QTest::newRow("signs are no words") << u"// a -> b - c (see d)."_s << QList<int>{5};
        QTest::newRow("not in strings") << u"say(\"// one. two.\");"_s << QList<int>{};
    }

    void aSentenceIsCounted()
    {
        QFETCH(QString, text);
        QFETCH(QList<int>, counts);
        QList<int> found;
        for (const Sentence &sentence : sentencesOf(text))
            found.append(static_cast<int>(wordsIn(sentence.text)));
        QCOMPARE(found, counts);
    }

    // A reader understands a contract at the first reading: one idea a sentence.
    void theSentencesOfHeadersAreShort()
    {
        int tooLong = 0;
        for (const SourceFile &source : sourceFiles()) {
            if (!source.path.endsWith(u".h") || topOf(source.path) == u"tests")
                continue;
            tooLong += tellLongSentences(source.path, sentencesOf(source.text));
        }
        QCOMPARE(tooLong, 0);
    }

    void theSentencesOfDocumentsAreShort()
    {
        const QString example = u"# Title\n\n```\n$ one. two\n```\n\nOne\ntwo. Three.\n  | four |\n"_s;
        QCOMPARE(documentSentences(example).size(), 2);
        int tooLong = 0;
        for (const SourceFile &source : textFiles()) {
            if (!source.path.contains(u"/zh_CN/"))
                tooLong += tellLongSentences(source.path, documentSentences(source.text));
        }
        QCOMPARE(tooLong, 0);
    }

    void theSources()
    {
        const QMap<QString, qsizetype> bounds =
            readBounds(QStringLiteral(DROVER_SOURCE_DIR "/tests/toolchain/prose.txt"));

        QMap<QString, QList<Place>> found;
        for (const SourceFile &source : sourceFiles() + textFiles()) {
            if (source.path == u"tests/toolchain/prose_test.cpp")
                continue;
            for (const Habit &habit : habits())
                found[QLatin1String(habit.name) + u' ' + topOf(source.path)] += placesOf(habit, source);
        }
        int grown = 0;
        for (auto it = found.cbegin(); it != found.cend(); ++it) {
            const qsizetype bound = bounds.value(it.key());
            if (it->size() < bound)
                qInfo("%ls %lld: fewer than prose.txt says", qUtf16Printable(it.key()), qlonglong(it->size()));
            if (it->size() <= bound)
                continue;
            ++grown;
            qWarning("%ls: %lld places, and prose.txt allows %lld", qUtf16Printable(it.key()), qlonglong(it->size()),
                     qlonglong(bound));
            for (const Place &place : *it)
                qWarning("%ls:%lld: %ls", qUtf16Printable(place.path), qlonglong(place.line),
                         qUtf16Printable(place.text));
        }
        for (const Habit &habit : habits()) {
            if (grown > 0)
                qWarning("%s: %s", habit.name, habit.instead);
        }
        QCOMPARE(grown, 0);
    }
};

QTEST_GUILESS_MAIN(ProseTest)
#include "prose_test.moc"
