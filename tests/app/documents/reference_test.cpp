#include "app/cli/exit_codes.h"
#include "app/environment/directories.h"
#include "app/submission/job_fields.h"
#include "app/support/drover_program.h"
#include "jobs/model/job_state.h"
#include "toolchain/source_tree.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QMap>
#include <QRegularExpression>
#include <QSettings>
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

QStringList allMatches(const QString &text, const QString &pattern)
{
    QStringList found;
    const QRegularExpression expression(pattern, QRegularExpression::MultilineOption);
    for (auto it = expression.globalMatch(text); it.hasNext();)
        found.append(it.next().captured(1));
    found.removeDuplicates();
    found.sort();
    return found;
}

// The names in the first column of the table of a section.
QStringList listed(const QString &section, const QString &document = u"configuration.md"_s)
{
    const QString text = textOf(u"packaging/docs/"_s + document);
    const qsizetype begin = text.indexOf(u"\n## "_s + section + u'\n');
    return begin < 0 ? QStringList()
                     : allMatches(text.mid(begin + 1).section(u"\n## "_s, 0, 0), u"^\\| `([^`]+)` \\|"_s);
}

// The text of the literals of a file. Neighbours are joined, as the compiler does.
QString joinedLiterals(const SourceFile &source)
{
    static const QRegularExpression between(u"\"\\s*\""_s);
    static const QRegularExpression blanks(u"\\s+"_s);
    return literalsOf(source.text).replace(u"\\\""_s, u"'"_s).remove(between).replace(blanks, u" "_s);
}

// Whether the literals have what a document quotes: its parts between "...", one soon behind the other.
bool stands(const QString &quoted, const QString &literals)
{
    QStringList parts;
    for (const QString &part : quoted.split(u"..."_s, Qt::SkipEmptyParts)) {
        if (part.trimmed().size() > 1)
            parts.append(QRegularExpression::escape(part.trimmed()));
    }
    return QRegularExpression(parts.join(u".{0,120}?"_s)).match(literals).hasMatch();
}

QStringList sorted(QStringList names)
{
    names.removeDuplicates();
    names.sort();
    return names;
}

} // namespace

// Each list of packaging/docs/configuration.md has what the programs have, no more and no less. The messages of
// troubleshooting.md are those of the programs.
class ReferenceTest : public QObject
{
    Q_OBJECT

    // What the program says that it knows, when a file has an unknown key.
    static QStringList known(const QByteArray &complaint)
    {
        const QString names = QString::fromUtf8(complaint).section(u"known are "_s, 1).section(u'\n', 0, 0);
        return sorted(names.split(u", "_s));
    }

    static void write(const DroverProgram &drover, const char *name, const QByteArray &text)
    {
        QFile file(QDir(drover.directory()).filePath(QLatin1String(name)));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    }

private Q_SLOTS:
    void theConfigurationFile()
    {
        const DroverProgram drover;
        write(drover, "config.toml", "zzzzzzzz = \"1\"\n");
        const Finished finished = drover.run(words("ls --config config.toml"));
        QCOMPARE(finished.exitCode, 2);
        QCOMPARE(listed(u"The configuration file"_s), known(finished.err));
    }

    void thePolicy()
    {
        const DroverProgram drover;
        write(drover, "worker.toml", "zzzzzzzz = 1\n");
        const Finished finished = drover.run(words("worker --policy worker.toml --connect 127.0.0.1:1"));
        QCOMPARE(finished.exitCode, 2);
        QCOMPARE(listed(u"A worker's file"_s), known(finished.err));
        const QString sample = textOf(u"packaging/worker.toml"_s);
        QCOMPARE(listed(u"A worker's file"_s), allMatches(sample, u"^#(\\w+) = "_s));
    }

