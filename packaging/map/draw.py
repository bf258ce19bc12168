#!/usr/bin/env python3
"""Draws the folders of Drover, from the #include lines of its sources: folders.svg and folders.txt beside this file.

packaging/run map calls it. With --check it writes nothing, and fails if the files are not what it would write.
"""
import collections
import html
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# The floors of the drawing, from the top; each is a row of libraries and programs.
FLOORS = [['app'], ['workers', 'gui'], ['history', 'output', 'files'], ['jobs'], ['recipes'], ['zk', 'net', 'trust'], ['async', 'posix', 'text']]

BOX_HEIGHT, ROW_GAP, COLUMN_GAP, PADDING, HEAD = 34, 30, 12, 14, 26
LETTER = 6.6  # the width of one at 11.5 px, about
COLOURS = {'app': '#c9572b', 'gui': '#a8457f', 'workers': '#3d6fb5', 'history': '#5b7f3a', 'output': '#5b7f3a',
           'files': '#5b7f3a', 'jobs': '#7a5ca8', 'recipes': '#2b8577', 'zk': '#8a6d1f', 'net': '#6b6f76',
           'async': '#6b6f76', 'trust': '#9a3f4f', 'posix': '#6b6f76', 'text': '#6b6f76'}


def read_sources():
    """Units (a header with its source is one) of each folder, and the folders that each includes."""
    files = sorted(path for top in ('app', 'core', 'gui', 'workers') for path in (ROOT / top).rglob('*')
                   if path.suffix in ('.h', '.cpp'))
    folder_of = {path: str(path.parent.relative_to(ROOT)).removeprefix('core/') for path in files}
    units, uses = collections.defaultdict(set), collections.defaultdict(set)
    for path, folder in folder_of.items():
        units[folder].add(path.stem)
    for path, folder in folder_of.items():
        for header in re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', path.read_text(), re.MULTILINE):
            used = header.rpartition('/')[0]
            if used in units and used != folder:
                uses[folder].add(used)
    return {folder: len(names) for folder, names in units.items()}, uses


def library(folder):
    return folder.partition('/')[0]


def direct(nodes, uses):
    """The arrows between nodes that do not follow from two others."""
    below = {}

    def all_below(node):
        if node not in below:
            below[node] = set()
            for used in uses[node] & nodes:
                below[node] |= {used} | all_below(used)
        return below[node]

    return {node: sorted(used for used in uses[node] & nodes
                         if not any(used in all_below(other) for other in uses[node] & nodes - {used}))
            for node in nodes}


def levels_of(nodes, arrows):
    """0 for what uses nothing of these; above all that it uses."""
    level = {}

    def find(node):
        if node not in level:
            level[node] = 1 + max((find(used) for used in arrows[node]), default=-1)
        return level[node]

    for node in sorted(nodes):
        find(node)
    return level


def label(folder):
    return folder.partition('/')[2] or folder


