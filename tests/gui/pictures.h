#pragma once

#include <QCoreApplication>
#include <QDir>
#include <QPixmap>
#include <QWidget>

namespace drover::test {

// A picture of the widget as it stands. Kept as NAME.png for people to look at in the directory that the environment
// names in DROVER_PICTURES, if it names one.
inline QImage pictureOf(QWidget &widget, const QString &name)
{
    QCoreApplication::processEvents(); // layouts settle
    const QImage picture = widget.grab().toImage();
    const QString directory = qEnvironmentVariable("DROVER_PICTURES");
    if (!directory.isEmpty())
        picture.save(QDir(directory).filePath(name + QStringLiteral(".png")));
    return picture;
}

// How many pixels have that colour.
inline int pixelsOf(const QImage &image, const QColor &color)
{
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            count += image.pixelColor(x, y) == color ? 1 : 0;
    }
    return count;
}

} // namespace drover::test
