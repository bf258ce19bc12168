#include "gui/shell/connection_state.h"

#include "gui/text/shell_words.h"
#include "text/printable.h"

#include <QCoreApplication>

namespace drover::gui {

QString ConnectionState::whyNothing() const
{
    if (isConnected())
        return {};
    const bool isOff =
        session.phase == SessionStatus::Phase::Disconnected || session.phase == SessionStatus::Phase::Failed;
    return isOff ? QCoreApplication::translate("ConnectionState", "Not connected.")
                 : QCoreApplication::translate("ConnectionState", "Waiting for ZooKeeper…");
}

QString ConnectionState::commandFor(const QStringList &words) const
{
    return text::printable(
        joinShellWords(words
                       + QStringList{QStringLiteral("--connect"), session.target.connect, QStringLiteral("--cluster"),
                                     QString::fromUtf8(session.target.cluster)}));
}

} // namespace drover::gui
