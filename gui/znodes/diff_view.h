#pragma once

#include <QPlainTextEdit>

namespace drover::gui {

// What differs between two texts: lines that go begin with "-", lines that come with "+".
class DiffView final : public QPlainTextEdit
{
    Q_OBJECT

public:
    explicit DiffView(QWidget *parent = nullptr);

    void show(const QString &before, const QString &after);
};

} // namespace drover::gui
