#!/usr/bin/env python3
"""The manual page cartan.1, made of what the command says of itself.

usage: manual.py COMMAND VERSION > cartan.1      COMMAND: a built cartan
"""

import re
import subprocess
import sys

command, version = sys.argv[1:]


def help_text(*words):
    return subprocess.run([command, *words, "--help"], check=True, capture_output=True, text=True).stdout


def roff(line):
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + line if line.startswith((".", "'")) else line


def verbatim(text):
    return [".nf", *map(roff, text.strip("\n").splitlines()), ".fi"]


summary = help_text()
commands = re.findall(r"^  (\w+) +(.*)$", summary.split("Commands:\n")[1].split("\n\n")[0], re.M)
if len(commands) < 10:
    sys.exit("manual: no table of commands in `cartan --help`")
lines = [
    f'.TH CARTAN 1 "" "Cartan {version}" "User Commands"',
    ".SH NAME",
    "cartan \\- how machines move, computed on Lie groups",
    ".SH SYNOPSIS",
    ".B cartan",
    ".I COMMAND",
    "[\\fIOPTIONS\\fR]",
    ".SH DESCRIPTION",
    roff("Cartan reads a machine from a file (bodies, joints, forces, loops) or a handful of differential equations,")
    + "\nsimulates its motion and analyses it. Examples are in /usr/share/cartan/examples.",
    ".SH COMMANDS",
]
for name, text in commands:
    lines += [".TP", f".B {name}", roff(text)]
for name, _ in commands:
    lines += [f".SH CARTAN {name.upper()}", *verbatim(help_text(name))]
lines += [
    ".SH FILES",
    ".TP",
    ".I /usr/share/cartan/examples",
    "model files",
    ".TP",
    ".I /usr/share/cartan/viewer.html",
    "the page of \\fBcartan view\\fR",
    ".SH ENVIRONMENT",
    ".TP",
    ".B CC",
    roff("the C compiler of `--formulation generated` and `study --backend cpu`"),
    ".TP",
    ".B CARTAN_VIEWER",
    "another file in place of the viewer's page",
    ".SH EXIT STATUS",
    "0: done; 1: a computation did not succeed; 2: the input is wrong.",
]
print("\n".join(lines))
