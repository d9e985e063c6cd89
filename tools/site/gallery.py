#!/usr/bin/env python3
"""The gallery: one page per example with its picture, its commands and the model file, and an index of them.

usage: gallery.py [--quick] EXAMPLES PICTURES OUT      (--quick: without pictures)
"""

import html
import json
import re
import sys
from pathlib import Path

arguments = [word for word in sys.argv[1:] if word != "--quick"]
quick = "--quick" in sys.argv[1:]
examples, pictures, out = map(Path, arguments)
settings = json.loads((Path(__file__).parent / "gallery.json").read_text())


class Example:
    """A model file and what its head says: what it is, what to look for, what to try."""

    def __init__(self, path):
        self.path = path
        self.name = path.stem
        self.text = path.read_text(encoding="utf-8")
        head = []
        for line in self.text.splitlines():
            if not line.startswith("#"):
                break
            head.append(line[1:].rstrip())
        parts = re.split(r"^ (Look for|Try): ?", "\n".join(head), flags=re.M)
        self.about = " ".join(parts[0].split())
        named = dict(zip(parts[1::2], parts[2::2]))
        self.look = " ".join(named.get("Look for", "").split())
        self.tries = [" ".join(line.split()) for line in joined(named.get("Try", "")).splitlines() if line.strip()]
        title = re.search(r'^name = "(.*)"', self.text, re.M)
        self.title = title.group(1) if title else self.name.replace("_", " ")
        self.plain_equations = re.search(r"^\[\[(body|part)\]\]", self.text, re.M) is None

    def first_sentence(self):
        """Up to the colon, unless that is hardly more than the name; not up to the dot of `eq.` or `al.`"""
        sentence = re.split(r"(?<=[.;])(?<!eq\.)(?<!al\.) ", self.about + " ", 1)[0]
        before, colon, _ = sentence.partition(": ")
        if colon and len(before.split()) > 3:
            sentence = before
        return re.sub(r" \([^()]*\)$", "", sentence.rstrip(".:; "))

    def picture(self):
        for suffix in (".png", ".svg"):
            file = pictures / f"{self.name}{suffix}"
            if file.exists():
                return file
        sys.exit(f"gallery: there is no picture of {self.name} in {pictures}")

    def commands(self):
        options = " ".join(settings["options"].get(self.name, []))
        run = f"./cartan run examples/{self.name}.toml {options}".rstrip() + f" --out {self.name}"
        show = f"./cartan plot {self.name}" if self.plain_equations else f"./cartan view {self.name}"
        return [run, show]


def joined(text):
    """Lines that end with a backslash belong to the next one; a line that begins no command belongs to the one before."""
    lines = []
    for line in text.replace("\\\n", " ").splitlines():
        if lines and not line.strip().startswith("./cartan"):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    return "\n".join(lines)


def code_in(text):
    """A sentence of a model file as Markdown: what is code stays code."""
    text = re.sub(r"([*_<>])", r"\\\1", text)
    return re.sub(r"`([^`]*)`", lambda m: "`" + re.sub(r"\\([*_<>])", r"\1", m.group(1)) + "`", text)


CITED = {"pendulum thesis": "pendulum-thesis", "Dumitriu and Mărgăritescu": "dumitriu", "Müller and Terze": "mueller", "Rykkje": "rykkje",
         "Lennartsson": "lennartsson"}


def with_citations(text):
    for name, place in CITED.items():
        text = re.sub(rf"\b{name}\b", f"[{name}](../bibliography.md#{place})", text, count=1)
    return text


def page(example):
    lines = [f"# {example.title[0].upper() + example.title[1:]}", "", with_citations(code_in(example.about)), ""]
    if not quick:
        picture = example.picture()
        (out / picture.name).write_bytes(picture.read_bytes())
        lines += [f"![{html.escape(example.first_sentence())}]({picture.name})", ""]
    lines += ["```sh", *example.commands(), "```", ""]
    if example.look:
        lines += ["**Look for:** " + code_in(example.look), ""]
    if example.tries:
        lines += ["**Try:**", "", "```text", *example.tries, "```", ""]
    lines += ["[All examples](index.md)", "", f"## examples/{example.path.name}", "", "```toml", example.text.rstrip(), "```", ""]
    return "\n".join(lines)


def card(example):
    name = example.name.replace("_", " ")
    image = "" if quick else f'<img src="{example.picture().name}" alt="">'
    return (
        f'<a href="{example.name}.html">{image}<b>{html.escape(name)}</b>'
        f"<span>{html.escape(example.first_sentence())}</span></a>"
    )


found = {path.stem: Example(path) for path in sorted(examples.glob("*.toml"))}
groups = [(title, about, list(names)) for title, about, names in settings["groups"]]
named = [name for _, _, names in groups for name in names]
for name in named:
    if name not in found:
        sys.exit(f"gallery: tools/site/gallery.json names {name}, which is not in {examples}")
rest = [name for name in found if name not in named]
if rest:
    groups.append(("More", "", rest))

index = ["# Gallery", "", f"All {len(found)} model files of `examples/`. Each picture leads to its file and its commands.", ""]
for title, about, names in groups:
    index += [f"## {title}", "", about, "", '<div class="gallery">', *[card(found[name]) for name in names], "</div>", ""]
out.mkdir(parents=True, exist_ok=True)
(out / "index.md").write_text("\n".join(index), encoding="utf-8")
for example in found.values():
    (out / f"{example.name}.md").write_text(page(example), encoding="utf-8")
