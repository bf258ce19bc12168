#include "source_tree.h"

#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

using namespace drover::test;
using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maximumLines = 420;
constexpr qsizetype maximumColumns = 120; // of a comment: clang-format leaves those as they are
constexpr qsizetype maximumUnits = 20; // of a folder: a header with its source is one

// For each folder the folders that its sources may include, beside their own. Linking enforces the same between
// libraries, but only for headers that need something linked; this sees every line.
using Layers = QMap<QString, QStringList>;

// What is wrong with the table, one line a fault. Reads "folder: folders above", where indented lines go on.
QStringList readLayers(const QString &text, Layers &layers)
{
    QStringList faults;
    QString row;
    for (const QString &line : text.split(u'\n')) {
        if (line.startsWith(u'#') || line.trimmed().isEmpty())
            continue;
        const bool goesOn = line.startsWith(u' ');
        if (!goesOn) {
            row = line.section(u':', 0, 0);
            if (layers.contains(row))
                faults << u"layers.txt: two rows for '%1'"_s.arg(row);
        }
        for (const QString &used : (goesOn ? line : line.section(u':', 1)).split(u' ', Qt::SkipEmptyParts)) {
            if (used == row || !layers.contains(used))
                faults << u"layers.txt: '%1' uses '%2', which has no row above it"_s.arg(row, used);
            layers[row] << used;
        }
        layers[row]; // also of one that uses nothing
    }
    return faults;
}

// core/zk/client/session.h -> zk/client, as it is included; gui/models/x.cpp -> gui/models
QString folderOf(const QString &path)
{
    const QString folder = path.section(u'/', 0, -2);
    return folder.startsWith(u"core/") ? folder.mid(5) : folder;
}

// An arrow from one folder to another.
using Uses = QSet<std::pair<QString, QString>>;

// What is wrong with the file's #include lines, one line a fault. Adds the arrows that they are.
QStringList includeFaults(const SourceFile &file, const Layers &layers, Uses &uses)
{
    static const QRegularExpression include(uR"(^\s*#\s*include\s*(["<])([^">]+)[">])"_s,
                                            QRegularExpression::MultilineOption);
    const QString folder = folderOf(file.path);
    if (!layers.contains(folder))
        return {u"%1: folder '%2' has no row in tests/toolchain/layers.txt"_s.arg(file.path, folder)};

    QStringList faults;
    for (auto it = include.globalMatch(file.text); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        const QString header = match.captured(2);
        const QString target = header.section(u'/', 0, -2);
        const bool quoted = match.captured(1) == u"\"";
        const bool generated = header.endsWith(u".moc") || header.startsWith(u"ui_");
        if (layers.contains(target)) {
            uses.insert({folder, target});
            if (target != folder && !layers[folder].contains(target))
                faults << u"%1: '%2' may not use '%3' (%4)"_s.arg(file.path, folder, target, header);
        } else if (quoted && !generated) {
            faults << u"%1: include \"%2\" by its folder, as in \"zk/path.h\""_s.arg(file.path, header);
        }
    }
    return faults;
}

// Folders that hold too much, those of the tests too.
QStringList sizeFaults(const QStringList &paths)
{
    QMap<QString, QSet<QString>> units;
    for (const QString &path : paths)
        units[path.section(u'/', 0, -2)].insert(path.section(u'.', 0, 0));

    QStringList faults;
    for (auto it = units.cbegin(); it != units.cend(); ++it) {
        if (it->size() > maximumUnits)
            faults << u"%1: %2 units; over %3 it holds two ideas"_s.arg(it.key()).arg(it->size()).arg(maximumUnits);
    }
    return faults;
}

