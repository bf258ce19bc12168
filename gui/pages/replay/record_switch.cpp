#include "gui/pages/replay/record_switch.h"

#include "gui/text/format.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QEvent>

namespace drover::gui {

RecordSwitch::RecordSwitch(QWidget *parent) : QToolButton(parent)
{
    setObjectName(QStringLiteral("recording"));
    setCheckable(true);
    setAutoRaise(true);
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    showStatus({});
}

void RecordSwitch::showStatus(const RecordingStatus &status)
{
    m_status = status;
    setChecked(status.isOn);
    setEnabled(!status.target.connect.isEmpty());
    const QString size = text::formatSize(status.bytes);
    setText(status.isRecording ? tr("Recording, %1").arg(size) : status.isOn ? tr("Recording: waits") : tr("Record"));
    const QString about = tr("Records what this console shows of the cluster, for the page Replay. It keeps the latest "
                             "seven days and 256 MiB, in a file that only you can read.");
    setToolTip(plainToolTip(status.trouble.isEmpty() ? about : text::printable(status.trouble)));
    setAccessibleName(text());
    paintDot();
}

void RecordSwitch::paintDot()
{
    const Tone tone = m_status.isRecording             ? Tone::Bad
        : m_status.isOn || !m_status.trouble.isEmpty() ? Tone::Waiting
                                                       : Tone::Muted;
    setIcon(QIcon(dot(toneColor(tone, palette()), devicePixelRatioF())));
}

void RecordSwitch::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        paintDot();
    QToolButton::changeEvent(event);
}

} // namespace drover::gui
