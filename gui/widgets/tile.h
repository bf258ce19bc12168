#pragma once

#include "gui/models/snapshot_model.h"

#include <QAbstractButton>

namespace drover::gui {

// A card of the overview: its title, one large value, a remark of a line or two, and perhaps a picture below. A click
// leads to where there is more. Its text() is the title.
class Tile final : public QAbstractButton
{
    Q_OBJECT

public:
    // A picture that takes the focus has its clicks for itself.
    explicit Tile(const QString &title, QWidget *picture = nullptr);

    void show(const QString &value, const QString &remark = {}, Tone tone = Tone::Plain);
    QString value() const { return m_value; }
    QString remark() const { return m_remark; }
    void setStale(bool stale);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QFont valueFont() const;
    int headHeight() const; // of title, value and remark
    QStringList remarkLines() const { return m_remark.split(u'\n'); }

    QString m_value;
    QString m_remark;
    Tone m_tone = Tone::Plain;
    bool m_stale = false;
    bool m_hasPicture;
};

} // namespace drover::gui
