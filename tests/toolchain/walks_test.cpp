#include "source_tree.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace drover::test;
using namespace Qt::StringLiterals;

namespace {

constexpr int mostWords = 30; // of the glossary
constexpr int mostStations = 15; // of a walk

// "3. `core/zk/watch.cpp`, `Watch::fired()`: ..." below a heading.
struct Station {
    QString heading;
    QString file;
    QString function;
};

QList<Station> stationsIn(const QString &text)
{
    static const QRegularExpression form(uR"(^\d+\. `([^`]+)`, `([^`(]+)\(\)`)"_s);
    QList<Station> stations;
    QString heading;
    for (const QString &line : text.split(u'\n')) {
        if (line.startsWith(u"## "))
            heading = line.mid(3);
        if (const QRegularExpressionMatch match = form.match(line); match.hasMatch())
            stations << Station{heading, match.captured(1), match.captured(2)};
    }
    return stations;
}

// The last column of each row of the table of words.
QStringList filesOfWords(const QString &text)
{
    static const QRegularExpression row(uR"(^\| [^|]+ \| [^|]+ \| `([^`|]+)` \|$)"_s,
                                        QRegularExpression::MultilineOption);
    QStringList files;
    for (auto it = row.globalMatch(text.section(u"## Words"_s, 1).section(u"\n## "_s, 0, 0)); it.hasNext();)
        files << it.next().captured(1);
    return files;
}

// "| what | `tests/x_test.cpp`, `function()` |": each attack of tests/hostile/README.md.
QList<Station> attacksIn(const QString &text)
{
    static const QRegularExpression row(uR"(^\| ([^|]+) \| `([^`|]+)`, `([^`(]+)\(\)` \|$)"_s,
                                        QRegularExpression::MultilineOption);
    QList<Station> attacks;
    for (auto it = row.globalMatch(text); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        attacks << Station{match.captured(1), match.captured(2), match.captured(3)};
    }
    return attacks;
}

// The folders that hold a README.md and nothing else: a README.md describes what stands beside it.
QStringList emptyFolders(const QString &root, const QStringList &tops)
{
    QStringList empty;
    const QDir base(root);
    for (const QString &top : tops) {
        QDirIterator it(base.filePath(top), {u"README.md"_s}, QDir::Files, QDirIterator::Subdirectories);
        while (it.hasNext()) {
            const QDir folder(QFileInfo(it.next()).path());
            if (folder.entryList(QDir::AllEntries | QDir::NoDotAndDotDot).size() == 1)
                empty << base.relativeFilePath(folder.path());
        }
    }
    return empty;
}

bool hasFunction(const QString &source, const QString &function)
{
    const auto appears = [&](const QString &name) {
        return source.contains(QRegularExpression(u"\\b%1\\s*\\("_s.arg(QRegularExpression::escape(name))));
    };
    // In a header the class's name is not repeated.
    return appears(function) || appears(function.section(u"::"_s, -1));
}

} // namespace

// core/README.md and tests/hostile/README.md name files and functions: they exist.
class WalksTest : public QObject
{
    Q_OBJECT

    QString m_text;
    QMap<QString, QString> m_sources;

    static QString read(const QString &path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_text = read(QStringLiteral(DROVER_SOURCE_DIR "/core/README.md"));
        QVERIFY(!m_text.isEmpty());
        for (const SourceFile &source : sourceFiles())
            m_sources[source.path] = withoutCommentsAndLiterals(source.text);
    }

    void eachStationOfAWalkExists()
    {
        const QList<Station> stations = stationsIn(m_text);
        QMap<QString, int> walks;
        QStringList faults;
        for (const Station &station : stations) {
            ++walks[station.heading];
            if (!m_sources.contains(station.file))
                faults << u"%1: there is no %2"_s.arg(station.heading, station.file);
            else if (!hasFunction(m_sources[station.file], station.function))
                faults << u"%1: %2 has no %3"_s.arg(station.heading, station.file, station.function);
        }
        QVERIFY2(faults.isEmpty(), qUtf8Printable(faults.join(u'\n')));
        QCOMPARE(walks.size(), 2); // of a lock and of a job
        for (auto walk = walks.begin(); walk != walks.end(); ++walk)
            QVERIFY2(walk.value() <= mostStations, qUtf8Printable(walk.key()));
    }

