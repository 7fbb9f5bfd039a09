# SPDX-License-Identifier: BSD-3-Clause
"""Kernels kept on disk: never stale, never damaged, never a stranger's, and found again by the next process.

Each test has a copy of the package of its own, so that neither its caches nor anybody's edits meet another's.
"""

import multiprocessing
import os
import pathlib
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

import hinge
from hinge.native import compiled, native

pytestmark = pytest.mark.compiled

jit = pytest.importorskip("hinge.jit")
jit_cache = pytest.importorskip("hinge.jit_cache")

RULES = """
from typing import NamedTuple
import helper
from hinge.native import compiled, native

SCALE = 2.0

@compiled
def half(x):
    return x / 2

@native
class Rule(NamedTuple):
    C: float = 1.0
    def tau(self, loss, sq_norm, weight):
        return half(loss) * SCALE * self.C + helper.bonus(loss) + helper.EXTRA

@compiled
def run(rule, n):
    total = 0.0
    for i in range(n):
        total += rule.tau(0.1 * i, 1.0, 1.0) * 1 + 23
    return total
"""
HELPER = """
from hinge.native import compiled
EXTRA = 0.25
@compiled
def bonus(x):
    return x / 3
"""
SHOW = """
import sys
import rules
print(rules.run(rules.Rule(0.7), 10).hex())
if "numba" in sys.modules:
    print(sum(rules.run.dispatcher.stats.cache_hits.values()), sum(rules.run.dispatcher.stats.cache_misses.values()))
else:
    print("interpreted")
"""
LOADED, COMPILED = "1 0", "0 1"


