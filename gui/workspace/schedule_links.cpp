#include "gui/workspace/schedule_links.h"

#include "gui/feeds/schedule_feed.h"
#include "gui/models/queue_history.h"
#include "gui/pages/schedules/schedule_dialog.h"
#include "gui/pages/schedules/schedules_page.h"
#include "gui/shell/gateway.h"

namespace drover::gui {

using namespace std::chrono_literals;

ScheduleLinks::ScheduleLinks(SchedulesPage &page, ScheduleFeed &feed, const QueueHistory &queues,
                             const Gateway &gateway)
    : QObject(&page), m_feed(feed), m_queues(queues), m_gateway(gateway), m_page(page)
{
    wire(page);
    connect(&feed, &ScheduleFeed::done, this, [this](int request, const QString &what) {
        const auto waiting = m_waiting.extract(request);
        if (waiting && waiting.mapped())
            waiting.mapped()->accept();
        Q_EMIT said(what, 8s);
    });
    connect(&feed, &ScheduleFeed::failed, this, [this](int request, const QString &why) {
        const auto waiting = m_waiting.extract(request);
        if (waiting && waiting.mapped())
            waiting.mapped()->fail(why);
        else
            Q_EMIT said(why, 15s);
    });
}

// The feed lives on the session's thread.
void ScheduleLinks::wire(SchedulesPage &page)
{
    const auto verb = [this](auto act, const trust::Need &need) {
        return [this, act, need](const QByteArray &name) {
            if (!m_gateway.allows(need))
                return;
            const int request = ++m_lastRequest;
            QMetaObject::invokeMethod(&m_feed, [feed = &m_feed, act, request, name] { (feed->*act)(request, name); });
        };
    };
    connect(&page, &SchedulesPage::pauseWanted, this, verb(&ScheduleFeed::pause, Gateway::toOperate()));
    connect(&page, &SchedulesPage::resumeWanted, this, verb(&ScheduleFeed::resume, Gateway::toOperate()));
    connect(&page, &SchedulesPage::removeWanted, this, verb(&ScheduleFeed::remove, Gateway::toOperate()));
    connect(&page, &SchedulesPage::runWanted, this, verb(&ScheduleFeed::run, Gateway::toSubmit()));
    connect(&page, &SchedulesPage::addWanted, this, [this] { newDialog()->open(); });
    connect(&page, &SchedulesPage::editWanted, this, [this](const jobs::StoredSchedule &schedule) {
        ScheduleDialog *const dialog = newDialog();
        dialog->edit(schedule);
        dialog->open();
    });
}

ScheduleDialog *ScheduleLinks::newDialog()
{
    QStringList queues;
    for (const auto &[queue, depths] : m_queues.series())
        queues.append(QString::fromUtf8(queue));
    auto *const dialog = new ScheduleDialog(queues, &m_page, m_options);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ScheduleDialog::wanted, this,
            [this, dialog](const QByteArray &name, const jobs::ScheduleEntry &entry, bool replaces) {
                const QString refusal = m_gateway.refusal(SchedulesPage::toChange());
                if (!refusal.isEmpty())
                    return dialog->fail(refusal);
                const int request = ++m_lastRequest;
                m_waiting[request] = dialog;
                QMetaObject::invokeMethod(&m_feed, [feed = &m_feed, request, name, entry, replaces] {
                    replaces ? feed->replace(request, name, entry) : feed->add(request, name, entry);
                });
            });
    return dialog;
}

} // namespace drover::gui
