"""Checks what scripts/packages packed: every module with its types, the licence, and nothing else.

    python tests/python/packed.py FOLDER
"""

import pathlib
import sys
import tarfile
import zipfile

CLIENTS = pathlib.Path(__file__).resolve().parents[2] / "clients"


def one(folder, pattern):
    found = list(folder.glob(pattern))
    assert len(found) == 1, f"{pattern}: {found}"
    return found[0]


def compare(name, expected, found):
    missing, more = expected - found, found - expected
    assert not missing and not more, f"{name}: missing {sorted(missing)}, not expected {sorted(more)}"
    return f"{name} {len(found)}"


def main():
    folder = pathlib.Path(sys.argv[1])
    sources = CLIENTS / "python/src"
    modules = {str(path.relative_to(sources)) for path in sources.rglob("*") if path.suffix in {".py", ".typed"}}
    wheel = one(folder, "*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    info = f"{'-'.join(wheel.name.split('-')[:2])}.dist-info"
    meta = {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "licenses/LICENSE")}
    counts = [compare(wheel.name, modules | meta, names)]

    sdist = one(folder, "annals_memory-*.tar.gz")
    names = {name.split("/", 1)[1] for name in tarfile.open(sdist).getnames()}
    more = {"README.md", "LICENSE", "PKG-INFO", "pyproject.toml"}
    counts.append(compare(sdist.name, {f"src/{name}" for name in modules} | more, names - {".gitignore"}))

    tarball = one(folder, "annals-memory-*.tgz")
    names = {name.removeprefix("package/") for name in tarfile.open(tarball).getnames()}
    stems = {path.stem for path in (CLIENTS / "typescript/src").glob("*.ts")}
    built = {f"dist/{stem}{end}" for stem in stems for end in (".js", ".d.ts")}
    counts.append(compare(tarball.name, built | {"README.md", "LICENSE", "package.json"}, names))
    print(f"files: {', '.join(counts)}")


if __name__ == "__main__":
    main()