    // The default that the sample names above a key is the one of the program.
    void theDefaultsOfThePolicy()
    {
        const DroverProgram drover;
        if (QFile::exists(u"/etc/drover/worker.toml"_s))
            QSKIP("this machine has a policy of its own");
        const QJsonArray keys = json(drover.run(words("config check -o json")))[u"keys"].toArray();
        QVERIFY(keys.size() > 20);
        QMap<QString, QString> defaults; // as the program says them
        for (const QJsonValue &key : keys)
            defaults[key[u"key"].toString()] = key[u"value"].toString();
        QMap<QString, QString> said;
        static const QRegularExpression keyOf(u"^#(\\w+) = "_s);
        static const QRegularExpression defaultOf(u" Default: ([^.]+)\\.$"_s);
        QString comment;
        for (const QString &line : textOf(u"packaging/worker.toml"_s).split(u'\n')) {
            if (const QRegularExpressionMatch key = keyOf.match(line); key.hasMatch())
                said[key.captured(1)] = defaultOf.match(comment.trimmed()).captured(1);
            comment = line.startsWith(u"# ") ? comment + line.mid(1) : QString();
        }
        QCOMPARE(said, defaults);
    }

    void theHostsFile()
    {
        const DroverProgram drover;
        write(drover, "hosts.toml", "zzzzzzzz = 1\n");
        const Finished finished = drover.run(words("launch hosts.toml status --connect 127.0.0.1:1"));
        QCOMPARE(finished.exitCode, 2);
        QCOMPARE(listed(u"The hosts file"_s), known(finished.err));
        QString sample = textOf(u"packaging/hosts.toml"_s);
        sample.replace(QRegularExpression(u"(#\\[worker\\]\n)(?:#\\w+ = .*\n)+"_s), u"\\1"_s); // the keys of a worker
        QCOMPARE(listed(u"The hosts file"_s), allMatches(sample, u"^#?\\[{0,2}(\\w+)(?: = .*|\\]{1,2})$"_s));
    }

    void theFieldsOfAJobFile()
    {
        QStringList fields{u"command"_s};
        for (const drover::app::JobField &field : drover::app::jobFields())
            fields.append(field.key());
        QCOMPARE(listed(u"Fields of a job file"_s), sorted(fields));
    }

    void theExitCodes()
    {
        QStringList codes = allMatches(textOf(u"app/cli/exit_codes.h"_s), u"^    Exit\\w+ = (\\d+),"_s);
        codes.append(u"74"_s); // of a job alone, whose output was not appended
        QVERIFY(codes.contains(QString::number(drover::app::ExitNoRoom)));
        QCOMPARE(listed(u"Exit codes"_s), sorted(codes));
    }

    // Every variable that stands in a literal of the sources, or in the files for systemd.
    void theVariables()
    {
        QString text;
        for (const SourceFile &source : sourceFiles()) {
            if (!source.path.startsWith(u"tests/"))
                text += literalsOf(source.text);
        }
        for (const QString &name : QDir(Sources + u"/packaging/systemd"_s).entryList(QDir::Files))
            text += textOf(u"packaging/systemd/"_s + name);
        QStringList used = allMatches(text, u"\\b(DROVER_[A-Z_]*[A-Z])\\b"_s);
        QVERIFY(used.contains(u"DROVER_CONNECT"_s) && used.contains(u"DROVER_WORKER_OPTIONS"_s));
        QCOMPARE(sorted(listed(u"Variables that Drover reads"_s) + listed(u"Variables of a job"_s)
                        + listed(u"Variables of a guarded command"_s)),
                 used);
    }

