#pragma once

#include "gui/recording/recorder.h"

namespace drover::gui {

class ConsoleSession;
class FeedNeeds;
class RecordSwitch;
class ReplayPage;
class Shell;
class StatusLine;
class ZnodeModel;

// Adds the page of the replay and the switch of the recording, and joins both with the Recorder. The feeds report to
// it as they do to the models. While it records, no feed sleeps.
class ReplayLinks final : public QObject
{
    Q_OBJECT

public:
    // A child of the page; the others outlive it.
    ReplayLinks(ConsoleSession &session, const ZnodeModel &znodes, Shell &shell, StatusLine &line, FeedNeeds &needs);

    ReplayPage &page() const { return *m_page; }
    void record(const Target &target); // once it is connected to, as if the user had it recorded

private:
    void joinFeeds(ConsoleSession &session, const ZnodeModel &znodes);
    void setOn(bool on);
    void showStatus(const RecordingStatus &status);

    ReplayPage *m_page;
    RecordSwitch *m_switch;
    StatusLine &m_line;
    FeedNeeds &m_needs;
    RecordingStatus m_status;
    RecorderThread m_thread;
};

} // namespace drover::gui
