#pragma once

#include "gui/models/submit_form.h"
#include "jobs/schedules/schedules.h"

namespace drover::gui {

// The fields of the dialog of a recurring job and their rules, without its widgets.
struct ScheduleForm {
    enum class Field { Name, When, Zone, Overlap, Job };

    QString name;
    QString when; // "0 3 * * *", "@every 10m"
    QString zone; // empty: UTC
    jobs::ScheduleEntry::CatchUp catchUp = jobs::ScheduleEntry::CatchUp::One;
    jobs::ScheduleEntry::Overlap overlap = jobs::ScheduleEntry::Overlap::Allow;
    SubmitForm job;

    // A form that shows a schedule that can be read.
    static ScheduleForm of(const jobs::StoredSchedule &stored);

    struct Checked {
        std::optional<jobs::ScheduleEntry> entry; // nothing if there are errors
        std::map<Field, QString> errors; // one line each
        QStringList next; // the first runs from now on, in the zone; as far as When and Zone are right
    };
    Checked check(std::chrono::milliseconds now) const;
};

} // namespace drover::gui