class Place:
    """An installed hinge, a user's modules, and a home of their own."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.package = folder / "installed" / "hinge"
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        shutil.copytree(
            pathlib.Path(hinge.__file__).parent, self.package, ignore=shutil.ignore_patterns("__pycache__")
        )
        self.write()

    def write(self, rules: str = RULES, helper: str = HELPER) -> None:
        (self.folder / "rules.py").write_text(rules)
        (self.folder / "helper.py").write_text(helper)

    def start(self, script: str = SHOW, **environment: str) -> "subprocess.Popen[str]":
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_"))}
        own = {
            "PYTHONPATH": f"{self.folder}{os.pathsep}{self.package.parent}",
            "HOME": str(self.home),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = [sys.executable, "-W", "error", "-c", script]
        return subprocess.Popen(command, env=inherited | own | environment, stdout=-1, stderr=-1, text=True)

    def run(self, script: str = SHOW, **environment: str) -> list[str]:
        process = self.start(script, **environment)
        out, err = process.communicate()
        assert process.returncode == 0, err
        return out.splitlines()

    @property
    def kernels(self) -> list[pathlib.Path]:
        return sorted(path for path in self.folder.rglob("kernels/*") if path.is_file())


@pytest.fixture
def place(tmp_path: pathlib.Path) -> Place:
    return Place(tmp_path)


def test_the_second_process_loads_what_the_first_compiled_and_computes_the_same_bits(place: Place) -> None:
    cold, how = place.run()
    assert how == COMPILED
    written = {path: path.stat().st_mtime_ns for path in place.kernels}
    assert place.run() == [cold, LOADED]
    assert {path: path.stat().st_mtime_ns for path in place.kernels} == written
    assert place.run(NUMBA_DISABLE_JIT="1") == [cold, "interpreted"]


@pytest.fixture(scope="module")
def warm_place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = Place(tmp_path_factory.mktemp("warm"))
    place.run()
    return place


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("half(loss) *", "3 * half(loss) *"),
        ("SCALE = 2.0", "SCALE = 5.0"),
        ("return x / 2", "return x / 5"),
        ("* 1 + 23", "* 12 + 3"),
        ("return x / 3", "return x / 7"),
        ("EXTRA = 0.25", "EXTRA = 0.75"),
    ],
    ids=["method", "global", "function", "kernel", "function of a module", "global of a module"],
)
def test_code_edited_between_two_processes_never_runs_stale(warm_place: Place, old: str, new: str) -> None:
    original = warm_place.run()
    assert original[1] == LOADED
    warm_place.write(RULES.replace(old, new), HELPER.replace(old, new))
    edited, how = warm_place.run()
    truth, _ = warm_place.run(NUMBA_DISABLE_JIT="1")
    warm_place.write()
    assert how == COMPILED
    assert edited == truth != original[0]
    assert warm_place.run() == original


def test_a_comment_is_no_edit(warm_place: Place) -> None:
    warm_place.write("# a rule\n" + RULES.replace("    total = 0.0\n", "    # sum it up\n    total = 0.0\n"))
    assert warm_place.run()[1] == LOADED
    warm_place.write()


def test_another_version_of_hinge_compiles_anew(place: Place) -> None:
    before, _ = place.run()
    with (place.package / "jit.py").open("a") as file:
        file.write("# upgraded\n")
    assert place.run() == [before, COMPILED]


def test_an_upgrade_under_way_keeps_nothing_under_the_new_name(place: Place) -> None:
    """What a process has imported is not what the files say, once they were changed."""
    upgrade = (
        "import hinge.steps, pathlib, time\n"
        "time.sleep(0.05)\n"
        "with (pathlib.Path(hinge.__file__).parent / 'steps.py').open('a') as file: file.write('# upgraded')\n"
    )
    before, how = place.run(upgrade + SHOW)
    assert how == COMPILED
    assert place.kernels == []
    assert place.run() == [before, COMPILED]
    assert place.run() == [before, LOADED]


def test_kernels_of_other_versions_go_after_a_while(place: Place) -> None:
    place.run()
    kept = place.kernels
    old, recent = (kept[0].with_name(f"run-{version}-{'0' * 32}.kernel") for version in ("0" * 8, "1" * 8))
    for path, days in ((old, 100), (recent, 1)):
        path.write_bytes(b"")
        os.utime(path, (path.stat().st_mtime - days * 86400,) * 2)
    place.write(RULES.replace("SCALE = 2.0", "SCALE = 5.0"))
    place.run()
    assert not old.exists()
    assert recent.exists()
    assert all(path.exists() for path in kept)


def test_checked_and_unchecked_kernels_are_kept_apart(place: Place) -> None:
    place.run()
    assert place.run(NUMBA_BOUNDSCHECK="1")[1] == COMPILED
    assert place.run(NUMBA_OPT="1")[1] == COMPILED
    assert place.run(NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")[1] == COMPILED
    assert place.run()[1] == LOADED


def test_where_nothing_can_be_written_everything_is_compiled(place: Place) -> None:
    truth, _ = place.run(NUMBA_DISABLE_JIT="1")
    # A file where the folder should be stops even root, whom the permissions of a folder do not.
    (place.package / "__pycache__").write_text("no folder")
    place.home.rmdir()
    place.home.write_text("no folder")
    before = sorted(place.folder.rglob("*"))
    assert [place.run() for _ in range(2)] == [[truth, COMPILED]] * 2
    assert sorted(place.folder.rglob("*")) == before


def test_a_read_only_installation_keeps_its_kernels_in_the_users_cache(place: Place) -> None:
    (place.package / "__pycache__").write_text("no folder")
    first, how = place.run()
    assert how == COMPILED
    assert place.kernels
    assert {path.parent for path in place.kernels} == {place.home / ".cache" / "hinge" / "kernels"}
    assert place.run() == [first, LOADED]
    elsewhere = place.folder / "elsewhere"
    assert place.run(XDG_CACHE_HOME=str(elsewhere)) == [first, COMPILED]
    assert list((elsewhere / "hinge" / "kernels").iterdir())


def test_an_image_warmed_by_one_user_serves_the_others(place: Place) -> None:
    place.run()
    assert place.kernels
    assert {stat.S_IMODE(path.stat().st_mode) & 0o444 for path in place.kernels} == {0o444}


def test_the_cache_folder_of_numba_is_respected(place: Place) -> None:
    chosen = place.folder / "chosen"
    first, _ = place.run(NUMBA_CACHE_DIR=str(chosen))
    assert list((chosen / "hinge").iterdir())
    assert not place.kernels
    assert place.run(NUMBA_CACHE_DIR=str(chosen)) == [first, LOADED]


def test_processes_that_start_cold_together_do_not_disturb_each_other(place: Place) -> None:
    together = [place.start() for _ in range(4)]
    results = {process.communicate()[0].splitlines()[0] for process in together}
    assert [process.returncode for process in together] == [0] * 4
    assert results == {place.run(NUMBA_DISABLE_JIT="1")[0]}
    assert {path.suffix for path in place.kernels} == {".kernel"}
    assert place.run()[1] == LOADED


WORKERS = """
import multiprocessing
import rules

