"""python headers.py OUTPUT HEADERS TABLES NUMBER...: OUTPUT/0.N/pjrt_api.h for each NUMBER, as a plugin of that day saw it.

TABLES (data/abi/pjrt) say which structs, members, sizes, constants and size constants a number had, the untrue ones
among the latter included. They hold kinds, not types: what a member's type is called comes from the newest headers
(the folder HEADERS, include/xla/pjrt), by the member's name, and for a renamed one by its place. Every member is asserted
against the tables, so a wrong type cannot pass.

Numbers below 28 and above what is known: the former are never called, so they get a table of plain words; 130 is made
up here, see FUTURE.
"""

import csv
import pathlib
import re
import sys

KNOWN = 114  # the tables' newest number; beyond.tsv tells what followed
EXTENSIONS = {"0", "1", "4", "6"}  # of these the plugin carries a node
FUTURE = 130
FUTURE_FUNCTIONS = [f"PJRT_Future_Function{i}" for i in range(1, 7)]
FUTURE_FIELDS = {  # struct: members that nobody knows yet, (name, kind, size)
    "PJRT_ExecuteOptions": [("future_values", "pointer", 8), ("num_future_values", "unsigned_integer", 8)],
    "PJRT_Client_Create_Args": [("future_flags", "unsigned_integer", 8)],
    "PJRT_Device_MemoryStats_Args": [("future_bytes", "signed_integer", 8), ("future_bytes_is_set", "bool", 1)],
    "PJRT_Buffer_ToHostBuffer_Args": [("future_hint", "pointer", 8)],
}
BY_KIND = {
    ("pointer", 8): "void* {}", ("function_pointer", 8): "void (*{})(void)", ("bool", 1): "bool {}",
    ("signed_integer", 4): "int32_t {}", ("signed_integer", 8): "int64_t {}", ("unsigned_integer", 8): "size_t {}",
    ("unsigned_integer", 4): "uint32_t {}", ("enum", 4): "int {}", ("float", 4): "float {}",
}


