"""Checks a site: every relative link leads to a file, every anchor to an element, no page takes anything from a host."""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

site = Path(sys.argv[1]).resolve()
RESOURCES = {("img", "src"), ("script", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("object", "data")}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.resources, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            if (tag, name) in RESOURCES:
                self.resources.append(value)
            elif name == "href":
                self.links.append(value)

    handle_startendtag = handle_starttag


pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
problems, checked = [], 0
for path, page in sorted(pages.items()):
    name = path.relative_to(site)
    for value in page.resources:
        if re.match(r"(https?:)?//", value):
            problems.append(f"{name}: takes {value} from a host")
    for value in page.links + page.resources:
        address, anchor = urldefrag(value)
        if re.match(r"[a-z]+:|//", address):
            continue
        checked += 1
        target = (path.parent / unquote(address)).resolve() if address else path
        if not target.is_file():
            problems.append(f"{name}: {value} leads nowhere")
        elif anchor and target in pages and unquote(anchor) not in pages[target].anchors:
            problems.append(f"{name}: {value}: there is no such place on that page")
for path in site.rglob("*.css"):
    for value in re.findall(r"url\(\s*['\"]?((?:https?:)?//[^'\")]+)", path.read_text(encoding="utf-8")):
        problems.append(f"{path.relative_to(site)}: takes {value} from a host")
if len(pages) < 80 or checked < 3000:
    problems.append(f"only {len(pages)} pages with {checked} links were found")
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
