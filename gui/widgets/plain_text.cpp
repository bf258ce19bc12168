#include "gui/widgets/plain_text.h"

#include "text/printable.h"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>

namespace drover::gui {

namespace {

const QString PartSeparator = QStringLiteral("  ·  "); // as the line at the bottom has it

class ElidingLabel final : public QLabel
{
public:
    QSize minimumSizeHint() const override { return {1, QLabel::minimumSizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent *event) override
    {
        const QString fitting = fontMetrics().elidedText(fittingParts(), Qt::ElideRight, contentsRect().width());
        if (fitting == text())
            return QLabel::paintEvent(event); // in which it can be selected
        QPainter painter(this);
        painter.setPen(palette().color(foregroundRole()));
        painter.drawText(contentsRect(), int(alignment()) | Qt::TextSingleLine, fitting);
    }

private:
    // The first of its parts, as many as there is room for; one at least.
    QString fittingParts() const
    {
        QString parts = text();
        qsizetype end = parts.size();
        while (end > 0 && fontMetrics().horizontalAdvance(parts) > contentsRect().width()) {
            end = parts.lastIndexOf(PartSeparator);
            if (end > 0)
                parts.truncate(end);
        }
        return parts;
    }
};

} // namespace

QLabel *plainLabel(const QString &text)
{
    auto *label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    return label;
}

QLabel *elidingLabel()
{
    auto *label = new ElidingLabel;
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
