#include "source_tree.h"

#include <QHash>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

using namespace drover::test;
using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maximumLines = 420;

// Which folders a folder's sources may include, beside their own. Linking enforces the same, but only for headers that
// need something linked; this sees every line.
const QHash<QString, QSet<QString>> &allowed()
{
    static const QHash<QString, QSet<QString>> table = {
        {u"async"_s, {}},
        {u"net"_s, {u"async"_s}},
        {u"zk"_s, {u"async"_s}},
        {u"recipes"_s, {u"zk"_s, u"async"_s}},
        {u"jobs"_s, {u"recipes"_s, u"zk"_s, u"async"_s}},
        {u"history"_s, {u"jobs"_s, u"recipes"_s, u"zk"_s, u"async"_s}},
        {u"output"_s, {u"jobs"_s, u"recipes"_s, u"zk"_s, u"net"_s, u"async"_s}},
        {u"workers"_s, {u"history"_s, u"output"_s, u"net"_s, u"jobs"_s, u"recipes"_s, u"zk"_s, u"async"_s}},
        {u"gui"_s, {u"output"_s, u"jobs"_s, u"recipes"_s, u"zk"_s, u"async"_s}},
        {u"app"_s,
         {u"workers"_s, u"gui"_s, u"history"_s, u"output"_s, u"net"_s, u"jobs"_s, u"recipes"_s, u"zk"_s, u"async"_s}},
    };
    return table;
}

// core/zk/path.h -> zk, gui/models/x.cpp -> gui
QString layerOf(const QString &path)
{
    const QStringList parts = path.split(u'/');
    return parts[0] == u"core" ? parts[1] : parts[0];
}

// What is wrong with the file's #include lines, one line a fault.
QStringList includeFaults(const SourceFile &file)
{
    static const QRegularExpression include(uR"(^\s*#\s*include\s*(["<])([^">]+)[">])"_s,
                                            QRegularExpression::MultilineOption);
    const QString layer = layerOf(file.path);
    if (!allowed().contains(layer))
        return {u"%1: folder '%2' has no place among the layers"_s.arg(file.path, layer)};

    QStringList faults;
    for (auto it = include.globalMatch(file.text); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        const QString header = match.captured(2);
        const QString target = header.section(u'/', 0, 0);
        const bool quoted = match.captured(1) == u"\"";
        const bool generated = header.endsWith(u".moc") || header.startsWith(u"ui_");
        if (allowed().contains(target) && header.contains(u'/')) {
            if (target != layer && !allowed()[layer].contains(target))
                faults << u"%1: '%2' may not use '%3' (%4)"_s.arg(file.path, layer, target, header);
        } else if (quoted && !generated) {
            faults << u"%1: include \"%2\" by its folder, as in \"zk/path.h\""_s.arg(file.path, header);
        }
    }
    return faults;
}

QStringList lengthFaults(const SourceFile &file)
{
    const qsizetype lines = file.text.count(u'\n');
    if (lines <= maximumLines)
        return {};
    return {u"%1: %2 lines; over %3 it holds two things"_s.arg(file.path).arg(lines).arg(maximumLines)};
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
        add("own folder", u"core/zk/session.cpp"_s, u"#include \"zk/session.h\"\n"_s, true);
        add("lower folder", u"core/recipes/mutex.h"_s, u"#include \"async/task.h\"\n#include \"zk/path.h\"\n"_s, true);
        add("system", u"core/zk/session.cpp"_s, u"#include <zookeeper/zookeeper.h>\n#include <QString>\n"_s, true);
        add("moc", u"gui/window.cpp"_s, u"#include \"gui/window.h\"\n#include \"window.moc\"\n"_s, true);
        add("the top uses all", u"app/main.cpp"_s, u"#include \"net/a.h\"\n#include \"workers/b.h\"\n"_s, true);
        add("history uses jobs", u"core/history/h.cpp"_s, u"#include \"jobs/id.h\"\n"_s, true);
        add("gui below its models", u"gui/models/jobs_model.h"_s, u"#include \"jobs/id.h\"\n"_s, true);

        add("backwards", u"core/async/task.h"_s, u"#include \"zk/path.h\"\n"_s, false);
        add("skips upwards", u"core/zk/path.cpp"_s, u"#include <QString>\n#include \"jobs/id.h\"\n"_s, false);
        add("workers see gui", u"workers/w.cpp"_s, u"#include \"gui/window.h\"\n"_s, false);
        add("gui sees workers", u"gui/window.cpp"_s, u"#include \"workers/w.h\"\n"_s, false);
        add("net sees zk", u"core/net/frame.cpp"_s, u"#include \"zk/path.h\"\n"_s, false);
        add("jobs see net", u"core/jobs/id.cpp"_s, u"#include \"net/frame.h\"\n"_s, false);
        add("jobs see history", u"core/jobs/id.cpp"_s, u"#include \"history/h.h\"\n"_s, false);
        add("spaces hide nothing", u"core/async/a.h"_s, u"  #  include \"zk/path.h\"\n"_s, false);
        add("angles hide nothing", u"core/async/a.h"_s, u"#include <zk/path.h>\n"_s, false);
        add("no folder", u"core/zk/session.cpp"_s, u"#include \"session.h\"\n"_s, false);
        add("parent folder", u"core/zk/session.cpp"_s, u"#include \"../jobs/id.h\"\n"_s, false);
        add("unknown folder", u"core/misc/x.cpp"_s, u"\n"_s, false);
    }

    void theRuleItself()
    {
        QFETCH(QString, path);
        QFETCH(QString, text);
        QFETCH(bool, good);
        QCOMPARE(includeFaults({path, text}).isEmpty(), good);
    }

    void aLongFileIsAFault()
    {
        QVERIFY(lengthFaults({u"a.cpp"_s, QString(maximumLines, u'\n')}).isEmpty());
        QCOMPARE(lengthFaults({u"a.cpp"_s, QString(maximumLines + 1, u'\n')}).size(), 1);
    }

    void theSources()
    {
        const QList<SourceFile> files = sourceFiles();
        QVERIFY(files.size() > 10); // or the folder is the wrong one
        QStringList faults;
        for (const SourceFile &file : files) {
            faults << lengthFaults(file);
            if (!file.path.startsWith(u"tests/")) // tests may look at whatever they link
                faults << includeFaults(file);
        }
        for (const QString &fault : faults)
            qWarning("%ls", qUtf16Printable(fault)); // a single message would be cut off
        QCOMPARE(faults.size(), 0);
    }
};

QTEST_GUILESS_MAIN(LayeringTest)
#include "layering_test.moc"
