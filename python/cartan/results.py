"""What results can do beside what the library gives them."""

import fnmatch
import html
import os

from .errors import InputError
from .viewing import shown_or_note, view


def _names(self):
    return [column.name for column in self.columns]


def _numbers(self):
    """The columns with numbers."""
    return {column.name: column.values for column in self.columns if len(column.values) or not column.words}


def _frame(self):
    """A pandas.DataFrame over the first column; the numbers are copied.

    >>> cartan.load("examples/pendulum.toml").run(0.1, step=0.05).frame().shape[0]
    3
    """
    import pandas

    columns = {c.name: (c.words or c.values) for c in self.columns}
    frame = pandas.DataFrame(columns)
    return frame.set_index(self.columns[0].name) if self.columns else frame


def _xarray(self):
    """An xarray.Dataset with units.

    >>> d = cartan.load("examples/pendulum.toml").run(0.1, step=0.05).xarray()
    >>> d["energy"].attrs["units"]
    'J'
    """
    import xarray

    time = self.columns[0].name
    data = {c.name: (time, c.values, {"units": c.unit}) for c in self.columns[1:] if not c.words}
    return xarray.Dataset(data, coords={time: self.columns[0].values})


def _plot(self, *columns, axes=None, **style):
    """Draws columns over time with matplotlib; `*` stands for any letters. Gives the axes.

    >>> len(cartan.load("examples/pendulum.toml").run(0.1, step=0.05).plot("kinetic", "potential").lines)
    2
    """
    import matplotlib.pyplot

    table = self.table("trajectory.csv") if hasattr(self, "table") else self
    names = [c.name for c in table.columns[1:]]
    wanted = []
    for pattern in columns or names[:1]:
        found = fnmatch.filter(names, pattern)
        if not found:
            table[pattern]  # the nearest name, or elbow.q for elbow.q0
            found = [pattern]
        wanted += found
    if axes is None:
        axes = matplotlib.pyplot.figure().gca()
    units = {c.name: c.unit for c in table.columns}
    for name in wanted:
        axes.plot(table[table.columns[0].name], table[name], label=name, **style)
    axes.set_xlabel("t [s]")
    kinds = {units.get(name, "") for name in wanted}
    axes.set_ylabel(f"{wanted[0]} [{kinds.pop()}]" if len(wanted) == 1 else f"[{kinds.pop()}]" if len(kinds) == 1 else "")
    if len(wanted) > 1:
        axes.legend()
    return axes


def _run_columns(self):
    return [column.name for table in self.tables for column in table.columns]


def _run_html(self):
    """What a notebook shows: the motion, and the summary below it."""
    return f"{shown_or_note(self)}<pre>{html.escape(self.summary)}</pre>"


def _text_html(self):
    """The report of the command."""
    return f"<pre>{html.escape(self.text)}</pre>"


def _table_html(self, rows=10):
    """The first and last rows."""
    count = len(self)
    shown = list(range(count)) if count <= rows else [*range(rows // 2), None, *range(count - rows // 2, count)]
    head = "".join(f"<th>{html.escape(c.name)}{f' [{html.escape(c.unit)}]' if c.unit else ''}</th>" for c in self.columns)
    body = ""
    for k in shown:
        cells = ["&hellip;" if k is None else html.escape(c.words[k]) if c.words else f"{c.values[k]:.6g}" for c in self.columns]
        body += "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    return f"<b>{html.escape(self.name)}</b>, {count} rows<table><tr>{head}</tr>{body}</table>"


def _save_file(self, folder, force=False):
    """Writes the file into a folder, which is made where it is missing; gives its path.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = cartan.load("examples/pendulum.toml").generate("fmi3").files[0].save(folder)
    >>> os.path.basename(path)
    'pendulum.fmu'
    """
    folder = os.fspath(folder)
    path = os.path.join(folder, self.name)
    if os.path.exists(path) and not force:
        raise InputError(f"{path} exists already; force=True replaces it")
    os.makedirs(folder, exist_ok=True)
    aside = f"{path}.part"  # whole or absent
    with open(aside, "wb") as file:
        file.write(self.bytes)
    os.replace(aside, path)
    return path


def _save_code(self, folder, force=False):
    """Writes all files into a folder; gives their paths."""
    taken = [f.name for f in self.files if os.path.exists(os.path.join(os.fspath(folder), f.name))]
    if taken and not force:
        raise InputError(f"{folder} has {', '.join(taken)} already; force=True replaces them")
    return [file.save(folder, force=True) for file in self.files]


def extend_results(run, table, reports, code, code_file):
    code.save, code_file.save = _save_code, _save_file
    table.names = property(_names, doc="names of the columns")
    table.numbers = property(_numbers, doc="columns with numbers, by name")
    table._ipython_key_completions_ = _names
    table.frame, table.xarray, table.plot = _frame, _xarray, _plot
    run.names = property(_run_columns, doc="names of all columns")
    run._ipython_key_completions_ = _run_columns
    run.frame = lambda self, name="trajectory.csv": self.table(name).frame()
    run.xarray = lambda self, name="trajectory.csv": self.table(name).xarray()
    run.plot = _plot
    table._repr_html_ = _table_html
    for record in reports:
        record._repr_html_ = _text_html
    run.view = view
    run._repr_html_ = _run_html
