#pragma once

#include "gui/inspector/facts.h"

#include <QScrollArea>
#include <QTimer>

class QFormLayout;
class QLabel;
class QPlainTextEdit;
class QVBoxLayout;

namespace drover::gui {

// Shows facts, and counts on the ages in them. What has not changed stays as it is, with the
// text that the user selects and the link that has the keyboard.
class FactSheet final : public QScrollArea
{
    Q_OBJECT

public:
    explicit FactSheet(QWidget *parent = nullptr);

    void show(const Facts &facts);
    // Stands above the facts.
    void setHead(QWidget *head);

Q_SIGNALS:
    void entityWanted(const drover::gui::EntityRef &entity);

private:
    // The widgets of one fact, as far as it has them.
    struct Line {
        QLabel *text = nullptr;
        QPlainTextEdit *field = nullptr;
        Fact fact;
    };

    void build(const Facts &facts);
    void addLine(QFormLayout *form, const Fact &fact);
    void fill(Line &line, const Fact &fact);
    void countOn();

    QString m_shape; // of the facts that are shown: another one takes other widgets
    std::vector<Line> m_lines;
    QVBoxLayout *m_column;
    QWidget *m_facts = nullptr;
    int m_nameWidth = 0;
    QTimer m_second;
};

} // namespace drover::gui
