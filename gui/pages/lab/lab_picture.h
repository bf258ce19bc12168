#pragma once

#include "gui/lab/lesson.h"

#include <QElapsedTimer>
#include <QHash>
#include <QTimer>
#include <QWidget>

namespace drover::gui {

// The participants of a lesson and the znodes of the server. A line joins a node and its owner, and an arrow leads from
// a waiter to each node that it watches. A participant that a watch wakes has a halo for a moment. One participant is
// selected, by the mouse or the arrow keys.
class LabPicture final : public QWidget
{
    Q_OBJECT

public:
    explicit LabPicture(QWidget *parent = nullptr);

    void show(const LabSnapshot &snapshot, const Lesson &lesson);
    int selected() const { return m_selected; } // -1: none
    void select(int participant);
    bool isLit(int participant) const; // whether it has its halo, which lasts 0.9 s
    // Whether a halo fades or disappears at once at its end. The default is the desktop's setting for animations.
    void setAnimated(bool animated) { m_isAnimated = animated; }
    static bool desktopAnimates();
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void selectionChanged();

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    struct Places {
        QList<QRectF> participants;
        QHash<QByteArray, QRectF> nodes;
        QList<QRectF> heads; // of the groups
    };

    Places places() const;
    int headHeight() const;
    void paintHead(QPainter &painter, const QRectF &place, int group) const;
    void paintParticipant(QPainter &painter, const QRectF &place, int participant) const;
    void paintNode(QPainter &painter, const QRectF &place, const LabNode &node) const;
    void paintLinks(QPainter &painter, const Places &all) const;
    void tick();
    void describe();
    QString describe(const LabParticipant &participant) const;
    bool isShown(int participant) const { return participant >= 0 && participant < m_snapshot.participants.size(); }

    LabSnapshot m_snapshot;
    Lesson m_lesson;
    int m_selected = -1;
    bool m_isAnimated;
    QElapsedTimer m_clock;
    QHash<int, qint64> m_woken; // by participant: when a watch woke it, in ms of m_clock
    QTimer m_ticks;
};

} // namespace drover::gui