def table(folder, name):
    with open(folder / name, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


class Declarations:
    """What the newest headers say: the declaration of each member, and the typedefs that are no structs or enums."""

    def __init__(self, folder):
        self.members, self.typedefs = {}, {}
        for path in sorted(folder.rglob("*.h")):
            text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", path.read_text(), flags=re.S)
            text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
            for found in re.finditer(r"\bstruct\s+(PJRT_\w+)\s*\{(.*?)\n\}", text, flags=re.S):
                body = re.sub(r"\b(?:union|struct)\s*\{(.*?)\}\s*\w*\s*;", r"\1", found[2], flags=re.S)
                for line in body.split(";"):
                    line = " ".join(line.split())
                    name = re.search(r"\(\s*\*\s*(\w+)\s*\)|(\w+)\s*(?:\[\w*\])?$", line)
                    if name and " " in line:
                        word = name[1] or name[2]
                        self.members[found[1], word] = re.sub(rf"\b{word}\b(?!.*\b{word}\b)", "{}", line, count=1) \
                            if not name[1] else re.sub(rf"(\*\s*){word}\b", r"\1{}", line, count=1)
            for found in re.finditer(r"\btypedef\s+([^;{}]*);", text):
                line = " ".join(found[1].split())
                name = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", line) or re.search(r"(\w+)\s*\(", line) or re.search(r"(\w+)$", line)
                self.typedefs.setdefault(name[1], f"typedef {line};")


class Number:
    """The rows of one number."""

    def __init__(self, folder, minor):
        self.minor = minor
        there = min(minor, KNOWN)
        holds = lambda row: int(row["first_minor"]) <= max(there, 1) <= int(row["last_minor"])
        self.fields = [row for row in table(folder, "fields.tsv") if holds(row)]
        self.sizes = {row["struct"]: row for row in table(folder, "struct_sizes.tsv") if holds(row)}
        self.enums = [row for row in table(folder, "enums.tsv") if holds(row)]
        if minor == 0:  # the last header without a number, told as a difference from 0.1
            for row in table(folder, "deltas.tsv"):
                if row["minor"] == "0" and row["name"] == "PJRT_Api":
                    self._apply(row)
        for row in table(folder, "beyond.tsv"):
            if int(row["number"].split(".")[1]) <= minor:
                self._grow(row)
        if minor >= FUTURE:
            self._imagine()
        if minor >= 31:
            self._extensions(folder, there)
        self.fields.sort(key=lambda row: (int(row["offset"]), row["type_kind"] != "union"))

    def _apply(self, row):
        if row["table"] == "fields":
            field = dict(zip(("struct", "field", "offset", "size", "type_kind", "in_union"),
                             (row["name"], *(row[f"c{i}"] for i in range(2, 7)))))
            if row["op"] == "+":
                self.fields.append(field)
            else:
                self.fields = [old for old in self.fields if any(old[key] != field[key] for key in field)]
        elif row["table"] == "struct_sizes" and row["op"] == "+":
            self.sizes[row["name"]] = dict(struct=row["name"], end=row["c2"], sizeof=row["c3"], size_const=row["c4"])

    def _grow(self, row):
        if row["kind"] == "field added":
            struct, field = row["subject"].split(".")
            offset, size, kind = re.fullmatch(r"offset (\d+); size (\d+); (\w+)", row["fact"]).groups()
            self.fields.append(dict(struct=struct, field=field, offset=offset, size=size, type_kind=kind, in_union="0"))
        elif row["kind"] == "struct size":
            end, sizeof, const = re.fullmatch(r"end \d+>(\d+); sizeof \d+>(\d+); size_const \d+>(\d+)", row["fact"]).groups()
            self.sizes[row["subject"]].update(end=end, sizeof=sizeof, size_const=const)

    def _imagine(self):
        for name in FUTURE_FUNCTIONS:
            self.sizes[f"{name}_Args"] = dict(struct=f"{name}_Args", end="24", sizeof="24", size_const="24")
            self.fields += [dict(struct=f"{name}_Args", field=field, offset=offset, size="8", type_kind=kind, in_union="0")
                            for field, offset, kind in (("struct_size", "0", "unsigned_integer"), ("extension_start", "8", "pointer"),
                                                        ("client", "16", "pointer"))]
        grown = {**FUTURE_FIELDS, "PJRT_Api": [(name, "function_pointer", 8) for name in FUTURE_FUNCTIONS]}
        for struct, members in grown.items():
            row = self.sizes[struct]
            for name, kind, size in members:
                offset = -(-int(row["end"]) // size) * size
                self.fields.append(dict(struct=struct, field=name, offset=str(offset), size=str(size), type_kind=kind, in_union="0"))
                row["end"] = row["size_const"] = str(offset + size)
            row["sizeof"] = str(-(-int(row["end"]) // 8) * 8)

    def _extensions(self, folder, there):
        """The last state within the number, since the tables take each number at its last commit."""
        next_begins = {row["minor"]: row["first_commit"] for row in table(folder, "versions.tsv")}.get(str(there + 1))

        def holds(row):
            ended = row["until_commit"] and int(row["last_minor"]) == there and row["until_commit"] != next_begins
            return row["id"] in EXTENSIONS and int(row["first_minor"]) <= there <= int(row["last_minor"]) and not ended

        self.sizes.update({row["struct"]: row for row in table(folder, "extension_structs.tsv") if holds(row)})
        self.fields += [{**row, "in_union": "0"} for row in table(folder, "extension_fields.tsv") if holds(row)]


def declaration(row, declared, number, at_place):
    kind, name = row["type_kind"], row["field"]
    if kind == "function_pointer" and name.startswith("PJRT_"):
        return f"{name}* {name}"
    text = declared.members.get((row["struct"], name))
    if not text:  # renamed since: the member of that kind that stands there today
        text = declared.members.get((row["struct"], at_place.get((row["struct"], row["offset"], kind))))
    if name == "base":
        return "PJRT_Extension_Base base"
    if kind == "pointer" and (name == "priv" or number.minor < 44 and name == "extension_start"):
        text = "void* {}"
    named = set(re.findall(r"PJRT_\w+", text or ""))
    if not text or not named <= number.names:
        text = BY_KIND.get((kind, int(row["size"])))
        if not text:
            raise SystemExit(f"{row['struct']}.{name}: no type for a {kind} of {row['size']} bytes")
    return text.format(name)


def struct_text(struct, number, declared, at_place):
    lines, union = [f"struct {struct} {{"], False
    for row in number.by_struct[struct]:
        if row["type_kind"] == "union":
            lines.append("  union {")
            union = True
            continue
        if union and row["in_union"] != "1":
            lines.append("  };")
            union = False
        lines.append(("    " if union else "  ") + declaration(row, declared, number, at_place) + ";")
    if union:
        lines.append("  };")
    lines.append("};")
    size = number.sizes[struct]
    if size["size_const"]:
        lines.append(f"#define {struct}_STRUCT_SIZE {size['size_const']}")
    for row in number.by_struct[struct]:
        if row["type_kind"] != "union":
            lines.append(f'_Static_assert(offsetof({struct}, {row["field"]}) == {row["offset"]} && '
                         f'sizeof((({struct}*)0)->{row["field"]}) == {row["size"]}, "{struct}.{row["field"]}");')
    lines.append(f'_Static_assert(sizeof({struct}) == {size["sizeof"]}, "{struct}");')
    return "\n".join(lines)


def by_value_first(number):
    """Structs in an order in which those held by value come before their holders."""
    inside = {"PJRT_Api": ["PJRT_Api_Version"], "PJRT_Buffer_MemoryLayout": ["PJRT_Buffer_MemoryLayout_Tiled", "PJRT_Buffer_MemoryLayout_Strides"],
              "PJRT_Buffer_GetMemoryLayout_Args": ["PJRT_Buffer_MemoryLayout"]}
    order = []

    def add(struct):
        for first in inside.get(struct, ["PJRT_Extension_Base"] if struct.endswith(("_Extension", "_Custom_Call")) else []):
            if first in number.by_struct and first != struct:
                add(first)
        if struct not in order:
            order.append(struct)

    for struct in sorted(number.by_struct):
        add(struct)
    return order


def plain_table(number):
    """For numbers whose functions nobody may call: the table as words."""
    api = [row for row in number.fields if row["struct"] == "PJRT_Api"]
    functions = [row for row in api if row["type_kind"] == "function_pointer"]
    lines = ["typedef struct PJRT_Api {", "  size_t struct_size;", "  void* priv;"]
    if number.minor:
        lines.append("  size_t version_size;\n  void* version_priv;\n  int major_version;\n  int minor_version;")
    lines += [f"  void (*functions[{len(functions)}])(void);  // the first is {functions[0]['field']}", "} PJRT_Api;",
              f"#define PJRT_Api_STRUCT_SIZE {number.sizes['PJRT_Api']['size_const'] or number.sizes['PJRT_Api']['end']}",
              f'_Static_assert(offsetof(PJRT_Api, functions) == {functions[0]["offset"]} && sizeof(PJRT_Api) == '
              f'{number.sizes["PJRT_Api"]["sizeof"]}, "PJRT_Api");']
    return lines


def whole_header(number, declared, newest):
    number.by_struct = {}
    for row in number.fields:
        number.by_struct.setdefault(row["struct"], []).append(row)
    functions = {row["field"] for row in number.fields if row["type_kind"] == "function_pointer" and row["field"].startswith("PJRT_")}
    enums = {}
    for row in number.enums:
        enums.setdefault(row["enum"], []).append(row)
    opaque = {name for name, text in declared.typedefs.items() if re.fullmatch(rf"typedef struct {name} {name};", text)} - set(newest.sizes)
    opaque |= {"PJRT_Error", "PJRT_Memory"}
    number.names = {*number.by_struct, *functions, *enums, *opaque}
    callbacks = []  # those that speak of what the number has, by a fixed point since they name each other
    while True:
        more = [text for name, text in declared.typedefs.items() if "(*" in text.replace("( *", "(*") and text not in callbacks
                and set(re.findall(r"PJRT_\w+", text)) - {name} <= number.names]
        if not more:
            break
        callbacks += more
        number.names |= {name for name, text in declared.typedefs.items() if text in more}
    at_place = {(row["struct"], row["offset"], row["type_kind"]): row["field"] for row in newest.fields if row["type_kind"] != "union"}
    lines = [f"typedef struct {name} {name};" for name in sorted(opaque | set(number.by_struct))]
    for name, rows in enums.items():
        lines.append("typedef enum {\n" + "".join(f"  {row['constant']} = {row['value']},\n" for row in rows) + f"}} {name};")
    lines += callbacks
    for name in sorted(functions):
        result = "void" if name in ("PJRT_Error_Destroy", "PJRT_Error_Message") else "PJRT_Error*"
        arguments = f"{name}_Args" if f"{name}_Args" in number.by_struct else "void"
        text = declared.typedefs.get(name, "")
        special = arguments == "void" and text and set(re.findall(r"PJRT_\w+", text)) - {name} <= number.names
        lines.append(text if special else f"typedef {result} {name}({arguments}* args);")
    lines += [struct_text(struct, number, declared, at_place) for struct in by_value_first(number)]
    slots = [row["field"] for row in number.by_struct["PJRT_Api"] if row["type_kind"] == "function_pointer"]
    lines.append("#define PJRT_API_FUNCTIONS(X) " + " ".join(f"X({name})" for name in slots))
    if number.minor >= FUTURE:
        lines.append("#define PJRT_FUTURE_FUNCTIONS(X) " + " ".join(f"X({name})" for name in FUTURE_FUNCTIONS))
    if number.minor >= 31:
        lines.append("#define PJRT_EXTENSION_NODE " + ("PJRT_Extension_Base" if number.minor >= 41 else "PJRT_Structure_Base"))
    return lines


def write(path, lines):
    text = "\n".join(lines) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:  # what depends on an unchanged one stays as it is
        path.write_text(text)


def main(output, headers, tables, *numbers):
    tables = pathlib.Path(tables)
    declared, newest = Declarations(pathlib.Path(headers)), Number(tables, FUTURE)
    for minor in map(int, numbers):
        number = Number(tables, minor)
        lines = [f"// PJRT 0.{minor}, made by tests/pjrt/plugins/headers.py from data/abi/pjrt.", "#pragma once",
                 "#include <stdbool.h>", "#include <stddef.h>", "#include <stdint.h>", "#define PJRT_API_MAJOR 0",
                 f"#define PJRT_API_MINOR {minor}"]
        lines += whole_header(number, declared, newest) if minor >= 28 else plain_table(number)
        write(pathlib.Path(output) / f"0.{minor}" / "pjrt_api.h", lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
