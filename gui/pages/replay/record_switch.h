#pragma once

#include "gui/recording/recorded.h"

#include <QToolButton>

namespace drover::gui {

// The switch of the recording in the line at the bottom: off, recording with the size of the file, or waiting for the
// connection.
class RecordSwitch final : public QToolButton
{
    Q_OBJECT

public:
    explicit RecordSwitch(QWidget *parent = nullptr);

    void showStatus(const RecordingStatus &status);

protected:
    void changeEvent(QEvent *event) override;

private:
    void paintDot();

    RecordingStatus m_status;
};

} // namespace drover::gui
