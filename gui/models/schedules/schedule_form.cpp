#include "gui/models/schedules/schedule_form.h"

#include "text/name.h"
#include "text/printable.h"

#include <QCoreApplication>
#include <QDateTime>

namespace drover::gui {

namespace {

constexpr int RunsShown = 4;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ScheduleForm)
};

} // namespace

ScheduleForm ScheduleForm::of(const jobs::StoredSchedule &stored, const jobs::JobOptions *known)
{
    ScheduleForm form;
    form.name = QString::fromUtf8(stored.name);
    form.when = stored.entry->when.expression().text();
    form.zone = stored.entry->when.zone();
    form.catchUp = stored.entry->catchUp;
    form.overlap = stored.entry->overlap;
    form.job = SubmitForm::of(stored.entry->job, known);
    return form;
}

const QStringList &ScheduleForm::withoutField()
{
    static const QStringList names = SubmitForm::ownOptions()
        + QStringList{QStringLiteral("after"),     QStringLiteral("after-ok"), QStringLiteral("after-fail"),
                      QStringLiteral("after-any"), QStringLiteral("start-at"), QStringLiteral("delay"),
                      QStringLiteral("dedupe")};
    return names;
}

ScheduleForm::Checked ScheduleForm::check(std::chrono::milliseconds now) const
{
    Checked checked;
    if (!text::isLockName(name))
        checked.errors[Field::Name] = Words::tr("A name has 1 to 64 of a–z, A–Z, 0–9, “.”, “_” and “-”.");
    const SubmitForm::Checked jobChecked = job.check();
    if (!jobChecked.errors.empty())
        checked.errors[Field::Job] = jobChecked.errors.begin()->second;
    checked.optionErrors = jobChecked.optionErrors;
    checked.objection = jobChecked.objection;
    try {
        jobs::CronSchedule::parse(QStringLiteral("@daily"), zone);
    } catch (const jobs::InvalidSchedule &error) {
        checked.errors[Field::Zone] = text::printable(QString::fromUtf8(error.what()));
    }
    if (checked.errors.contains(Field::Zone))
        return checked;
    try {
        jobs::ScheduleEntry entry{.when = jobs::CronSchedule::parse(when, zone), .job = jobChecked.spec};
        entry.catchUp = catchUp;
        entry.overlap = overlap;
        entry.lastTick = now;
        for (const std::chrono::milliseconds tick : jobs::upcomingTicks(entry, now, RunsShown))
            checked.next << QDateTime::fromMSecsSinceEpoch(tick.count(), entry.when.timeZone())
                                .toString(
                                    Words::tr("ddd d MMM yyyy HH:mm:ss t", "a date and time, as QDateTime has them"));
        try {
            jobs::requireCompatible(catchUp, overlap);
        } catch (const jobs::InvalidSchedule &error) {
            checked.errors[Field::Overlap] = QString::fromUtf8(error.what());
        }
        if (checked.errors.empty() && jobChecked.ok())
            checked.entry = std::move(entry);
    } catch (const jobs::InvalidSchedule &error) {
        checked.errors[Field::When] = text::printable(QString::fromUtf8(error.what()));
    }
    return checked;
}

} // namespace drover::gui
