#include "gui/window/about_box.h"

#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"

#include <QCoreApplication>
#include <QMessageBox>

namespace drover::gui {

namespace {

struct AboutTexts {
    Q_DECLARE_TR_FUNCTIONS(AboutBox)
};

} // namespace

void showAbout(QWidget *over)
{
    QMessageBox box(QMessageBox::NoIcon, AboutTexts::tr("About Drover Console"), {}, QMessageBox::Close, over);
    box.setIconPixmap(applicationIcon().pixmap(64));
    box.setText(AboutTexts::tr("Drover Console %1").arg(QStringLiteral(DROVER_VERSION)));
    box.setInformativeText(AboutTexts::tr("The desktop of Drover, a distributed job scheduler on ZooKeeper.\n\n"
                                          "Licensed under the Apache License 2.0. Built with Qt %1.")
                               .arg(QLatin1String(qVersion())));
    showPlainly(box);
    box.exec();
}

} // namespace drover::gui
