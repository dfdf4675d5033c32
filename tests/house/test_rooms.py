"""A room includes only from the rooms that the table in docs/architecture.md gives it."""

import re

from house import SOURCE, tracked

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


def rooms():
    """Each room's folder, and the folders it may include from; None stands for all."""
    table = {}
    text = (SOURCE / "docs/architecture.md").read_text().split("## The rooms")[1].split("\n## ")[0]
    for row in re.findall(r"^\| (`.*?) \|$", text, re.M):
        cells = [cell.strip() for cell in row.split("|")]
        assert len(cells) == 4, f"four columns, not {len(cells)}: {row}"
        above = [room for room in table if room.startswith("src/")]
        for room in re.findall(r"`([^`]+)`", cells[0]):
            if cells[3] == "everything":
                allowed = None
            elif cells[3] == "all above":
                allowed = set(above)
            else:
                allowed = {f"src/{word}" for word in re.split(r",\s*", cells[3]) if word}
                unknown = allowed - {f"src/{name}" for name in all_names(text)}
                assert not unknown, f"{room} may use {unknown}, which are no rooms of the table"
            table[room] = allowed
    return table


def all_names(text):
    return re.findall(r"^\| `src/([^`]+)`", text, re.M)


def room_of(path, table):
    """The room with the longest path that holds the file."""
    name = path.relative_to(SOURCE).as_posix()
    return max((room for room in table if name.startswith(room + "/")), key=len, default=None)


def resolve(file, include):
    """The file of the project that an #include names, looked up as the compiler does."""
    for folder in (file.parent, SOURCE / "include", SOURCE / "src"):
        path = (folder / include).resolve()
        if path.is_file() and path.is_relative_to(SOURCE):
            return path
    return None


def violations(files, table):
    for file in files:
        room = room_of(file, table)
        if room is None:
            yield f"{file.relative_to(SOURCE)} stands in no room of docs/architecture.md"
            continue
        for include in INCLUDE.findall(file.read_text()):
            target = resolve(file, include)
            if target is None or table[room] is None:
                continue
            there = room_of(target, table)
            is_header_of_all = there is not None and there.startswith("include/")
            if there != room and not is_header_of_all and there not in table[room]:
                yield f"{file.relative_to(SOURCE)} includes {include}: {room} may not use {there}"
            if room.startswith(("include/tensorflow", "include/xla")) and there != room:
                yield f"{file.relative_to(SOURCE)} includes {include}: it is not the plugin ABI's own"


def test_every_include_goes_to_a_room_the_table_allows():
    table = rooms()
    assert len(table) > 20 and table["src/base"] == set() and table["tests"] is None
    files = tracked("*.c", "*.h", "*.cc", "*.hpp")
    assert len(files) > 30
    assert not (found := list(violations(files, table))), "\n".join(found)


def test_an_include_upwards_is_found():
    table = rooms()
    table["src/tensor"] = set()
    files = [file for file in tracked("src/tensor/*.h") if '"base/' in file.read_text()]
    assert files and all("may not use src/base" in text for text in violations(files, table))


def test_a_room_that_is_not_planned_any_more_exists_and_the_other_way_round():
    text = (SOURCE / "docs/architecture.md").read_text()
    for room, planned in re.findall(r"^\| `((?:src|include)/[^`]+)`( \(planned\))?", text, re.M):
        assert bool(tracked(room + "/*")) != bool(planned), room
