# Reads what C++ files declare at the level of namespaces: enough of the language for files that
# clang-format has been over.
import re

SKIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'
                     r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
WORDS_OF_TYPES = {"int", "double", "float", "bool", "char", "long", "short", "unsigned", "signed",
                  "void", "auto", "const"}


def split(text, separator=","):
    """Parts between separators that stand in no brackets."""
    parts, depth, part = [], 0, ""
    for c in text:
        depth += (c in "(<[{") - (c in ")>]}")
        if c == separator and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += c
    return parts + [part]


def type_of_parameter(text):
    tokens = re.findall(r"\w+|[^\w\s]", split(text, "=")[0])
    named = len(tokens) > 1 and re.match(r"[A-Za-z_]\w*$", tokens[-1]) \
        and tokens[-1] not in WORDS_OF_TYPES and tokens[-2] not in ("::", "const", ":")
    return " ".join(tokens[:-1] if named else tokens)


def closing(text, opening):
    depth = 0
    for k in range(opening, len(text)):
        depth += (text[k] == "(") - (text[k] == ")")
        if depth == 0:
            return k
    return len(text)


def declarations(statement, has_body):
    """(kind, name, signature, is a definition that the linker merges)"""
    text = " ".join(statement.split())
    template = False
    while text.startswith("template <") or text.startswith("template<"):
        depth = 0
        for k, c in enumerate(text):
            depth += (c == "<") - (c == ">")
            if c == ">" and depth == 0:
                break
        if not text[text.index("<") + 1:k].strip():
            return  # a specialisation belongs to what it specialises
        template, text = True, text[k + 1:].strip()
    text = re.sub(r"\[\[.*?\]\]|alignas\(\w+\)|\brequires .*", " ", text).strip()
    if re.match(r"(template|extern|static|using namespace|static_assert|friend|namespace)\b", text):
        return
    alias = re.match(r"using (\w+) =", text)
    kind = re.match(r"(?:struct|class|union|enum(?: class| struct)?) (\w+)(.*)", text)
    if alias:
        yield "type", alias[1], text, True
    elif kind and (has_body or template) and "(" not in kind[2]:
        if has_body and not kind[2].startswith(("<", "::")):
            yield "type", kind[1], "", True
    elif kind and not kind[2]:
        return  # a forward declaration
    else:
        head = split(text, "=")[0]
        function = re.search(r"([\w:~]*\boperator\s*\S+?|[\w:]+)\s*\(", head)
        variable = re.match(r"(?:(?:inline|constexpr|const|thread_local)\s+)+.*?(\w+)\s*(?:\[.*\])?$", head)
        if function and "::" not in function[1] and " " in head[:function.end()]:
            opening = function.end() - 1
            inside = head[opening + 1:closing(head, opening)]
            signature = ", ".join(type_of_parameter(p) for p in split(inside)) if inside.strip() else ""
            merged = has_body and bool(template or re.search(r"\b(inline|constexpr)\b", head[:opening]))
            yield "function", function[1], signature, merged
        elif variable and "(" not in head:
            yield "variable", variable[1], "", True


def read(path):
    source = SKIPPED.sub(lambda m: re.sub(r"[^\n]", "", m[0]) + " ", path.read_text().replace("CARTAN_API ", ""))
    scopes, statement, line, start, k = [], "", 1, 1, 0
    while k < len(source):
        c = source[k]
        line += c == "\n"
        if not statement.strip():
            start = line
        if c == "{" and re.match(r"\s*(inline\s+)?namespace\b[^=]*$", statement):
            scopes.append(re.sub(r"\s*(inline\s+)?namespace\s*", "", statement).strip() or None)
            statement = ""
        elif c == "}":
            if scopes:
                scopes.pop()
            statement = ""
        elif c in ";{":
            if c == "{":  # a body or an initialiser
                depth = 0
                while k < len(source):
                    depth += (source[k] == "{") - (source[k] == "}")
                    line += source[k] == "\n"
                    if depth == 0:
                        break
                    k += 1
            initialiser = c == "{" and ("=" in split(statement, "(")[0] or re.search(r"\w\[\]\s*$", statement))
            if None not in scopes:
                for kind, name, signature, merged in declarations(statement, c == "{" and not initialiser):
                    yield "::".join(scopes + [name]), kind, signature, merged, path, start
            statement = ""
        else:
            statement += c
        k += 1
