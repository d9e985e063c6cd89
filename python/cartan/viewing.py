"""Machines and motions to look at: one page without a server."""

import html
import os

from . import _cartan
from .errors import InputError

NOTEBOOK_FRAMES = 2001  # positions of the bodies in a notebook, which keeps every page it shows


class View:
    """The viewer with a machine or a motion inside, as one page of HTML.

    >>> page = cartan.load("examples/heavy_top.toml").view()
    >>> "cartan-data" in page.html
    True
    """

    def __init__(self, page):
        self.html = page

    def save(self, path, force=False):
        """Writes the page to a file."""
        if os.path.exists(path) and not force:
            raise InputError(f"{os.fspath(path)} exists; choose another name, or replace it with force=True")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def __repr__(self):
        return f"<cartan.View, {len(self.html) // 1024} KiB; .save(path) writes the page>"

    def _repr_html_(self, height=480):
        return (
            f'<iframe title="viewer" style="width:100%;height:{height}px;border:1px solid #ccc" '
            f'srcdoc="{html.escape(self.html)}"></iframe>'
        )


def view(what, **options):
    """A model, a run or the folder of a run as a page to look at.

    >>> page = cartan.view(cartan.load("examples/pendulum.toml"))
    >>> page.html.startswith("<!doctype html>")
    True
    """
    if isinstance(what, _cartan.Model):
        return View(_cartan.view(what, **options))
    if isinstance(what, _cartan.Run):
        return View(_cartan.view_run(what, **options))
    if isinstance(what, (str, os.PathLike)):
        path = os.fspath(what)
        if path.endswith((".toml", ".urdf", ".xml", ".sdf")):
            return View(_cartan.view(_cartan.load(path), **options))
        return View(_cartan.view_folder(path, **options))
    raise TypeError(f"view() takes a Model, a Run or the folder of a run, not {type(what).__name__}")


def shown_or_note(what):
    """The viewer for a notebook, or why there is none."""
    try:
        return view(what, frames=NOTEBOOK_FRAMES)._repr_html_()
    except Exception as error:  # noqa: BLE001: a notebook shows the rest all the same
        return f"<p><i>No picture: {html.escape(str(error))}</i></p>"
