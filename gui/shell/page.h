#pragma once

#include "gui/data/entity.h"
#include "gui/models/snapshot_model.h"
#include "gui/shell/connection_state.h"

#include <QWidget>

class QSettings;

namespace drover::gui {

class TableView;

// One page of the console, which fills the space beside the rail while it is chosen. The shell owns its pages. A page
// that is not seen sleeps: it does no work for its picture until it is woken.
class Page : public QWidget
{
    Q_OBJECT

public:
    // A few letters beside the title in the rail, such as a number; `words` says it to screen readers.
    struct Badge {
        QString text;
        QString words;
        Tone tone = Tone::Muted;

        friend bool operator==(const Badge &, const Badge &) = default;
    };

    // `name` is that of its icon, of its settings and of --page: it lasts. `title` is for people.
    Page(const QString &name, const QString &title);

    const QString &name() const { return m_name; }
    const QString &title() const { return m_title; }
    const Badge &badge() const { return m_badge; }

    bool isAwake() const { return m_awake; }
    void setAwake(bool awake);
    // Gives the keyboard to the part of the page that had it last, or to its main part.
    void takeFocus();

    // Whether it shows things of that kind.
    bool shows(EntityRef::Kind kind) const { return kind == m_kind && kind != EntityRef::Kind::None; }
    // Selects that thing, now or as soon as it is known.
    virtual void select(const EntityRef &entity);
    virtual EntityRef selection() const; // null: nothing is selected

    virtual void showState(const ConnectionState &state) = 0;
    virtual void saveTo(QSettings &) const { }
    virtual void restoreFrom(const QSettings &) { }
    virtual void restoreFilter(const QSettings &) { } // which says what of one cluster is shown

Q_SIGNALS:
    void awakeChanged();
    void badgeChanged();
    void entityWanted(const drover::gui::EntityRef &entity); // to be shown, perhaps by another page
    void inspectWanted(const drover::gui::EntityRef &entity); // in the inspector
    void selectionChanged();

protected:
    virtual QWidget *mainPart() const = 0;
    virtual void activate() { }
    virtual void deactivate() { }
    void setBadge(const Badge &badge);
    // Things of that kind are here, each a row of the table if there is one. The rows of a page that is no kind's own
    // may be of any kind.
    void showEntities(EntityRef::Kind kind, TableView *table = nullptr);
    // A double click on a row, or Enter, opens the inspector.
    void inspectOnActivation();

private:
    QString m_name;
    QString m_title;
    Badge m_badge;
    bool m_awake = false;
    EntityRef::Kind m_kind = EntityRef::Kind::None;
    TableView *m_entities = nullptr;
};

} // namespace drover::gui
