"""Several modules as one, for the C compiler.

``setup.py`` runs this file by its path. A compiled module calls another one's functions through a
table of addresses, which no C compiler sees through. The modules of an engine call each other at
every event; made one module, they are compiled as one, and small functions vanish into their
callers. What is merged is the modules' own source: the ``.py`` with their imports of each other
taken out, and the ``.pxd`` likewise. The last module of the list gives the whole its name.

A class with one base, of which it is the only child, becomes one with it: the methods of a class
that others may inherit are called through a table even by itself.

The numbers of ``NUMBERS`` become an enumeration of C. A module without a ``.pxd``
(that of a kind) gets its declarations made: a method has the types with which its base declares it,
and a local variable is an ``int64_t``, or a ``double`` if it is annotated as a ``float``.
"""

from __future__ import annotations

import ast
import re
import runpy
from itertools import pairwise
from pathlib import Path

CIMPORT = re.compile(r"^from (\S+) cimport (\([^)]*\)|[^\n]*)\n", re.MULTILINE)
INIT = "    def __init__("
HEADER = "# cython: infer_types=True\n"
CODES = "simulator.native.codes"
"""Has the numbers of all of these, for Python."""
NUMBERS = tuple(f"simulator.native.{name}codes" for name in ("request", "part", "store", "job"))
METHOD = re.compile(r"^    cdef [^(\n]*?(\w+)\([^)]*\)[^\n]*\n", re.MULTILINE)


def merge(modules: tuple[str, ...], root: Path, folder: Path) -> Path:
    """Write the merged ``.py`` and ``.pxd`` below ``folder``; returns the ``.py``.

    A module may use those before it in the list, by name or (``from package import module``) as a
    module. Names that two of them define are told apart by the name of their module, but for those
    of the last one. ValueError: such a name is also one of a method, a parameter or a variable.
    """
    sources = {name: (root / name.replace(".", "/")).with_suffix(".py") for name in modules}
    trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in sources.items()}
    renamed = _renamed(trees)
    parts, declared = [], list[str]()
    cimports: dict[str, None] = {}
    for name, path in sources.items():
        tree, names = trees[name], renamed[name]
        _check(name, tree, names)
        text = path.read_text(encoding="utf-8")
        text = _rename(text, tree, names, _modules(tree, renamed))
        parts.append(_without(text, _left_out(tree, set(modules))))
        pxd = _declarations(path, tree, "".join(declared))
        for one in CIMPORT.finditer(pxd):
            if one[1] not in modules and not _names_modules(one, modules):
                words = sorted(re.findall(r"\w+|\*", one[2]))
                cimports |= {f"from {one[1]} cimport {word}\n": None for word in words}
        text = CIMPORT.sub("", pxd).replace("cimport cython\n", "")
        declared.append(_without_known(_rename_declared(text, names), declared))
    target = Path(modules[-1].replace(".", "/") + ".py")
    code, declarations = _join_classes(
        HEADER + "from __future__ import annotations\n" + "".join(parts),
        "cimport cython\n" + "".join(cimports) + _codes(root, trees) + "".join(declared),
        {one for name, tree in trees.items() if _is_kind(sources[name]) for one in _defined(tree)},
    )
    write(folder, {target: code, target.with_suffix(".pxd"): declarations})
    return folder / target


def write(folder: Path, texts: dict[Path, str]) -> None:
    """Write modules below a folder, in packages; not those that are as they were.

    What is newer is compiled again.
    """
    packages = {package / "__init__.py" for path in texts for package in [*path.parents][:-1]}
    for path, text in [*dict.fromkeys(packages, "").items(), *texts.items()]:
        written = folder / path
        written.parent.mkdir(parents=True, exist_ok=True)
        if not written.exists() or written.read_text(encoding="utf-8") != text:
            written.write_text(text, encoding="utf-8")


