#include "gui/widgets/code_edit.h"

#include "gui/widgets/theme.h"

namespace drover::gui {

CodeEdit::CodeEdit(int lines, const QString &placeholder)
{
    constexpr int Frame = 14; // pixels
    setFont(fixedFont());
    setTabChangesFocus(true);
    setFixedHeight(fontMetrics().lineSpacing() * lines + Frame);
    setPlaceholderText(placeholder);
}

QString CodeEdit::text() const
{
    return document()->toRawText().replace(QChar::ParagraphSeparator, u'\n').replace(QChar::LineSeparator, u'\n');
}

} // namespace drover::gui
