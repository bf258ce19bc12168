#include "app/cluster/coordination.h"
#include "app/commands/commands.h"
#include "files/shared_file.h"

#include <QUuid>

#include <fcntl.h>
#include <unistd.h>

namespace drover::app {

namespace {

// A repeat needs the key, and without --key the user has not seen it.
std::string withKey(const std::exception &error, const QByteArray &key, bool isNamed)
{
    return isNamed ? std::string(error.what())
                   : error.what() + (" (to repeat it, add --key " + key + ')').toStdString();
}

async::Task<files::SharedFile::Appended> appendInput(files::SharedFile &file, QByteArray key, bool isNamed)
{
    const auto input = std::make_shared<posix::FileDescriptor>(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
    try {
        files::SharedFile::Appended appended = co_await file.append(key, input);
        co_return appended;
    } catch (const files::AppendUnsettled &error) {
        throw files::AppendUnsettled(withKey(error, key, isNamed));
    } catch (const zk::SessionLost &error) {
        throw zk::SessionLost(QString::fromStdString(withKey(error, key, isNamed)));
    }
}

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    const QString path = arguments.at(0);
    if (path.isEmpty())
        throw UsageError(QStringLiteral("the name of FILE is empty"));
    const bool named = arguments.has("key");
    const QByteArray key = named ? arguments.value("key").toUtf8() : QUuid::createUuid().toByteArray(QUuid::Id128);
    if (!files::isValidKey(key))
        throw files::InvalidKey(key);
    const QByteArray about = describeUs(QStringLiteral("append"));
    const jobs::Cluster cluster = co_await context.openCluster();
    const std::unique_ptr<files::SharedFile> file =
        co_await files::SharedFile::open(cluster.zk, cluster.layout, path, about);
    if (::isatty(STDIN_FILENO))
        Output::hint(QStringLiteral("reading standard input; Ctrl-D ends it, Ctrl-C appends nothing"));
    const files::SharedFile::Appended appended = co_await appendInput(*file, key, named);
    if (!appended.sameBytes)
        throw CommandError(ExitWrongState,
                           QStringLiteral("%1 has a record %2 already, %3 bytes at byte %4, with other bytes; a key "
                                          "appends once: use another")
                               .arg(file->store().path(), QString::fromUtf8(key), QString::number(appended.length),
                                    QString::number(appended.offset)));
    if (!context.out().isTable())
        context.out().object({},
                             {{QStringLiteral("file"), file->store().path()},
                              {QStringLiteral("key"), QString::fromUtf8(key)},
                              {QStringLiteral("offset"), appended.offset},
                              {QStringLiteral("bytes"), appended.length},
                              {QStringLiteral("already"), appended.already}});
    else if (appended.already)
        Output::hint(QStringLiteral("it was there already, at byte %1").arg(appended.offset));
    co_return ExitOk;
}

} // namespace

Command append()
{
    return {.name = "append",
            .synopsis = "[OPTIONS] FILE",
            .summary = "Append standard input to a shared file: whole, and once",
            .details =
                "When it returns 0, all of the input is in FILE as one record, on the disk, and no other writer's "
                "bytes are among it, even if a writer was killed or stopped meanwhile. With --key, saying the same "
                "twice appends once: repeat it after any failure. Without, each call is a record of its own.\n\n"
                "FILE lies on storage that all its writers see, under the same path; what Drover needs to know is "
                "beside it, in .FILE.drover/. A file that does not match its ledger (truncated, rotated, written to by "
                "others) is refused with exit code 4.\n\n"
                "What stays impossible: to keep out programs that write to FILE by themselves (they are noticed, not "
                "stopped); to recover bytes that the storage lost after it had said that it had them; to append once "
                "if the file, .FILE.drover/ or ZooKeeper is set back to an older copy (refused, where it shows); to "
                "append to one file from two clusters.",
            .options = {option("key", "the record's name for ever; a key appends once", "KEY")},
            .takes = {{CompletionKind::SharedFile}},
            .needs = {{trust::Role::Operate}},
            .check = "drover files show %1; a repeat with the same --key appends once",
            .examples = {"drover append /srv/shared/report.txt < result.txt",
                         "drover append --key 2030-05-01 /srv/shared/report.txt < result.txt"},
            .exits = {{"4", "--key has a record already, with other bytes"}},
            .run = execute};
}

} // namespace drover::app
