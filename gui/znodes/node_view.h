#pragma once

#include "gui/data/entity.h"
#include "gui/data/znode_about.h"
#include "gui/text/node_text.h"

#include <QThreadPool>
#include <QTimer>
#include <QWidget>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace drover::gui {

class DataText;
class EntityLink;

// The selected node: its path, what its record says, its data, its Stat and its ACL in words. All of it is plain text,
// never rich: any client can write data. Big data are decoded on a thread beside the GUI thread.
class NodeView final : public QWidget
{
    Q_OBJECT

public:
    explicit NodeView(QWidget *parent = nullptr);

    const ZnodeContents &contents() const { return m_contents; }
    const ZnodeAbout &about() const { return m_about; }
    void setFormatOfData(DataFormat format);

public Q_SLOTS:
    void show(const drover::gui::ZnodeContents &contents);
    void showAbout(const drover::gui::ZnodeAbout &about);
    void awaitContents(const drover::zk::Path &path); // until show()
    void clear();

Q_SIGNALS:
    void shown(); // what contents() and about() return now
    void entityWanted(const drover::gui::EntityRef &entity); // the session that owns the node

protected:
    void resizeEvent(QResizeEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    enum Line { Created, Changed, Children, Versions, Owner, Access, LineCount };

    void makeFormats();
    int hexWidth() const;
    void render();
    void showText(const NodeText &text);
    void showWords();
    void showStat();
    void setLine(Line line, const QString &text);
    void showOwner(zk::SessionId session);

    ZnodeContents m_contents;
    ZnodeAbout m_about;
    QLabel *m_path;
    QLabel *m_words;
    QComboBox *m_format;
    QToolButton *m_fold;
    QLabel *m_summary;
    DataText *m_data;
    int m_hexWidth = 0; // of the dump that is shown
    int m_rendering = 0; // the number of the latest request
    std::vector<QLabel *> m_values; // of the Stat, in the order of Line
    QHBoxLayout *m_ownerLine; // the link to the owner, and the label
    EntityLink *m_owner = nullptr; // null: no session owns the node
    QTimer m_clock; // what happened a second ago happened two seconds ago
    QThreadPool m_decoder; // the last member: its destructor waits for its threads
};

} // namespace drover::gui
