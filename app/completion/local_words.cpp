#include "app/completion/shell_scripts.h"
#include "app/completion/words.h"

#include <QTimeZone>

#include <csignal>

namespace drover::app {

namespace {

QList<Candidate> signalNames()
{
    QList<Candidate> words;
    for (int number = 1; number < SIGRTMIN; ++number) {
        if (const char *const name = ::sigabbrev_np(number))
            words.append({QString::fromLatin1(name), QString::fromLocal8Bit(::sigdescr_np(number))});
    }
    return words;
}

} // namespace

QList<Candidate> localWords(CompletionKind kind)
{
    QList<Candidate> words;
    if (kind == CompletionKind::Signal)
        words = signalNames();
    if (kind == CompletionKind::Shell) {
        for (const QString &shell : completionShells())
            words.append({shell});
    }
    if (kind == CompletionKind::TimeZone) {
        for (const QByteArray &zone : QTimeZone::availableTimeZoneIds())
            words.append({QString::fromUtf8(zone)});
    }
    return words;
}

} // namespace drover::app