    void eachAttackHasATest()
    {
        const QString text = read(QStringLiteral(DROVER_SOURCE_DIR "/tests/hostile/README.md"));
        const QList<Station> attacks = attacksIn(text);
        QStringList faults;
        for (const Station &attack : attacks) {
            if (!hasFunction(m_sources.value(attack.file), attack.function))
                faults << u"%1: %2 has no %3"_s.arg(attack.heading, attack.file, attack.function);
        }
        QVERIFY2(faults.isEmpty(), qUtf8Printable(faults.join(u'\n')));
        QCOMPARE(attacks.size(), text.count(u"\n| "_s) - text.count(u"\n| attack | test |"_s));
    }

    void eachWordHasAFile()
    {
        const QStringList files = filesOfWords(m_text);
        QVERIFY(!files.isEmpty() && files.size() <= mostWords);
        for (const QString &file : files) {
            const QString path = QStringLiteral(DROVER_SOURCE_DIR "/");
            QVERIFY2(QFile::exists(path + u"core/"_s + file) || QFile::exists(path + file), qUtf8Printable(file));
        }
    }

    void eachFolderSaysWhereToBegin()
    {
        QMap<QString, QString> texts;
        for (const SourceFile &text : textFiles())
            texts[text.path] = text.text.simplified();
        QSet<QString> faults;
        for (auto source = m_sources.begin(); source != m_sources.end(); ++source) {
            const QString readMe = source.key().section(u'/', 0, -2) + u"/README.md"_s;
            if (!readMe.startsWith(u"tests/"_s) && !texts.value(readMe).contains(u"begin with"_s, Qt::CaseInsensitive)
                && !texts.value(readMe).contains(u"begin reading"_s, Qt::CaseInsensitive))
                faults.insert(readMe);
        }
        QVERIFY2(faults.isEmpty(), qUtf8Printable(faults.values().join(u'\n')));
    }

    void noReadMeIsAlone()
    {
        const QStringList tops{u"app"_s, u"core"_s, u"gui"_s, u"workers"_s};
        const QStringList empty = emptyFolders(QStringLiteral(DROVER_SOURCE_DIR), tops);
        QVERIFY2(empty.isEmpty(), qUtf8Printable(empty.join(u'\n')));
    }

    void aReadMeThatIsAloneIsNoticed()
    {
        const QTemporaryDir root;
        const QDir folders(root.path());
        for (const QString &path : {u"a/README.md"_s, u"a/b/README.md"_s, u"a/b/c.h"_s, u"a/d/README.md"_s}) {
            QVERIFY(folders.mkpath(path.section(u'/', 0, -2)));
            QFile file(folders.filePath(path));
            QVERIFY(file.open(QIODevice::WriteOnly));
        }
        QCOMPARE(emptyFolders(root.path(), {u"a"_s}), QStringList{u"a/d"_s});
    }

    // The check itself: a function that does not exist is noticed.
    void aMissingFunctionIsNoticed()
    {
        QVERIFY(hasFunction(u"void A::f(int x)"_s, u"A::f"_s));
        QVERIFY(hasFunction(u"struct A { void f (); };"_s, u"A::f"_s));
        QVERIFY(!hasFunction(u"void A::g(int f)"_s, u"A::f"_s));
        QCOMPARE(attacksIn(u"| a | `b.cpp`, `c()` |\n| d | none |\n"_s).size(), 1);
        QCOMPARE(stationsIn(u"## H\n1. `a/b.h`, `C::d()`: e\n2. no station\n"_s).size(), 1);
    }
};

QTEST_GUILESS_MAIN(WalksTest)

#include "walks_test.moc"
