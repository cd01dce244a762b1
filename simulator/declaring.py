"""What the C compiler has to know of the reader of traces, made from the modules themselves.

``setup.py`` runs this file by its path. Cython compiles a ``.py`` by the types in a ``.pxd``, and
the modules say them already: an ``int`` is an ``int64_t``, a name of ``ARRAYS`` a view of an array,
a compiled class is itself, with what its base has; attributes and local variables have the type
that is annotated, or that of what is assigned to them first. A method that touches no object of
Python is called without the lock, and without a look whether it failed; the compiler refuses one
that does touch one. What has no type here is an object of Python.

What is compiled is a copy, without imports of what C has in another form.
"""

from __future__ import annotations

import ast
import re
import runpy
from collections import ChainMap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

LONG, OBJECT, VOID = "int64_t", "object", "void"
ARRAYS = {
    "Bytes": "const uint8_t[::1]",
    "Buffer": "uint8_t[::1]",
    "Ints": "int32_t[::1]",
    "Longs": "int64_t[::1]",
}
"""The names of ``simulator/traces/arrays.py``."""
CODES = {"q": ARRAYS["Longs"], "i": ARRAYS["Ints"], "B": ARRAYS["Buffer"]}
NAMED = {**ARRAYS, "int": LONG, "Any": OBJECT, "None": VOID}
NAMED |= {name: name for name in ("bytes", "dict", "list", "set")}
IN_C: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("abs", "len", "max", "min"), (LONG, "noexcept")),
    "range": (ARRAYS["Longs"], "noexcept"),
    "bytearray": (ARRAYS["Buffer"], ""),
}
"""Functions that C has too: what they return, and whether they never fail."""
INTERPRETED = "simulator.native.interpreted"
"""Stands for Cython where nothing is compiled."""
HEAD = "cimport cython\nfrom libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t\n"
NUMBER = re.compile(r"\(?[\d-]|len\(")
INLINE = re.compile(r"^cdef inline (\w+) (\w+)\([^)]*\) ?(noexcept)?", re.MULTILINE)
CLOSURE = ast.GeneratorExp | ast.Lambda
LITERAL = ast.Dict | ast.JoinedStr | ast.List | ast.ListComp | ast.Slice
PYTHON = CLOSURE | LITERAL | ast.Assert | ast.Delete | ast.Raise | ast.Try | ast.With
"""What makes objects of Python, or may fail."""

Types: TypeAlias = dict[str, str]


def prepared(modules: tuple[str, ...], numbers: tuple[str, ...], root: Path) -> dict[Path, str]:
    """Return by their paths the ``.py`` to compile and the ``.pxd`` of each module.

    ``numbers`` are modules of whole numbers, which are constants of C; bytes among them are not.
    """
    world = World(modules, numbers, root)
    return (
        {path_of(name, ".py"): world.source(name) for name in modules}
        | {path_of(name, ".pxd"): world.declarations(name) for name in modules}
        | {path_of(name, ".pxd"): constants_in_c(world.numbers[name]) for name in numbers}
    )


def path_of(module: str, suffix: str) -> Path:
    """Return the path of a module below the root."""
    return Path(module.replace(".", "/") + suffix)


def constants_in_c(values: dict[str, Any]) -> str:
    """Return the ``.pxd`` of a module of numbers: an enumeration, and macros for large ones."""
    numbers = {name: one for name, one in values.items() if name.isupper() and type(one) is int}
    small = {name: one for name, one in numbers.items() if abs(one) < 1 << 31}
    large = {name: one for name, one in numbers.items() if name not in small}
    macros = [
        f"    #define own_{name} {one}LL"
        if one > 0
        else f"    #define own_{name} ({one + 1}LL - 1)"
        for name, one in large.items()
    ]
    lines = [
        "from libc.stdint cimport int64_t",
        *("cdef enum:", *(f"    {name} = {one}" for name, one in small.items())),
        *("cdef extern from *:", '    """', *macros, '    """'),
        *(f'    {LONG} {name} "own_{name}"' for name in large),
    ]
    return "\n".join(lines) + "\n"


