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
    static ScheduleForm of(const jobs::StoredSchedule &stored, const jobs::JobOptions *known = nullptr);
    // The options of a job that get no field by their name. The form has another for them, or they are not for a job
    // that recurs. The jobs that it waits for are kept as they were.
    static const QStringList &withoutField();

    struct Checked {
        std::optional<jobs::ScheduleEntry> entry; // nothing unless all is right
        std::map<Field, QString> errors; // one line each
        std::map<QString, QString> optionErrors{}; // of the job, as SubmitForm has them
        QString objection{}; // to all options of the job together
        QStringList next; // the first runs from now on, in the zone; as far as When and Zone are right
    };
    Checked check(std::chrono::milliseconds now) const;
};

} // namespace drover::gui
