#pragma once

#include "gui/data/entity.h"

#include <QAbstractButton>

namespace drover::gui {

// The name of a thing of the cluster, which leads there by a click, by Enter or by Space.
class EntityLink final : public QAbstractButton
{
    Q_OBJECT

public:
    explicit EntityLink(const EntityRef &entity, QWidget *parent = nullptr);

    const EntityRef &entity() const { return m_entity; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    EntityRef m_entity;
};

} // namespace drover::gui