def enumeration(path: Path) -> str:
    """Return the whole numbers with a name that a module defines, as the compiler reads them.

    The module imports nothing. Numbers of more than 32 bits are left out.
    """
    lines = (
        f"    {name} = {value}\n"
        for name, value in runpy.run_path(str(path)).items()
        if name.isupper() and isinstance(value, int) and abs(value) < 1 << 31
    )
    return "cdef enum:\n" + "".join(lines)


def functions(path: Path) -> str:
    """Return the declarations of a module of functions without any, from its annotations.

    A number is an ``int64_t`` if the module imports it, or gives it a name that begins with ``_``.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found, numbers = "", list[str]()
    classes: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            numbers += [one.name for one in node.names if one.name.isupper()]
            classes |= {one.name: f"from {node.module} cimport {one.name}" for one in node.names}
        elif isinstance(node, ast.Assign):
            stored = set().union(*map(_stored, ast.walk(node)))
            numbers += sorted(name for name in stored if name.startswith("_"))
        elif isinstance(node, ast.FunctionDef):
            typed = ", ".join(f"{_type(one.annotation)} {one.arg}" for one in node.args.args)
            found += _locals(node)
            found += f"cdef {_type(node.returns)} {node.name}({typed}) noexcept nogil\n"
    used = [line for name, line in classes.items() if re.search(rf"\b{name} \w+[,)]", found)]
    head = ["cimport cython", "from libc.stdint cimport int64_t", *used]
    return "\n".join([*head, f"cdef int64_t {', '.join(numbers)}", found])


def _type(annotation: ast.expr | None) -> str:
    """What the compiler calls the type of an annotation."""
    name = ast.unparse(annotation) if annotation else "object"
    return {"int": "int64_t", "None": "void"}.get(name, name)


def _codes(root: Path, trees: dict[str, ast.Module]) -> str:
    """The enumeration of NUMBERS. ValueError: a module defines one of its names too."""
    paths = [(root / name.replace(".", "/")).with_suffix(".py") for name in NUMBERS]
    text = "".join(enumeration(path) for path in paths if path.exists())
    for name, tree in trees.items():
        if twice := sorted(_defined(tree) & {*re.findall(r"(\w+) =", text)}):
            raise ValueError(f"{name}: {twice[0]} is one of {CODES} too")
    return text


def _declarations(path: Path, tree: ast.Module, before: str) -> str:
    """The ``.pxd`` of a module; made from what its bases declare if it has none."""
    if not _is_kind(path):
        return path.with_suffix(".pxd").read_text(encoding="utf-8")
    declared = _declared_classes(before)
    found = ""
    for node in (one for one in tree.body if isinstance(one, ast.ClassDef)):
        base = ast.unparse(node.bases[0]) if node.bases else ""
        if base not in declared:
            raise ValueError(f"{path}: {node.name} needs a base that the engine declares")
        types = {one[1]: one[0] for one in METHOD.finditer(declared[base])}
        lines = [_typed(one, types) for one in node.body if isinstance(one, ast.FunctionDef)]
        found += f"\n\ncdef class {node.name}({base}):\n{''.join(lines) or '    pass'}\n"
    return found


def _is_kind(path: Path) -> bool:
    """Whether a module has no declarations: each of its classes is asked for by its name."""
    return not path.with_suffix(".pxd").exists()


def _typed(method: ast.FunctionDef, types: dict[str, str]) -> str:
    """Declare a method as the base does, and its local variables; nothing if that does not."""
    if method.name not in types:
        return ""
    local = _locals(method)
    return (f"    {local}" if local else "") + types[method.name]


def _locals(function: ast.FunctionDef) -> str:
    """Declare the local variables of a function; nothing if there are none."""
    names, given = dict[str, str](), {one.arg for one in function.args.args}
    for node in ast.walk(function):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "float":
            names[ast.unparse(node.target)] = "double"
        for name in _stored(node):
            names.setdefault(name, "int64_t")
    local = ", ".join(f"{name}={kind}" for name, kind in names.items() if name not in given)
    return f"@cython.locals({local})\n" if local else ""


def _renamed(trees: dict[str, ast.Module]) -> dict[str, dict[str, str]]:
    """For each module, the names that another one defines too, with what they become."""
    defined = {name: _defined(tree) for name, tree in trees.items()}
    count: dict[str, int] = {}
    for names in defined.values():
        for name in names:
            count[name] = count.get(name, 0) + 1
    last = [*trees][-1]
    return {
        module: {
            one: one if module == last else f"{_label(module)}_{one}"
            for one in names
            if count[one] > 1
        }
        for module, names in defined.items()
    }


def _label(module: str) -> str:
    """The name of a module; of a kind's, that of the kind."""
    *_, folder, name = module.split(".")
    return folder if name == "native" else name


