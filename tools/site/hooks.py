"""What mkdocs does not do itself: MathJax beside the pages, a search that works from a folder on disk."""

import json
import shutil
from pathlib import Path

# Debian packages whose files become part of the site; their notices go with it.
BUNDLED = ["libjs-mathjax", "mkdocs-material"]
MATHJAX = Path("/usr/share/javascript/mathjax")
MATHJAX_PARTS = [
    "MathJax.js",
    "extensions/tex2jax.js",
    "extensions/TeX",
    "extensions/MathEvents.js",
    "jax/element/mml",
    "jax/input/TeX",
    "jax/output/SVG/jax.js",
    "jax/output/SVG/config.js",
    "jax/output/SVG/autoload",
    "jax/output/SVG/fonts/TeX",
]
# Pages for servers only: their links are absolute, or they name the address of a server.
FOR_SERVERS = ["404.html", "sitemap.xml", "sitemap.xml.gz"]


def on_post_build(config, **_):
    site = Path(config["site_dir"])
    copy_mathjax(site / "assets" / "mathjax")
    write_offline_search(site)
    write_notices(site / "licences.txt")
    for name in FOR_SERVERS:
        (site / name).unlink(missing_ok=True)


def copy_mathjax(target):
    for part in MATHJAX_PARTS:
        source = MATHJAX / part
        if source.is_dir():
            shutil.copytree(source, target / part, dirs_exist_ok=True)
        else:
            (target / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target / part)


def write_notices(target):
    notices = [(name, Path("/usr/share/doc") / name / "copyright") for name in BUNDLED]
    target.write_text(
        "These pages contain files of these packages, under these licences.\n\n"
        + "\n".join(f"{name}\n\n{file.read_text(encoding='utf-8').strip()}\n" for name, file in notices),
        encoding="utf-8",
    )


def write_offline_search(site):
    """The theme fetches its index and starts its worker from an address, and browsers refuse both to a page opened as
    a file. It also takes them from the variable `__search`: the index as a promise, the worker's address. So both
    come with a plain script, the worker as text that becomes a blob of the page itself."""
    (worker,) = (site / "assets" / "javascripts" / "workers").glob("search.*.min.js")
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    source = worker.read_text(encoding="utf-8").split("//# sourceMappingURL")[0]
    in_script = lambda text: text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    script = (
        "var __search = {\n"
        f"  index: Promise.resolve({in_script(index)}),\n"
        f"  worker: URL.createObjectURL(new Blob([{in_script(json.dumps(source))}], {{ type: 'text/javascript' }})),\n"
        "};\n"
    )
    (site / "search" / "offline.js").write_text(script, encoding="utf-8")
