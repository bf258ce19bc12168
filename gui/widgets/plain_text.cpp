#include "gui/widgets/plain_text.h"

namespace drover::gui {

QLabel *plainLabel(const QString &text)
{
    auto *label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    return label;
}

void showPlainly(QMessageBox &box)
{
    for (QLabel *label : box.findChildren<QLabel *>())
        label->setTextFormat(Qt::PlainText);
}

void complain(QWidget *over, const QString &title, const QString &text, const QString &details)
{
    auto *const box = new QMessageBox(QMessageBox::Warning, title, {}, QMessageBox::Close, over);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setText(text);
    box->setInformativeText(details);
    showPlainly(*box);
    box->open();
}

} // namespace drover::gui
