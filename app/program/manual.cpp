#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "app/program/manual_page.h"

#include <QDir>
#include <QSaveFile>

namespace drover::app {

namespace {

void write(const QString &path, const QByteArray &page)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(page) != page.size() || !file.flush() || !file.commit())
        throw CommandError(ExitError, QStringLiteral("cannot write %1: %2").arg(path, file.errorString()));
}

async::Task<int> writePages(Context &context)
{
    const QDir directory(context.arguments().at(0));
    for (const QString &name : manualPageNames())
        write(directory.filePath(name + QStringLiteral(".1")), manualPage(name));
    co_return ExitOk;
}

} // namespace

Command manual()
{
    return {.name = "manual",
            .synopsis = "DIRECTORY",
            .summary = "Write the man pages of this program's commands into a directory that exists",
            .takes = {{CompletionKind::Directory}},
            .run = writePages};
}

} // namespace drover::app
