#pragma once

#include "gui/text/node_text.h"

#include <QSyntaxHighlighter>

namespace drover::gui {

// Colours the data of a znode in the formats that have a grammar: JSON, XML and properties. A line is coloured by
// itself, so that a long text costs no more than what is added to it.
class DataHighlighter final : public QSyntaxHighlighter
{
    Q_OBJECT

public:
    DataHighlighter(QTextDocument *document, const QWidget &widget) : QSyntaxHighlighter(document), m_widget(widget) { }

    void setFormatOfData(DataFormat format) { m_format = format; } // before the text is set

protected:
    void highlightBlock(const QString &line) override;

private:
    const QWidget &m_widget; // its palette says whether the colours are for a dark background
    DataFormat m_format = DataFormat::Text;
};

} // namespace drover::gui
