#include "gui/widgets/plain_text.h"

#include "text/printable.h"

#include <QCoreApplication>

#include <algorithm>

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

void complain(QWidget *over, const QString &title, const QString &text, const QStringList &reasons)
{
    constexpr qsizetype MostReasons = 8;
    QStringList shown;
    for (const QString &reason : reasons.first(std::min(reasons.size(), MostReasons)))
        shown << text::printable(reason);
    if (reasons.size() > MostReasons)
        shown << QCoreApplication::translate("Complaint", "and %1 more").arg(reasons.size() - MostReasons);
    auto *const box = new QMessageBox(QMessageBox::Warning, title, {}, QMessageBox::Close, over);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setText(text);
    box->setInformativeText(shown.join(u'\n'));
    showPlainly(*box);
    box->open();
}

} // namespace drover::gui