def _defined(tree: ast.Module) -> set[str]:
    names = set[str]()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= set().union(*map(_stored, ast.walk(node)))
    return names


def _stored(node: ast.AST) -> set[str]:
    """The name that something is assigned to, if it is one."""
    return {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else set()


def _left_out(tree: ast.Module, modules: set[str]) -> list[ast.stmt]:
    """What of a module does not belong into the whole: its docstring, and imports of the others."""
    left = list[ast.stmt](node for node in tree.body[:1] if isinstance(node, ast.Expr))
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{one.name}" for one in node.names}
            if node.module in modules | {"__future__", CODES} or names & modules:
                left.append(node)
        elif isinstance(node, ast.If) and ast.unparse(node.test) in {
            "not cython.compiled",
            "TYPE_CHECKING",
        }:
            left.append(node)
    return left


def _without(text: str, nodes: list[ast.stmt]) -> str:
    lines = text.splitlines(keepends=True)
    for node in nodes:
        assert node.end_lineno is not None
        for number in range(node.lineno - 1, node.end_lineno):
            lines[number] = "\n"
    return "".join(lines)


def _modules(tree: ast.Module, renamed: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """The merged modules that a module uses by their names, with what is renamed in them."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            for one in node.names:
                if f"{node.module}.{one.name}" in renamed:
                    found[one.name] = renamed[f"{node.module}.{one.name}"]
    return found


def _names_modules(one: re.Match[str], modules: tuple[str, ...]) -> bool:
    return any(f"{one[1]}.{word}" in modules for word in re.findall(r"\w+", one[2]))


def _rename(
    text: str, tree: ast.Module, names: dict[str, str], modules: dict[str, dict[str, str]]
) -> str:
    """Rename what a module calls by these names, and make a plain name of ``module.name``."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            own = modules.get(node.value.id)
            if own is not None:
                found.append((node.value, node.end_col_offset, own.get(node.attr, node.attr)))
        elif isinstance(node, ast.Name) and node.id in names:
            found.append((node, node.end_col_offset, names[node.id]))
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    for node, end, new in sorted(found, key=lambda one: one[0].col_offset, reverse=True):
        line = lines[node.lineno - 1]
        lines[node.lineno - 1] = line[: node.col_offset] + new.encode() + line[end:]
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in names:
            before, after = (f" {one}".encode() for one in (node.name, names[node.name]))
            lines[node.lineno - 1] = lines[node.lineno - 1].replace(before, after, 1)
    return b"".join(lines).decode()


def _rename_declared(text: str, names: dict[str, str]) -> str:
    """Rename the names that a ``.pxd`` declares for its module."""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if not line.startswith((" ", "@")):
            lines[number] = re.sub(r"\w+", lambda word: names.get(word[0], word[0]), line)
    return "".join(lines)


def _without_known(text: str, before: list[str]) -> str:
    """Leave out names that two modules import, and so declare alike."""
    known = {line for one in before for line in one.splitlines(keepends=True)}
    lines = text.splitlines(keepends=True)
    return "".join(one for one in lines if one not in known or not one.startswith("cdef const"))


def _check(module: str, tree: ast.Module, names: dict[str, str]) -> None:
    """Refuse a name that stands for something else in a function or a class of the module."""
    for outer in tree.body:
        if not isinstance(outer, (ast.FunctionDef, ast.ClassDef)):
            continue
        for node in ast.walk(outer):
            own = _stored(node)
            if isinstance(node, ast.arg):
                own = {node.arg}
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node is not outer:
                own = {node.name}
            for name in own & set(names):
                raise ValueError(f"{module}: {name} is two things, and another module's too")


# -- classes ------------------------------------------------------------------------------------


def _join_classes(code: str, declarations: str, kept: set[str]) -> tuple[str, str]:
    """Make one class of each chain of them, with the name of the last.

    Its code stands where that of the last did, its declaration where that of the first did. Not
    joined: a base of several classes, one of which a class defines a method again, ``kept`` ones.
    """
    tree = ast.parse(code)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    base_of = {
        name: node.bases[0].id
        for name, node in classes.items()
        if node.bases and isinstance(node.bases[0], ast.Name) and node.bases[0].id in classes
    }
    bases = [*base_of.values()]
    base_of = {
        name: base
        for name, base in base_of.items()
        if bases.count(base) == 1
        and name not in kept
        and not _methods(classes[name]) & _methods(classes[base])
    }
    lines = code.splitlines(keepends=True)
    blocks = _declared_classes(declarations)
    name_of = dict[str, str]()
    for name in (one for one in base_of if one not in base_of.values()):
        chain = [name]
        while chain[-1] in base_of:
            chain.append(base_of[chain[-1]])
        bodies = _chain_inits(
            {one: _body(lines, classes[one]) for one in reversed(chain)},
        )
        for one in chain:
            node = classes[one]
            for number in range(node.lineno - 1, node.end_lineno or 0):
                lines[number] = ""
        lines[classes[name].lineno - 1] = f"class {name}:\n" + "".join(bodies)
        whole = "".join(blocks[one].partition(":\n")[2] for one in reversed(chain))
        for one in chain:
            declarations = declarations.replace(blocks[one], "" if one != chain[-1] else whole)
        declarations = declarations.replace(whole, f"@cython.final\ncdef class {name}:\n{whole}", 1)
        name_of |= dict.fromkeys(chain, name)
    declarations = re.sub(r"\w+", lambda word: name_of.get(word[0], word[0]), declarations)
    return "".join(lines), _announced(declarations)


def _announced(declarations: str) -> str:
    """Announce classes that others name before they are declared."""
    blocks = _declared_classes(declarations)
    later = [
        f"cdef class {name}\n"
        for name, block in blocks.items()
        if re.search(rf"\b{name}\b", declarations[: declarations.index(block)])
    ]
    if not later:
        return declarations
    first = next(iter(blocks.values()))
    return declarations.replace(first, "".join(later) + first, 1)


def _methods(node: ast.ClassDef) -> set[str]:
    return {one.name for one in node.body if isinstance(one, ast.FunctionDef)} - {"__init__"}


def _chain_inits(bodies: dict[str, str]) -> list[str]:
    """Let only the last of several ``__init__`` have that name, and call the others by theirs."""
    having = [name for name, body in bodies.items() if INIT in body]
    for name, after in pairwise(having):
        own = f"init_{name.lower()}("
        bodies[name] = bodies[name].replace(INIT, f"    def {own}")
        bodies[after] = bodies[after].replace("super().__init__(", f"self.{own}")
    return [*bodies.values()]


def _body(lines: list[str], node: ast.ClassDef) -> str:
    """What is in a class, but for its docstring."""
    first = node.body[1] if isinstance(node.body[0], ast.Expr) else node.body[0]
    return "".join(lines[first.lineno - 1 : node.end_lineno]) + "\n"


def _declared_classes(declarations: str) -> dict[str, str]:
    """The text that declares each class, with its decorator."""
    found = re.finditer(
        r"^(?:@cython\.final\n)?cdef class (\w+)(?:\(\w+\))?:\n(?:[ \t]+[^\n]*\n|\n)*",
        declarations,
        re.MULTILINE,
    )
    return {one[1]: one[0] for one in found}