    // All that real jobs see.
    void theVariablesOfAJob()
    {
        const DroverProgram drover;
        QCOMPARE(drover.run(words("up --workers 1 --slots 2 --detach"), 120'000).exitCode, 0);
        const Finished finished =
            drover.shell("drover run --lock name -- env; id=$(drover submit --array 1 -- env);"
                         "drover wait $id; drover logs $id.1;"
                         "id=$(drover submit --gang 1 -- env); drover wait $id; drover logs $id.0");
        QCOMPARE(finished.exitCode, 0);
        QStringList seen = allMatches(QString::fromUtf8(finished.out), u"^(DROVER_\\w+)="_s);
        QVERIFY(seen.contains(u"DROVER_ARRAY_INDEX"_s) && seen.contains(u"DROVER_GANG_RANK"_s));
        seen.replaceInStrings(u"DROVER_LOCK_FENCE_name"_s, u"DROVER_LOCK_FENCE_NAME"_s);
        seen.append(u"DROVER_CREDENTIALS"_s); // of a worker with --job-credentials
        QCOMPARE(sorted(seen), listed(u"Variables of a job"_s));
        const QString help = QString::fromUtf8(drover.run(words("submit --help")).out);
        for (const QString &name : std::as_const(seen)) {
            const bool isShort = name.startsWith(u"DROVER_GANG_") && help.contains(u", "_s + name.mid(11)); // _SIZE
            QVERIFY2(isShort || help.contains(name), qPrintable(name));
        }
    }

    // The messages that the tables of troubleshooting.md quote are those of the programs.
    void theMessages()
    {
        QStringList literals;
        for (const SourceFile &source : sourceFiles()) {
            if (!source.path.startsWith(u"tests/"))
                literals.append(joinedLiterals(source));
        }
        const auto standsSomewhere = [&](const QString &quoted) {
            return std::any_of(literals.cbegin(), literals.cend(),
                               [&](const QString &text) { return stands(quoted, text); });
        };
        QVERIFY(!standsSomewhere(u"no such message at all"_s));
        QVERIFY(!standsSomewhere(u"waiting; ... is taken by"_s));
        const QStringList quotations =
            allMatches(textOf(u"packaging/docs/troubleshooting.md"_s), u"^\\| `([^`]+)` \\|"_s);
        QVERIFY(quotations.size() > 40);
        for (const QString &quoted : quotations)
            QVERIFY2(standsSomewhere(quoted), qPrintable(quoted));
    }

    void theFiles()
    {
        const QStringList files = listed(u"Files"_s);
        const auto place = [](const QString &path, const char *variable, const char *fallback) {
            const QString value = qEnvironmentVariable(variable, QDir::homePath() + QLatin1String(fallback));
            return QString(path).replace(value, u'$' + QLatin1String(variable));
        };
        namespace app = drover::app;
        const auto config = [&](const QString &path) { return place(path, "XDG_CONFIG_HOME", "/.config"); };
        const auto data = [&](const QString &path) { return place(path, "XDG_DATA_HOME", "/.local/share"); };
        const QByteArray cluster = "CLUSTER";
        for (const QString &path :
             {config(app::userConfigFile()), app::systemConfigFile(), config(app::userCredentialsFile(cluster)),
              app::systemCredentialsFile(cluster), data(app::localCredentialsFile(cluster)),
              data(app::defaultHistoryFile()), data(app::trustDirectory()) + u"/CLUSTER.root.key"_s})
            QVERIFY2(files.contains(path), qPrintable(path));
        const QSettings console(u"drover"_s, u"drover-console"_s);
        QVERIFY2(files.contains(config(console.fileName())), qPrintable(console.fileName()));
        const QStringList ofTheUnit =
            allMatches(textOf(u"packaging/systemd/drover-worker@.service"_s), u"^EnvironmentFile=-(.*)$"_s);
        QCOMPARE(ofTheUnit.size(), 2);
        for (const QString &path : ofTheUnit)
            QVERIFY2(files.contains(QString(path).replace(u"%i"_s, u"INSTANCE"_s)), qPrintable(path));
    }

    void theGlossaryHasEachStateOfAJob()
    {
        QStringList states;
        for (int state = 0; state <= int(drover::jobs::JobState::Cancelled); ++state)
            states.append(drover::jobs::stateName(drover::jobs::JobState(state)));
        states.sort();
        QCOMPARE(listed(u"States of a job"_s, u"glossary.md"_s), states);
    }
};

QTEST_GUILESS_MAIN(ReferenceTest)
#include "reference_test.moc"