class Drawing:
    """One library: its folders in rows, whoever uses something above it, and the lines between them."""

    def __init__(self, name, sizes, uses):
        self.name, self.sizes = name, sizes
        nodes = {folder for folder in sizes if library(folder) == name}
        self.arrows = direct(nodes, uses)
        level = levels_of(nodes, self.arrows)
        self.rows = [[] for _ in range(max(level.values()) + 1)]
        for node in sorted(nodes):
            self.rows[level[node]].append(node)
        self.paths = []  # nodes that a line passes, invisible ones between rows included
        self.neighbours = collections.defaultdict(list)
        for node in sorted(nodes):
            for used in self.arrows[node]:
                between = [(node, used, row) for row in range(level[node] - 1, level[used], -1)]
                for point in between:
                    self.rows[point[2]].append(point)
                path = [node, *between, used]
                self.paths.append(path)
                for upper, lower in zip(path, path[1:]):
                    self.neighbours[upper].append(lower)
                    self.neighbours[lower].append(upper)
        self.place()
        self.height = HEAD + len(self.rows) * (BOX_HEIGHT + ROW_GAP) - ROW_GAP + PADDING
        if nodes == {name}:  # no folders in it: its frame says it all
            self.height, self.rows = HEAD + 12, []

    def width_of(self, node):
        if isinstance(node, tuple):
            return 6
        return max(54, LETTER * len(label(node)) + 40)

    def place(self):
        """x of each middle: rows sorted by the mean of what they are connected with, then pulled towards that."""
        self.x = {}
        for row in self.rows:
            self.pack(row)
        for _ in range(24):
            for rows in (self.rows, self.rows[::-1]):
                for row in rows:
                    row.sort(key=lambda node: (self.mean(node), str(node)))
                    self.pack(row)
        left = min(self.x[node] - self.width_of(node) / 2 for row in self.rows for node in row)
        right = max(self.x[node] + self.width_of(node) / 2 for row in self.rows for node in row)
        self.x = {node: x - left + PADDING for node, x in self.x.items()}
        self.width = max(right - left + 2 * PADDING, LETTER * 1.2 * len(self.name) + 2 * PADDING + 60)

    def mean(self, node):
        near = [self.x[other] for other in self.neighbours[node] if other in self.x]
        return sum(near) / len(near) if near else self.x.get(node, 0)

    def pack(self, row):
        """As near to where they want to be as their order and widths allow."""
        want = [self.mean(node) for node in row]
        groups = []  # [first, offsets, sum of wanted beginnings]
        for node, x in zip(row, want):
            half = self.width_of(node) / 2
            groups.append([[node], half * 2, x - half, 1])
            while len(groups) > 1 and groups[-2][2] + groups[-2][1] + COLUMN_GAP > groups[-1][2]:
                nodes, width, begin, weight = groups.pop()
                before = groups[-1]
                shifted = begin - before[1] - COLUMN_GAP
                before[2] = (before[2] * before[3] + shifted * weight) / (before[3] + weight)
                before[0] += nodes
                before[1] += COLUMN_GAP + width
                before[3] += weight
        for nodes, _, begin, _ in groups:
            for node in nodes:
                self.x[node] = begin + self.width_of(node) / 2
                begin += self.width_of(node) + COLUMN_GAP

    def svg(self, left, top):
        colour = COLOURS[self.name]
        total = sum(size for folder, size in self.sizes.items() if library(folder) == self.name)
        out = [f'<rect x="{left:.0f}" y="{top:.0f}" width="{self.width:.0f}" height="{self.height:.0f}" rx="8" '
               f'fill="{colour}" fill-opacity="0.07" stroke="{colour}" stroke-opacity="0.45"/>',
               f'<text x="{left + PADDING:.0f}" y="{top + 18:.0f}" class="name" fill="{colour}">{self.name}'
               f'<tspan class="total" dx="8">{total}</tspan></text>']
        y = {node: top + HEAD + (len(self.rows) - 1 - i) * (BOX_HEIGHT + ROW_GAP)
             for i, row in enumerate(self.rows) for node in row}
        for path in self.paths:
            out.append(self.line(path, left, y, colour))
        for row in self.rows:
            out += [self.box(node, left, y[node], colour) for node in row if not isinstance(node, tuple)]
        return out

    def line(self, path, left, y, colour):
        x, here = left + self.x[path[0]], y[path[0]] + BOX_HEIGHT
        d = f'M{x:.0f} {here:.0f}'
        for node in path[1:]:
            to, there = left + self.x[node], y[node]
            bend = (there - here) / 2
            d += f'C{x:.0f} {here + bend:.0f} {to:.0f} {there - bend:.0f} {to:.0f} {there:.0f}'
            x, here = to, there
            if isinstance(node, tuple):
                here += BOX_HEIGHT
                d += f'V{here:.0f}'
        return f'<path d="{d}" stroke="{colour}" class="arrow" marker-end="url(#tip)"/>'

    def box(self, node, left, top, colour):
        width = self.width_of(node)
        x, size = left + self.x[node] - width / 2, self.sizes[node]
        bar = (width - 16) * min(size, 20) / 20
        return (f'<rect x="{x:.0f}" y="{top:.0f}" width="{width:.0f}" height="{BOX_HEIGHT}" rx="4" fill="#fff" '
                f'stroke="{colour}"/><text x="{x + 8:.0f}" y="{top + 16:.0f}">{html.escape(label(node))}</text>'
                f'<text x="{x + width - 8:.0f}" y="{top + 16:.0f}" class="size">{size}</text>'
                f'<rect x="{x + 8:.0f}" y="{top + 23:.0f}" width="{bar:.0f}" height="4" rx="2" fill="{colour}" '
                f'fill-opacity="0.6"/>')


