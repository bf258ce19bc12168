#pragma once

#include <QListView>

namespace drover::gui {

class ArrayModel;

// The tasks of an array as cells, in lines that fill the width. The arrow keys go over them, digits go to an index, and
// Enter or a double click chooses a task. A tool tip tells of the one below the pointer.
class TaskGrid final : public QListView
{
    Q_OBJECT

public:
    explicit TaskGrid(ArrayModel &model, QWidget *parent = nullptr);
};

} // namespace drover::gui
