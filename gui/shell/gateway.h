#pragma once

#include "gui/data/job_verb.h"
#include "gui/shell/connection_state.h"
#include "trust/need.h"

#include <QObject>

namespace drover::gui {

// Decides whether the user may change something now: once editing is switched on for the connection, and if the roles
// of the credentials allow it. A password of ZooKeeper allows changes of znodes only. The registry disables actions by
// it, and the window asks it before it sends a request.
class Gateway final : public QObject
{
    Q_OBJECT

public:
    void showState(const ConnectionState &state);
    void setEditing(bool editing);
    bool isEditing() const { return m_editing; }
    // What the console's actions need, as those of the command line.
    static trust::Need toSubmit() { return {.role = trust::Role::Submit, .signs = trust::Need::Signs}; }
    static trust::Need toOperate() { return {.role = trust::Role::Operate}; }
    // Who submits shares the locks.
    static trust::Need toShare() { return {.role = trust::Role::Submit}; }
    // A job that is moved is signed anew.
    static trust::Need toDo(JobVerb::Kind verb)
    {
        return {.role = trust::Role::Operate, .signs = verb == JobVerb::Kind::Move};
    }
    // Why that cannot be done now, and what helps; empty: it can.
    QString refusal(const trust::Need &need) const;
    // Whether it cannot be done only because editing is switched off.
    bool waitsForEditing(const trust::Need &need) const { return !m_editing && roleRefusal(need).isEmpty(); }
    // Whether it can be done. Asked before a request is sent: editing may have been switched off since a dialog was
    // opened. If not, refused() says why.
    bool allows(const trust::Need &need) const;

Q_SIGNALS:
    void changed();
    void refused(const QString &why) const;

private:
    QString refusalToNobody() const;
    QString roleRefusal(const trust::Need &need) const;

    SessionStatus m_session;
    bool m_editing = false;
};

} // namespace drover::gui