def svg_of(sizes, uses):
    libraries = {library(folder) for folder in sizes}
    between = collections.defaultdict(set)
    for folder, used in uses.items():
        between[library(folder)] |= {library(one) for one in used} - {library(folder)}
    arrows = direct(libraries, between)

    floors = [[Drawing(name, sizes, uses) for name in floor if name in libraries] for floor in FLOORS]
    page = 40 + max(sum(drawing.width for drawing in drawings) for drawings in floors)
    body, lines, places, top = [], [], {}, 58
    for drawings in floors:
        spare = page - sum(drawing.width for drawing in drawings)
        left = gap = spare / (len(drawings) + 1)
        height = max(drawing.height for drawing in drawings)
        for drawing in drawings:
            body += drawing.svg(left, top)
            places[drawing.name] = (left, top, drawing.width, drawing.height, top + height)
            left += drawing.width + gap
        top += height + 40
    for name in sorted(arrows):
        for used in arrows[name]:
            lines.append(between_libraries(places[name], places[used]))

    height = top - 10
    return '\n'.join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {page:.0f} {height:.0f}" width="{page:.0f}" '
        f'height="{height:.0f}" font-family="system-ui, sans-serif" font-size="11.5">',
        '<title>The folders of Drover and what each uses</title>',
        '<style>.name{font-size:15px;font-weight:600}.total,.size{fill:#777;font-weight:400;font-size:11px}'
        '.size{text-anchor:end}.arrow{fill:none;stroke-width:1.1;stroke-opacity:.65}'
        '.between{fill:none;stroke:#444;stroke-width:2}.note{fill:#555}</style>',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>',
        f'<rect width="{page:.0f}" height="{height:.0f}" fill="#fff"/>',
        '<text x="20" y="24" class="name">Who uses whom</text>',
        '<text x="20" y="42" class="note">An arrow reads "uses"; arrows that follow from two others are left out. '
        'A number counts units: a header with its source is one.</text>',
        *lines, *body, '</svg>', ''])


def between_libraries(upper, lower):
    """From the bottom of one to the top of the other, at the place that both have in common, if they have one."""
    begin, end = max(upper[0], lower[0]), min(upper[0] + upper[2], lower[0] + lower[2])
    y, floor, to = upper[1] + upper[3], upper[4], lower[1]
    if end - begin > 20:
        x = there = (begin + end) / 2
    else:
        x, there = upper[0] + upper[2] / 2, lower[0] + lower[2] / 2
    bend = (to - floor) / 2
    return (f'<path d="M{x:.0f} {y:.0f}V{floor:.0f}C{x:.0f} {floor + bend:.0f} {there:.0f} {to - bend:.0f} {there:.0f} '
            f'{to - 1:.0f}" '
            'class="between" marker-end="url(#tip)"/>')


def text_of(sizes, uses):
    count = sum(len(used) for used in uses.values())
    lines = [f'{len(sizes)} folders, {sum(sizes.values())} units (a header with its source is one), {count} arrows.',
             'folder, units: what its files include']
    for name in [name for floor in FLOORS for name in floor]:
        folders = sorted(folder for folder in sizes if library(folder) == name)
        lines += ['', f'{name} ({sum(sizes[folder] for folder in folders)})']
        for folder in folders:
            lines.append(f'  {folder:<28}{sizes[folder]:>3}: {" ".join(sorted(uses[folder]))}'.rstrip())
    return '\n'.join(lines) + '\n'


def main():
    sizes, uses = read_sources()
    unknown = {library(folder) for folder in sizes} - {name for floor in FLOORS for name in floor}
    if unknown:
        sys.exit(f'packaging/map/draw.py: put {", ".join(sorted(unknown))} into FLOORS')
    stale = []
    for name, text in (('folders.svg', svg_of(sizes, uses)), ('folders.txt', text_of(sizes, uses))):
        path = HERE / name
        if sys.argv[1:] != ['--check']:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale.append(name)
    if stale:
        sys.exit(f'{" and ".join(stale)} in packaging/map are out of date: packaging/run map')


if __name__ == '__main__':
    main()
