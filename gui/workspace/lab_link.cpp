#include "gui/workspace/lab_link.h"

#include "gui/pages/lab/lab_page.h"
#include "gui/shell/shell.h"
#include "gui/shell/start_view.h"

namespace drover::gui {

void addLab(Shell &shell, const StartView &start)
{
    auto *const page = new LabPage;
    shell.addPage(page);
    QObject::connect(&start, &StartView::labWanted, page, [&shell, page] { shell.openInWindow(page); });
}

} // namespace drover::gui
