"""Equations of motion as text that a notebook typesets."""

import html
import re

from . import _cartan


class Equations(str):
    """The text of the equations; in a notebook they are typeset.

    >>> e = cartan.load("examples/pendulum.toml").equations()
    >>> "sin" in e
    True
    """

    def __new__(cls, text, latex):
        made = super().__new__(cls, text)
        made._make_latex = latex
        return made

    @property
    def latex(self):
        """The whole LaTeX document."""
        return self._make_latex()

    def _body(self):
        document = self.latex
        begin, end = document.find("\\begin{document}"), document.rfind("\\end{document}")
        return document[begin + len("\\begin{document}") : end] if begin >= 0 else document

    def _repr_latex_(self):
        blocks = re.findall(r"\\begin\{align\*\}.*?\\end\{align\*\}|\\\[.*?\\\]|\$\$.*?\$\$", self._body(), re.S)
        return "\n".join(blocks) or None

    def _repr_html_(self):
        text = html.escape(self._body(), quote=False)
        text = re.sub(r"\\(?:sub)*section\*\{(.*?)\}", r"<h4>\1</h4>", text)
        text = re.sub(r"\\item (.*)", r"<li>\1</li>", text)
        return text.replace("\\begin{itemize}", "<ul>").replace("\\end{itemize}", "</ul>")


def equations(model, **options):
    text = _cartan.equations(model, **options)
    plain = {key: value for key, value in options.items() if key not in ("format", "out", "force")}
    if options.get("format") == "latex":
        return Equations(text, lambda: text)
    return Equations(text, lambda: _cartan.equations(model, format="latex", **plain))


equations.__doc__ = _cartan.equations.__doc__