class World:
    """The modules, which know each other's classes and functions."""

    def __init__(self, modules: tuple[str, ...], numbers: tuple[str, ...], root: Path) -> None:
        self.root = root
        self.numbers = {name: runpy.run_path(str(root / path_of(name, ".py"))) for name in numbers}
        self.trees = {name: ast.parse(self.text(name)) for name in modules}
        others = {str(one.module) for tree in self.trees.values() for one in imports(tree)}
        self.inline: dict[str, dict[str, tuple[str, ...]]] = {
            name: {one[1]: one[::2] for one in INLINE.findall(self.text(name, ".pxd"))}
            for name in others
        }
        self.functions = ChainMap(IN_C, *self.inline.values())
        numbered = dict.fromkeys(ChainMap(*self.numbers.values()), LONG)
        self.constants = ChainMap(*map(self.constants_of, self.trees.values()), numbered)
        self.classes: dict[str, ChainMap[str, Function]] = {}
        self.attributes: dict[str, ChainMap[str, str]] = {}
        self.bases = set[str]()
        for node in (one for tree in self.trees.values() for one in classes(tree)):
            base = self.base(node)
            own = {one.name: Function(self, one, node.name) for one in functions(node)}
            self.classes[node.name] = ChainMap(own, *(self.classes[base].maps if base else ()))
            inherited = self.attributes[base].maps if base else []
            self.attributes[node.name] = ChainMap(Types(), *inherited)
            self.bases.add(base)
        methods = [one for own in self.classes.values() for one in own.maps[0].values()]
        for one in methods * 2:  # The second time, those of all other classes are known.
            one.note_attributes()
        while broken := [one for one in methods if one.is_safe and one.breaks()]:
            for one in broken:
                one.is_safe = False

    def text(self, module: str, suffix: str = ".py") -> str:
        """Return the text of a module, an empty one if there is none."""
        path = self.root / path_of(module, suffix)
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def constants_of(self, tree: ast.Module) -> Types:
        """Return the types of the constants of a module: whole numbers, and bytes."""
        found = Types()
        for target, value in assigned(one for one in tree.body if isinstance(one, ast.Assign)):
            if isinstance(value, ast.Constant) and isinstance(value.value, bytes):
                found[ast.unparse(target)] = ARRAYS["Bytes"]
            elif ast.unparse(target).isupper() and NUMBER.match(ast.unparse(value)):
                found[ast.unparse(target)] = LONG
        for node in imports(tree):
            if node.module in self.numbers and node.names[0].name != "*":
                found |= {one.name: ARRAYS["Bytes"] for one in node.names}
        return found

    def base(self, node: ast.ClassDef) -> str:
        """Return the compiled class that a class has as its base; an empty text if it has none."""
        names = [ast.unparse(one) for one in node.bases]
        return names[0] if names and names[0] in self.classes else ""

    def named(self, node: ast.expr | None) -> str | None:
        """Return the type that an annotation says, None if it says none."""
        text = "" if node is None else ast.unparse(node).split("[")[0]
        return text if text in self.classes else NAMED.get(text)

    def is_in_c(self, node: ast.ImportFrom) -> bool:
        """Whether C has what is imported in another form."""
        return bool(self.inline[str(node.module)]) or node.names[0].name == "*"

    def source(self, module: str) -> str:
        """Return the text of a module without such imports; its lines keep their numbers."""
        lines = self.text(module).splitlines(keepends=True)
        for node in imports(self.trees[module]):
            if self.is_in_c(node):
                for number in range(node.lineno - 1, node.end_lineno or 0):
                    lines[number] = "\n"
            elif node.module == INTERPRETED:
                lines[node.lineno - 1] = "import cython\n"
        return "".join(lines)

    def declarations(self, module: str) -> str:
        """Return the ``.pxd`` of a module."""
        tree = self.trees[module]
        lines = [f"cdef {kind} {name}" for name, kind in self.constants_of(tree).items()]
        for node in classes(tree):
            base = f"({self.base(node)})" if self.base(node) else ""
            final = "" if node.name in self.bases else "@cython.final\n"
            lines += [f"\n\n{final}cdef class {node.name}{base}:"]
            types = self.attributes[node.name].maps[0].items()
            lines += [f"    cdef public {kind} {name}" for name, kind in types]
            methods = self.classes[node.name].maps[0].values()
            lines += [f"    {line}" for method in methods for line in method.declaration()]
        for one in functions(tree):
            lines += Function(self, one, is_safe=False).declaration()
        text, head = "\n".join(lines), HEAD
        for taken in filter(self.is_in_c, imports(tree)):
            head += f"from {taken.module} cimport {', '.join(one.name for one in taken.names)}\n"
        for name, other in self.trees.items():
            used = [one.name for one in classes(other) if re.search(rf"\b{one.name}\b", text)]
            if used and name != module:
                head += f"from {name} cimport {', '.join(used)}\n"
        return f"{head}{text}\n"


