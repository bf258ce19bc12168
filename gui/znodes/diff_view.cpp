#include "gui/znodes/diff_view.h"

#include "gui/text/counted.h"
#include "gui/text/text_diff.h"
#include "gui/widgets/theme.h"

#include <QTextBlock>

namespace drover::gui {

DiffView::DiffView(QWidget *parent) : QPlainTextEdit(parent)
{
    setReadOnly(true);
    setUndoRedoEnabled(false);
    setFont(fixedFont());
    setAccessibleName(tr("Differences"));
}

void DiffView::show(const QString &before, const QString &after)
{
    clear();
    QTextCursor cursor(document());
    const auto add = [&](const QString &line, const QColor &color) {
        QTextCharFormat format;
        format.setForeground(color);
        cursor.insertText(line + u'\n', format);
    };
    const QColor plain = palette().color(QPalette::Text);
    if (before == after)
        return add(tr("There is no difference."), mutedText(palette()));
    const QList<DiffLine> lines = diffLines(before, after);
    for (const DiffLine &line : lines) {
        switch (line.kind) {
        case DiffLine::Same:
            add(QStringLiteral("  ") + line.text, plain);
            break;
        case DiffLine::Removed:
            add(QStringLiteral("- ") + line.text, toneColor(Tone::Bad, palette()));
            break;
        case DiffLine::Added:
            add(QStringLiteral("+ ") + line.text, toneColor(Tone::Good, palette()));
            break;
        case DiffLine::Skipped:
            add(tr("  … %1 the same …").arg(counted(line.count, Things::Lines)), mutedText(palette()));
            break;
        }
    }
    moveCursor(QTextCursor::Start);
}

} // namespace drover::gui