// Rows that say what is not so.
QStringList rowFaults(const QStringList &paths, const Layers &layers, const Uses &uses)
{
    QSet<QString> folders;
    for (const QString &path : paths)
        folders.insert(folderOf(path));

    QStringList faults;
    for (auto it = layers.cbegin(); it != layers.cend(); ++it) {
        if (!folders.contains(it.key()))
            faults << u"layers.txt: there is no folder '%1'"_s.arg(it.key());
        for (const QString &used : *it) {
            if (!uses.contains({it.key(), used}))
                faults << u"layers.txt: '%1' no longer uses '%2'"_s.arg(it.key(), used);
        }
    }
    return faults;
}

QStringList lengthFaults(const SourceFile &file)
{
    QStringList faults;
    const QStringList lines = file.text.split(u'\n');
    if (lines.size() > maximumLines + 1)
        faults << u"%1: %2 lines; over %3 it holds two things"_s.arg(file.path).arg(lines.size() - 1).arg(maximumLines);
    for (const QString &line : lines) {
        if (line.size() > maximumColumns && line.trimmed().startsWith(u"//"))
            faults << u"%1: over %2 columns: %3"_s.arg(file.path).arg(maximumColumns).arg(line.trimmed());
    }
    return faults;
}

// async <- zk <- zk/client; (async, zk) <- jobs; gui/data <- gui/models
Layers example()
{
    return {{u"async"_s, {}},
            {u"zk"_s, {u"async"_s}},
            {u"zk/client"_s, {u"async"_s, u"zk"_s}},
            {u"jobs"_s, {u"async"_s, u"zk"_s}},
            {u"gui/data"_s, {u"jobs"_s}},
            {u"gui/models"_s, {u"gui/data"_s}}};
}

} // namespace

class LayeringTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theRuleItself_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("good");

        const auto add = [](const char *name, const QString &path, const QString &text, bool good) {
            QTest::newRow(name) << path << text << good;
        };
        add("own folder", u"core/zk/path.cpp"_s, u"#include \"zk/path.h\"\n"_s, true);
        add("own room", u"core/zk/client/call.cpp"_s, u"#include \"zk/client/call.h\"\n"_s, true);
        add("lower folder", u"core/jobs/id.h"_s, u"#include \"async/task.h\"\n#include \"zk/path.h\"\n"_s, true);
        add("lower room", u"gui/models/jobs.cpp"_s, u"#include \"gui/data/job.h\"\n"_s, true);
        add("system", u"core/zk/client/call.cpp"_s, u"#include <zookeeper/zookeeper.h>\n#include <QString>\n"_s, true);
        add("moc", u"gui/models/jobs.cpp"_s, u"#include \"jobs.moc\"\n"_s, true);

        add("backwards", u"core/async/task.h"_s, u"#include \"zk/path.h\"\n"_s, false);
        add("back to the room above", u"core/zk/path.h"_s, u"#include \"zk/client/call.h\"\n"_s, false);
        add("between rooms", u"gui/data/job.h"_s, u"#include \"gui/models/jobs.h\"\n"_s, false);
        add("a room of what may be used", u"core/jobs/id.h"_s, u"#include \"zk/client/call.h\"\n"_s, false);
        add("spaces hide nothing", u"core/async/a.h"_s, u"  #  include \"zk/path.h\"\n"_s, false);
        add("angles hide nothing", u"core/async/a.h"_s, u"#include <zk/path.h>\n"_s, false);
        add("no folder", u"core/zk/path.cpp"_s, u"#include \"path.h\"\n"_s, false);
        add("parent folder", u"core/zk/client/call.cpp"_s, u"#include \"../path.h\"\n"_s, false);
        add("unknown folder", u"core/misc/x.cpp"_s, u"\n"_s, false);
        add("unknown room", u"core/zk/misc/x.cpp"_s, u"\n"_s, false);
        add("unknown room of a header", u"core/jobs/id.h"_s, u"#include \"zk/misc/x.h\"\n"_s, false);
    }

    void theRuleItself()
    {
        QFETCH(QString, path);
        QFETCH(QString, text);
        QFETCH(bool, good);
        Uses uses;
        QCOMPARE(includeFaults({path, text}, example(), uses).isEmpty(), good);
    }

    void arrowsOfTheTablePointOneWay()
    {
        Layers layers;
        QCOMPARE(readLayers(u"# a\n\na:\nb: a\nc: a\n   b\n"_s, layers), QStringList());
        QCOMPARE(layers[u"c"_s], QStringList({u"a"_s, u"b"_s}));
        for (const QString &wrong : {u"a: b\nb:\n"_s, u"a: b\nb: a\n"_s, u"a: a\n"_s, u"a:\na:\n"_s, u"a: x\n"_s}) {
            Layers none;
            QVERIFY2(!readLayers(wrong, none).isEmpty(), qPrintable(wrong));
        }
    }

    void aLongFileOrCommentIsAFault()
    {
        const QString comment = u"    // "_s + QString(maximumColumns - 7, u'x') + u'\n';
        QCOMPARE(lengthFaults({u"core/a/a.h"_s, QString(maximumLines - 1, u'\n') + comment}), QStringList());
        QCOMPARE(lengthFaults({u"core/a/a.h"_s, QString(maximumLines + 1, u'\n')}).size(), 1);
        QCOMPARE(lengthFaults({u"core/a/a.h"_s, u' ' + comment}).size(), 1);
    }

    void aFullFolderIsAFault()
    {
        QStringList paths;
        for (const QString &folder : {u"core/a"_s, u"tests/core/a"_s}) {
            for (int i = 0; i < maximumUnits; ++i)
                paths << u"%1/%2.h"_s.arg(folder).arg(i) << u"%1/%2.cpp"_s.arg(folder).arg(i);
        }
        QCOMPARE(sizeFaults(paths), QStringList());
        QCOMPARE(sizeFaults(paths + QStringList{u"core/a/one.cpp"_s}).size(), 1);
        QCOMPARE(sizeFaults(paths + QStringList{u"tests/core/a/one_test.cpp"_s}).size(), 1);
    }

    void aTableThatIsOutOfDateIsAFault()
    {
        const QStringList paths{u"core/a/x.h"_s, u"core/b/y.h"_s};
        const Layers layers{{u"a"_s, {}}, {u"b"_s, {u"a"_s}}};
        QCOMPARE(rowFaults(paths, layers, {{u"b"_s, u"a"_s}}), QStringList());
        QCOMPARE(rowFaults(paths, layers, {}).size(), 1);
        QCOMPARE(rowFaults({u"core/b/y.h"_s}, layers, {{u"b"_s, u"a"_s}}).size(), 1);
    }

    void aLongFileIsAFault()
    {
        QVERIFY(lengthFaults({u"a.cpp"_s, QString(maximumLines, u'\n')}).isEmpty());
        QCOMPARE(lengthFaults({u"a.cpp"_s, QString(maximumLines + 1, u'\n')}).size(), 1);
    }

    void theSources()
    {
        QFile table(QStringLiteral(DROVER_SOURCE_DIR "/tests/toolchain/layers.txt"));
        QVERIFY(table.open(QIODevice::ReadOnly));
        Layers layers;
        QStringList faults = readLayers(QString::fromUtf8(table.readAll()), layers);

        const QList<SourceFile> files = sourceFiles();
        QVERIFY(files.size() > 10); // or the folder is the wrong one
        Uses uses;
        QStringList all;
        QStringList paths;
        for (const SourceFile &file : files) {
            faults << lengthFaults(file);
            all << file.path;
            if (file.path.startsWith(u"tests/")) // tests may look at whatever they link
                continue;
            faults << includeFaults(file, layers, uses);
            paths << file.path;
        }
        faults << sizeFaults(all) << rowFaults(paths, layers, uses);
        for (const QString &fault : faults)
            qWarning("%ls", qUtf16Printable(fault)); // a single message would be cut off
        QCOMPARE(faults.size(), 0);
    }
};

QTEST_GUILESS_MAIN(LayeringTest)
#include "layering_test.moc"
