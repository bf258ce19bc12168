#include "gui/text/counted.h"

#include "text/quantity.h"

#include <QCoreApplication>

#include <algorithm>
#include <limits>

namespace drover::gui {

namespace {

struct Words {
    const char *one;
    const char *many; // a translation has as many forms of it as its language
};

// In the order of Things.
constexpr Words AllThings[] = {
    {QT_TRANSLATE_NOOP("Counted", "%1 byte"), QT_TRANSLATE_N_NOOP("Counted", "%1 bytes")},
    {QT_TRANSLATE_NOOP("Counted", "%1 child"), QT_TRANSLATE_N_NOOP("Counted", "%1 children")},
    {QT_TRANSLATE_NOOP("Counted", "%1 deadlock"), QT_TRANSLATE_N_NOOP("Counted", "%1 deadlocks")},
    {QT_TRANSLATE_NOOP("Counted", "%1 event"), QT_TRANSLATE_N_NOOP("Counted", "%1 events")},
    {QT_TRANSLATE_NOOP("Counted", "%1 finding"), QT_TRANSLATE_N_NOOP("Counted", "%1 findings")},
    {QT_TRANSLATE_NOOP("Counted", "%1 job"), QT_TRANSLATE_N_NOOP("Counted", "%1 jobs")},
    {QT_TRANSLATE_NOOP("Counted", "%1 line"), QT_TRANSLATE_N_NOOP("Counted", "%1 lines")},
    {QT_TRANSLATE_NOOP("Counted", "%1 lock"), QT_TRANSLATE_N_NOOP("Counted", "%1 locks")},
    {QT_TRANSLATE_NOOP("Counted", "%1 node"), QT_TRANSLATE_N_NOOP("Counted", "%1 nodes")},
    {QT_TRANSLATE_NOOP("Counted", "%1 paused queue"), QT_TRANSLATE_N_NOOP("Counted", "%1 paused queues")},
    {QT_TRANSLATE_NOOP("Counted", "%1 problem"), QT_TRANSLATE_N_NOOP("Counted", "%1 problems")},
    {QT_TRANSLATE_NOOP("Counted", "%1 queue"), QT_TRANSLATE_N_NOOP("Counted", "%1 queues")},
    {QT_TRANSLATE_NOOP("Counted", "%1 release"), QT_TRANSLATE_N_NOOP("Counted", "%1 releases")},
    {QT_TRANSLATE_NOOP("Counted", "%1 request"), QT_TRANSLATE_N_NOOP("Counted", "%1 requests")},
    {QT_TRANSLATE_NOOP("Counted", "%1 schedule"), QT_TRANSLATE_N_NOOP("Counted", "%1 schedules")},
    {QT_TRANSLATE_NOOP("Counted", "%1 server"), QT_TRANSLATE_N_NOOP("Counted", "%1 servers")},
    {QT_TRANSLATE_NOOP("Counted", "%1 slot"), QT_TRANSLATE_N_NOOP("Counted", "%1 slots")},
    {QT_TRANSLATE_NOOP("Counted", "%1 waiter"), QT_TRANSLATE_N_NOOP("Counted", "%1 waiters")},
    {QT_TRANSLATE_NOOP("Counted", "%1 wake-up"), QT_TRANSLATE_N_NOOP("Counted", "%1 wake-ups")},
    {QT_TRANSLATE_NOOP("Counted", "%1 warning"), QT_TRANSLATE_N_NOOP("Counted", "%1 warnings")},
    {QT_TRANSLATE_NOOP("Counted", "%1 worker"), QT_TRANSLATE_N_NOOP("Counted", "%1 workers")},
};

} // namespace

QString counted(qint64 count, Things things)
{
    const Words &words = AllThings[std::size_t(things)];
    const int plural = int(std::min<qint64>(count, std::numeric_limits<int>::max()));
    const QString text = count == 1 ? QCoreApplication::translate("Counted", words.one)
                                    : QCoreApplication::translate("Counted", words.many, nullptr, plural);
    return text.arg(text::formatCount(count));
}

} // namespace drover::gui
