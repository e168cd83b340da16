"""What is released, built once a session: an sdist, the wheel that is built from it, and environments that have it.

Nothing is fetched: the environments take the packages that they may have from the one that runs the tests.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import venv
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Release:
    """The sdist, the folder that it unpacks to, and the wheel."""

    sdist: Path
    unpacked: Path
    wheel: Path


def build(source: Path, target: str, out: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(out)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (found,) = out.iterdir()
    return found


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """As ``python -m build`` does it: the wheel comes from the sdist, not from the checkout."""
    home = tmp_path_factory.mktemp("release")
    sdist = build(ROOT, "sdist", home / "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(home / "unpacked", filter="data")
    (unpacked,) = (home / "unpacked").iterdir()
    return Release(sdist, unpacked, build(unpacked, "wheel", home / "wheel"))


def needed(names: list[str], extras: frozenset[str]) -> set[str]:
    """The distributions behind requirements, their own included, as they are installed here."""
    found: set[str] = set()
    for requirement in names:
        name, marker = re.match(r"([\w.-]+)[^;]*;?(.*)", requirement).groups()
        wanted = re.findall(r"extra == ['\"]([\w-]+)['\"]", marker)
        if name in found or (wanted and not extras & set(wanted)) or "python_version" in marker:
            continue
        found |= {name, *needed(metadata.requires(name) or [], frozenset())}
    return found


def environment(home: Path, release: Release, extras: frozenset[str]) -> Path:
    """An environment with the wheel, what it requires, and what some of its extras require; its Python."""
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    install = ["--no-deps", "--no-index", "--quiet", "--disable-pip-version-check", str(release.wheel)]
    subprocess.run([sys.executable, "-m", "pip", "--python", str(python), "install", *install], check=True)
    (site,) = home.glob("lib/python*/site-packages")
    (info,) = site.glob("refrelax-*.dist-info")
    requires = metadata.Distribution.at(info).requires or []
    for name in needed(requires, extras):
        distribution = metadata.distribution(name)
        for top in {file.parts[0] for file in distribution.files or () if file.parts[0] != ".."}:
            if not (site / top).exists():
                (site / top).symlink_to(Path(str(distribution.locate_file(top))))
    return python


@pytest.fixture(scope="session")
def bare(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment without extras."""
    return environment(tmp_path_factory.mktemp("bare"), release, frozenset())


@pytest.fixture(scope="session")
def full(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the extras that need no other hardware or program."""
    return environment(tmp_path_factory.mktemp("full"), release, frozenset({"solver", "certify", "numpy", "testing"}))