if __name__ == "__main__":
    calls = [(rules.Rule(C), 5) for C in (1.0, 2.0, 3.0)]
    expected = [rules.run(*call) for call in calls]
    with multiprocessing.get_context("METHOD").Pool(2) as pool:
        assert pool.starmap(rules.run, calls) == expected
"""


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_workers_run_compiled_functions_on_native_classes(place: Place, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {method}")
    place.run(WORKERS.replace("METHOD", method))


# -------------------------------------------------------------------------------- damaged and foreign files


@native
class Doubled(NamedTuple):
    """A rule to test with."""

    C: float = 1.0

    def tau(self, loss: float, sq_norm: float, weight: float) -> float:
        return 2 * self.C * loss


@compiled
def kernel(rule: Any, loss: float) -> float:
    return rule.tau(loss, 1.0, 1.0)


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pathlib.Path]:
    """A cache folder with one kernel in it."""
    monkeypatch.setattr(jit_cache.config, "CACHE_DIR", str(tmp_path))
    assert run_anew() == COMPILED
    assert run_anew() == LOADED
    yield tmp_path / "hinge"
    assert run_anew() == LOADED  # whatever was there has been replaced


def run_anew() -> str:
    """Run the kernel as a process that has compiled nothing yet would; how it was come by."""
    dispatcher = jit.dispatcher(kernel)
    assert dispatcher(Doubled(3.0), 0.5) == 3.0
    return f"{sum(dispatcher.stats.cache_hits.values())} {sum(dispatcher.stats.cache_misses.values())}"


def only_file(folder: pathlib.Path) -> pathlib.Path:
    (file,) = folder.iterdir()
    return file


def flip(content: bytes, where: int) -> bytes:
    return content[:where] + bytes([content[where] ^ 1]) + content[where + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:20],
        lambda content: content[:-1],
        lambda content: content[: len(content) // 2],
        lambda content: content + b"more",
        lambda content: flip(content, 3),
        lambda content: flip(content, len(content) // 2),
        lambda content: flip(content, len(content) - 1),
        lambda content: b"\0" * len(content),
    ],
    ids=["empty", "no digest", "one byte less", "half", "more", "digest", "middle", "last byte", "zeros"],
)
def test_a_damaged_file_is_compiled_anew(folder: pathlib.Path, damage: Callable[[bytes], bytes]) -> None:
    file = only_file(folder)
    file.write_bytes(damage(file.read_bytes()))
    assert run_anew() == COMPILED


def test_a_file_under_a_wrong_name_is_not_run(folder: pathlib.Path) -> None:
    file = only_file(folder)
    other = jit.dispatcher(compiled(lambda rule, loss: rule.tau(loss, 1.0, 1.0) + 1))
    assert other(Doubled(3.0), 0.5) == 4.0
    (its_file,) = set(folder.iterdir()) - {file}
    file.write_bytes(its_file.read_bytes())
    assert run_anew() == COMPILED


class Attack:
    """What leaves a trace where it is unpickled."""

    def __reduce__(self) -> Any:
        return pathlib.Path.touch, (pathlib.Path("trace"),)


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("mode", [0o666, 0o664, 0o646])
def test_a_file_that_others_may_write_is_not_opened(
    folder: pathlib.Path, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    file = only_file(folder)
    jit_cache._write_sealed(file, jit_cache.pickle.dumps(Attack()))
    file.chmod(mode)
    assert run_anew() == COMPILED
    assert not pathlib.Path("trace").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away")
def test_a_strangers_file_is_not_opened(folder: pathlib.Path) -> None:
    os.chown(only_file(folder), 12345, 12345)
    assert run_anew() == COMPILED


def test_a_failed_write_leaves_nothing_behind(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(jit_cache.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(jit_cache.os, "replace", full)
    assert run_anew() == COMPILED
    assert list((tmp_path / "hinge").iterdir()) == []


def test_a_kernel_compiled_after_its_rules_globals_changed_is_not_kept(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit_cache.config, "CACHE_DIR", str(tmp_path))
    source = (
        "FACTOR = 2\n@native\nclass Changed(NamedTuple):\n    C: float = 1.0\n"
        "    def tau(self, loss, sq_norm, weight):\n        return FACTOR * self.C * loss\n"
    )
    content: dict[str, Any] = {"__name__": "changed", "native": native, "NamedTuple": NamedTuple}
    exec(source, content)
    its_type = jit.type_of(content["Changed"]())
    content["FACTOR"] = 3
    jit.dispatcher(kernel).compile((its_type, jit.types.float64))
    assert not (tmp_path / "hinge").exists()