@dataclass
class Function:
    """A function, or a method of a class."""

    world: World
    node: ast.FunctionDef
    owner: str = ""
    is_safe: bool = True
    """Whether it touches no object of Python, as far as is known."""

    @cached_property
    def parameters(self) -> dict[str, str | None]:
        """The types of the parameters, None for one that has no type here."""
        own = {"self": self.owner} if self.owner else {}
        rest = self.node.args.args[len(own) :]
        return own | {one.arg: self.world.named(one.annotation) for one in rest}

    @cached_property
    def variables(self) -> Types:
        """The types of the local variables, but for objects of Python."""
        found = Types()
        for target, value in assigned(self.node.body):
            if isinstance(target, ast.Name) and target.id not in self.parameters:
                found.setdefault(target.id, self.type_of(value, found))
        return {name: kind for name, kind in found.items() if kind != OBJECT}

    @property
    def returned(self) -> str | None:
        """The type of what it returns, None for one that has no type here."""
        return self.world.named(self.node.returns)

    @property
    def is_declared(self) -> bool:
        """Whether all its types are known."""
        types = {self.returned, *self.parameters.values()}
        return self.node.name != "__init__" and None not in types

    def note_attributes(self) -> None:
        """Note the types of attributes, by what is assigned to them first."""
        known = self.world.attributes[self.owner]
        for target, value in assigned(self.node.body):
            owner, _, name = ast.unparse(target).partition(".")
            inherited = any(name in one for one in known.maps[1:])
            untyped = not inherited and known.get(name, OBJECT) == OBJECT
            if owner == "self" and name.isidentifier() and untyped:
                known[name] = self.type_of(value, {})

    def type_of(self, node: ast.AST, variables: Types) -> str:
        """Return the type of an expression."""
        match node:
            case ast.arg(annotation=annotation):
                return self.world.named(annotation) or OBJECT
            case ast.Name(id=name):
                known = variables.get(name) or self.parameters.get(name)
                return known or self.world.constants.get(name, OBJECT)
            case ast.Attribute(value=value, attr=name):
                owner = self.type_of(value, variables)
                types = self.world.attributes.get(owner)
                return types.get(name, OBJECT) if types is not None else OBJECT
            case ast.Call(args=[ast.Constant(value=str(code)), *_]) if code in CODES:
                return CODES[code]
            case ast.Call(func=func):
                return self.called(func, variables)[0]
            case ast.Subscript(value=value):
                return LONG if self.type_of(value, variables).endswith("]") else OBJECT
            case ast.BinOp(left=one) | ast.UnaryOp(operand=one) | ast.IfExp(body=one):
                return self.type_of(one, variables)
        is_number = isinstance(node, ast.Compare | ast.BoolOp) or NUMBER.match(ast.unparse(node))
        return LONG if is_number else OBJECT

    def called(self, func: ast.expr, variables: Types) -> tuple[str, ...]:
        """Return the type that a function returns, and ``noexcept`` if it never fails."""
        match func:
            case ast.Attribute(value=value, attr=name):
                own = self.world.classes.get(self.type_of(value, variables))
                if own is not None and name in own and own[name].is_declared:
                    return str(own[name].returned), "noexcept" if own[name].is_safe else ""
            case ast.Name(id=name):
                made = (name if name in self.world.classes else OBJECT, "")
                return self.world.functions.get(name, made)
        return OBJECT, ""

    def breaks(self) -> bool:
        """Whether it touches an object of Python, or calls a function that does."""
        inside = [one for line in self.node.body for one in ast.walk(line)]
        calls = [one.func for one in inside if isinstance(one, ast.Call)]
        return (
            any(isinstance(one, PYTHON) for one in inside)
            or any(not self.called(one, self.variables)[1] for one in calls)
            or any(self.is_object(one) for one in inside if one not in calls)
        )

    def is_object(self, node: ast.AST) -> bool:
        """Whether a name is that of an object, or of a reference that changes."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return False
        kind = self.type_of(node, self.variables)
        return kind == OBJECT or (isinstance(node.ctx, ast.Store) and not kind.endswith("_t"))

    def declaration(self) -> Iterator[str]:
        """Yield its lines of the ``.pxd``."""
        if not self.is_declared:
            return
        if self.variables:
            names = ", ".join(f"{name}={kind}" for name, kind in self.variables.items())
            yield f"@cython.locals({names})"
        inside = [*ast.walk(self.node)]
        word = "cdef" if any(isinstance(one, CLOSURE) for one in inside) else "cpdef"
        kind, ending = self.returned, " noexcept nogil"
        if not self.is_safe:
            bare = any(isinstance(one, ast.Return) and one.value is None for one in inside)
            kind = LONG if kind == VOID and not bare else kind
            ending = {LONG: " except? -9", VOID: " except *"}.get(str(kind), "")
        given = [f"{one} {name}" for name, one in self.parameters.items()]
        given[:1] = ["self"] if self.owner else given[:1]
        yield f"{word} {kind} {self.node.name}({', '.join(given)}){ending}"


def imports(tree: ast.Module) -> list[ast.ImportFrom]:
    """Return what a module imports."""
    return [one for one in tree.body if isinstance(one, ast.ImportFrom)]


def classes(tree: ast.Module) -> list[ast.ClassDef]:
    """Return the classes of a module."""
    return [one for one in tree.body if isinstance(one, ast.ClassDef)]


def functions(node: ast.Module | ast.ClassDef) -> list[ast.FunctionDef]:
    """Return the functions of a module, or the methods of a class."""
    return [one for one in node.body if isinstance(one, ast.FunctionDef)]


def assigned(body: Iterable[ast.stmt]) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Yield what is assigned to, with the value, or with an annotation as that of an ``arg``."""
    for node in (one for line in body for one in ast.walk(line)):
        if isinstance(node, ast.AnnAssign):
            yield node.target, ast.arg("", node.annotation)
        elif isinstance(node, ast.For):
            yield node.target, ast.Subscript(node.iter, ast.Constant(0))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    yield from zip(target.elts, node.value.elts, strict=True)
                else:
                    yield target, node.value
