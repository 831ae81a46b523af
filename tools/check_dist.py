"""Install the wheel in ``dist`` into clean environments, one for each extra, and use what the extra is for.

``python tools/check_dist.py [EXTRA ...]``; all of them unless named. ``none`` is the wheel without extras.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).parent.parent
CAMPAIGN = (
    "import thresher as th; c = th.Campaign.create('{}', 'coins', arms=['a', 'b'], threshold=0.5, budget=4); "
    "t = c.ask(); c.tell(t, True); print(c.verdicts().summary)"
)
#: What each extra is for, as a Python program that needs it.
SMOKE = {
    "none": CAMPAIGN.format("sqlite:///coins.db"),
    "plots": "import thresher as th; p = th.Problem.gaussian([0.5, -0.5], thresholds=0.0, sigma=1.0); "
    "th.simulate(p, ['stopping'], budgets=[10, 20], runs=5).plot('picture.png'); print('picture.png')",
    "dask": "from thresher.problem import named; import thresher as th\n"
    "if __name__ == '__main__': print(th.simulate(named('linear'), 'lsa', budgets=[60], runs=5, executor='dask'))",
    "postgres": "import thresher.campaign.storage.postgres, psycopg_pool; print('psycopg', psycopg_pool.__version__)",
    "pytest": "import pathlib, pytest; pathlib.Path('test_one.py').write_text('def test_one():\\n    assert True\\n'); "
    "assert pytest.main(['-q', '-p', 'no:cacheprovider', 'test_one.py']) == 0",
    "parquet": "import pyarrow.parquet; from thresher.run.importers import read_log; print(read_log.__name__)",
    "client": "import thresher.campaign.service_client as client; print(client.__name__)",
    "service": "from thresher.dashboard import create_app; from thresher.service import Settings; "
    "print(create_app('memory://', Settings()).title)",
}


def check(wheel: Path, extra: str) -> None:
    """Install the wheel with an extra into a new environment and run its program there."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        subprocess.run([sys.executable, "-m", "venv", place / "env"], check=True)  # noqa: S603
        python = place / "env" / "bin" / "python"
        wanted = str(wheel) if extra == "none" else f"{wheel}[{extra}]"
        install: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted]
        subprocess.run(install, check=True, cwd=place)  # noqa: S603
        (place / "smoke.py").write_text(SMOKE[extra] + "\n", encoding="utf-8")
        subprocess.run([python, "-P", "smoke.py"], check=True, cwd=place)  # noqa: S603
        subprocess.run([place / "env" / "bin" / "thresher", "--version"], check=True, cwd=place)  # noqa: S603


def main() -> None:
    """Check the extras that are named, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("extras", nargs="*", metavar="EXTRA", help=f"of {', '.join(SMOKE)}")
    asked = parser.parse_args().extras or list(SMOKE)
    (wheel,) = (CHECKOUT / "dist").glob("thresher_bandits-*.whl")
    for extra in asked:
        print(f"{extra}:", flush=True)
        check(wheel, extra)
    print(f"{wheel.name} works with: {', '.join(asked)}")


if __name__ == "__main__":
    main()
