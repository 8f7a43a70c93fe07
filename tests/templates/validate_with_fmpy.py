#!/usr/bin/env python3
"""Validates and simulates every FMU in a folder with FMPy: validate_with_fmpy.py FOLDER"""

import pathlib
import sys

import fmpy
import numpy
from fmpy.validation import validate_fmu


def main() -> int:
    fmus = sorted(pathlib.Path(sys.argv[1]).glob("*.fmu"))
    if not fmus:
        print(f"no FMUs in {sys.argv[1]}")
        return 1
    bad = 0
    for fmu in fmus:
        problems = validate_fmu(str(fmu))
        for problem in problems:
            print(f"{fmu.name}: {problem}")
        result = fmpy.simulate_fmu(str(fmu), validate=False)
        rows = len(result)
        finite = all((abs(numpy.asarray(value, float)) < 1e30).all() for value in result[-1])
        if problems or rows < 2 or not finite:
            bad += 1
        else:
            print(f"{fmu.name}: No problems found; simulated, {rows} points")
    print(f"{len(fmus) - bad} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
