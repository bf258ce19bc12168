#include "gui/widgets/job_summary.h"

#include "gui/models/job_model.h"
#include "gui/text/format.h"
#include "text/printable.h"
#include "text/quantity.h"

namespace drover::gui {

// "searched 200,000 of 1,000,000 in the history so far"
QString JobSummary::searched(const JobsSnapshot &jobs)
{
    return tr("searched %1 of %2 in the history so far")
        .arg(text::formatCount(jobs.pastSearched), text::formatCount(std::max(jobs.past, jobs.pastSearched)));
}

QString JobSummary::text(const JobModel &model, const Table &table)
{
    const JobsSnapshot &jobs = model.snapshot();
    if (jobs.total() == 0)
        return {};
    QString said =
        tr("%1 running, %2 ready, %3 ended")
            .arg(text::formatCount(jobs.running), text::formatCount(jobs.ready), text::formatCount(jobs.ended));
    if (jobs.waiting > 0)
        said += tr(", %1 waiting").arg(text::formatCount(jobs.waiting));
    if (jobs.held > 0)
        said += tr(", %1 held").arg(text::formatCount(jobs.held));
    if (model.notSearched() > 0 && table.isFiltering)
        said += tr("; %1 not searched").arg(text::formatCount(model.notSearched()));
    else if (jobs.pastGoesOn && table.isFiltering)
        said += tr("; %1").arg(searched(jobs));
    else if (model.notShown() > 0)
        said += (model.isFull() ? tr("; %1 not shown: a filter finds them") : tr("; %1 not shown"))
                    .arg(text::formatCount(model.notShown()));
    if (jobs.pastDropped > 0)
        said += tr("; %1 above (Home)").arg(text::formatCount(jobs.pastDropped));
    if (jobs.past > jobs.pastRows && !table.isHistorySorted)
        said += tr("; only the %1 in the table are sorted").arg(text::formatCount(model.rowCount()));
    if (model.notShown() > 0 && table.isGrouped)
        said += tr("; only the %1 in the table are grouped").arg(text::formatCount(model.rowCount()));
    if (!jobs.pastTrouble.isEmpty())
        said += jobs.pastRows > 0 ? tr("; the history cannot be read now") : tr("; older ones not shown");
    return said;
}

QString JobSummary::toolTip(const JobsSnapshot &jobs)
{
    if (jobs.pastTrouble.isEmpty())
        return tr(
            "Jobs that have ended a while ago come from the history: the first in the order of the table, or the "
            "first that fit the filter. More come when the table is scrolled to its end. It has some thousand at a "
            "time: those far above go, and come again when it is scrolled back. The Home key leads to the first. "
            "Selected jobs stay. The history is sorted by state, id, name, worker and time. By any other "
            "column, only the jobs in the table are sorted, and no more than some thousand come. So it is with "
            "groups. A filter finds all others.");
    return plainToolTip((jobs.pastRows > 0 ? tr("The jobs of the history are as it had them last: %1")
                                           : tr("Older jobs are not shown: %1"))
                            .arg(text::printable(jobs.pastTrouble)));
}

// A search goes through the jobs in ZooKeeper in steps.
QString JobSummary::noneFits(const JobModel &model)
{
    if (model.notSearched() > 0)
        return tr("No job fits the filter so far; %1 were not looked at yet.")
            .arg(text::formatCount(model.notSearched()));
    if (model.snapshot().pastGoesOn)
        return tr("No job fits the filter so far; %1.").arg(searched(model.snapshot()));
    return model.snapshot().pastTrouble.isEmpty() ? tr("No job fits the filter.")
                                                  : tr("No job fits the filter. Older jobs were not looked at: %1")
                                                        .arg(text::printable(model.snapshot().pastTrouble));
}

} // namespace drover::gui
