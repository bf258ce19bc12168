#include "gui/views/group_menu.h"

#include "gui/text/format.h"
#include "gui/widgets/job_pane.h"

#include <QActionGroup>

namespace drover::gui {

GroupMenu::GroupMenu(JobPane &pane, QWidget *parent) : QMenu(tr("&Group the jobs"), parent)
{
    setToolTipsVisible(true);
    auto *const choices = new QActionGroup(this);
    const auto add = [&](Grouping by, const QString &text, const QString &toolTip = {}) {
        auto *const action = choices->addAction(text);
        action->setObjectName(QStringLiteral("job.group-") + groupingName(by));
        action->setCheckable(true);
        action->setChecked(by == pane.grouping());
        action->setToolTip(plainToolTip(toolTip));
        connect(action, &QAction::triggered, &pane, [&pane, by] { pane.group(by); });
        connect(&pane, &JobPane::groupingChanged, action,
                [&pane, action, by] { action->setChecked(by == pane.grouping()); });
        addAction(action);
    };
    add(Grouping::None, tr("Do &not group the jobs"));
    addSeparator();
    add(Grouping::Queue, tr("Group the jobs by &queue"));
    add(Grouping::Name, tr("Group the jobs by n&ame"));
    add(Grouping::Tag, tr("Group the jobs by &tag"), tr("A job with several tags is in the group of its first one"));
    add(Grouping::User, tr("Group the jobs by &user"), tr("The user who submitted them, on any machine"));
}

} // namespace drover::gui
