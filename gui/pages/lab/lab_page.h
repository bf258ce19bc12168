#pragma once

#include "gui/lab/lab_thread.h"
#include "gui/shell/page.h"

class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;
class QScrollArea;
class QSplitter;
class QVBoxLayout;

namespace drover::gui {

class CodeView;
class LabPicture;
class Notice;

// The recipes at work. It has lessons to choose from, a picture of the participants and the znodes, and buttons for
// each participant. Beside them stand the pseudo-code, and what to try. The private server starts with the first
// participant. No connection to a cluster is needed, and none is used.
class LabPage final : public Page
{
    Q_OBJECT

public:
    explicit LabPage(LabSettings settings = LabSettings::ofThisProgram());
    ~LabPage() override;

    void openLesson(int lesson);
    int lesson() const { return m_lesson; }
    const LabSnapshot &now() const { return m_now; }
    LabPicture &picture() const { return *m_picture; }

    void showState(const ConnectionState &) override { }
    void saveTo(QSettings &settings) const override;
    void restoreFrom(const QSettings &settings) override;

protected:
    QWidget *mainPart() const override;
    void resizeEvent(QResizeEvent *event) override;

private:
    QWidget *makeLessons();
    QWidget *makeStage();
    QWidget *makeGuide();
    QPushButton *addButton(const QString &name, const QString &text);
    void act(void (LabStage::*what)(int));
    LabThread &lab();
    void begin(const std::function<void(LabStage &)> &request);
    void take(const LabSnapshot &snapshot);
    void update();
    void writeGuide();

    const LabSettings m_settings;
    std::unique_ptr<LabThread> m_lab; // null: no participant was started yet
    bool m_isOpen = false; // the stage has this lesson
    int m_lesson = 0;
    LabSnapshot m_now;

    Notice *m_notice;
    QListWidget *m_lessons;
    QComboBox *m_choice; // instead of the list, in a narrow window
    QLabel *m_title;
    QLabel *m_about;
    LabPicture *m_picture;
    CodeView *m_code;
    QWidget *m_guide;
    QVBoxLayout *m_steps;
    QSplitter *m_left;
    QSplitter *m_right;
    QLabel *m_selected;
    QHash<QString, QPushButton *> m_buttons;
};

} // namespace drover::gui
