#include "gui/window/about_box.h"

#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"

#include <QCoreApplication>
#include <QMessageBox>

namespace drover::gui {

void showAbout(QWidget *over)
{
    const auto translated = [](const char *text) { return QCoreApplication::translate("AboutBox", text); };
    QMessageBox box(QMessageBox::NoIcon, translated("About Drover Console"), {}, QMessageBox::Close, over);
    box.setIconPixmap(applicationIcon().pixmap(64));
    box.setText(translated("Drover Console %1").arg(QStringLiteral(DROVER_VERSION)));
    box.setInformativeText(translated("The desktop of Drover, a distributed job scheduler on ZooKeeper.\n\n"
                                      "Licensed under the Apache License 2.0. Built with Qt %1.")
                               .arg(QLatin1String(qVersion())));
    showPlainly(box);
    box.exec();
}

} // namespace drover::gui
