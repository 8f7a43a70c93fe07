#!/usr/bin/env python3
"""Simulates every FMU in a folder with importers that share no code with ours, in a process each,
and compares their outputs with those of 'mbsfmu simulate': simulate_with_others.py FOLDER MBSFMU

The importers are Ecos (FMI 2.0 and 3.0) and libcosim (2.0), Python packages 'ecospy' and
'libcosimpy'; one that is absent is left out with a message."""

import csv
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
import zipfile

STEP = 0.001
STEPS = 50
# Both sides make the same steps but for the last bits of their times.
TOLERANCE = 1e-9


class Description:
    """What a comparison needs of modelDescription.xml: the version and the scalar real outputs."""

    def __init__(self, fmu):
        root = xml.fromstring(zipfile.ZipFile(fmu).read("modelDescription.xml"))
        self.version = int(root.get("fmiVersion").split(".")[0])
        self.outputs = {}  # name: value reference
        for variable in root.find("ModelVariables"):
            real = variable.tag == "Float64" or variable.find("Real") is not None
            if real and variable.get("causality") == "output" and not len(variable.findall("Dimension")):
                self.outputs[variable.get("name")] = int(variable.get("valueReference"))


def with_ecos(fmu, description):
    from ecospy import EcosSimulation, EcosSimulationStructure

    with EcosSimulationStructure() as structure:
        structure.add_model("fmu", str(fmu))
        with EcosSimulation(structure=structure, step_size=STEP) as simulation:
            simulation.init()
            simulation.step(STEPS)
            return {name: simulation.get_real(f"fmu::{name}") for name in description.outputs}


def with_libcosim(fmu, description):
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    nanoseconds = round(STEP * 1e9)
    execution = CosimExecution.from_step_size(step_size=nanoseconds)
    slave = execution.add_local_slave(local_slave=CosimLocalSlave(fmu_path=str(fmu), instance_name="fmu"))
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer)
    if not execution.simulate_until(target_time=STEPS * nanoseconds):
        raise RuntimeError("simulate_until failed")
    references = list(description.outputs.values())
    values = observer.last_real_values(slave_index=slave, variable_references=references)
    return dict(zip(description.outputs, values))


IMPORTERS = {"ecospy": (with_ecos, (2, 3)), "libcosimpy": (with_libcosim, (2,))}


def with_ours(fmu, mbsfmu):
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder, "ours.csv")
        command = [mbsfmu, "simulate", str(fmu), "--step", str(STEP), "--stop", str(STEP * STEPS)]
        subprocess.run(command + ["--si", "-q", "-o", str(table)], check=True)
        with open(table, newline="") as text:
            rows = list(csv.reader(text))
    return {re.sub(r" \[[^\]]*\]$", "", name): float(value) for name, value in zip(rows[0], rows[-1])}


def one(importer, fmu, mbsfmu):
    """The child: answers with the largest difference, 0 when all agree."""
    description = Description(fmu)
    ours = with_ours(fmu, mbsfmu)
    theirs = IMPORTERS[importer][0](fmu, description)
    if not theirs:
        print("no outputs to compare")
        return 1
    bad = 0
    for name, value in theirs.items():
        difference = abs(value - ours[name]) / (1 + abs(ours[name]))
        if not difference <= TOLERANCE:
            print(f"{name}: {value!r}, ours {ours[name]!r}")
            bad += 1
    print(f"{len(theirs)} outputs agree after {STEPS} steps of {STEP} s" if not bad else f"{bad} outputs differ")
    return 1 if bad else 0


def main():
    if sys.argv[1] in IMPORTERS:
        return one(sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3])
    fmus, mbsfmu = sorted(pathlib.Path(sys.argv[1]).glob("*.fmu")), sys.argv[2]
    if not fmus:
        print(f"no FMUs in {sys.argv[1]}")
        return 1
    failed = 0
    for importer, (_, versions) in IMPORTERS.items():
        found = importlib.util.find_spec(importer) is not None
        # Installed is not loadable: their shared libraries need others.
        loaded = found and subprocess.run([sys.executable, "-c", f"import {importer}"], capture_output=True)
        if not found or loaded.returncode:
            print(f"{importer}: not run, it {'cannot be loaded' if found else 'is not installed'}")
            continue
        for fmu in fmus:
            if Description(fmu).version not in versions:
                continue
            child = subprocess.run(
                [sys.executable, __file__, importer, str(fmu), mbsfmu], capture_output=True, text=True, timeout=300
            )
            said = (child.stdout.strip().splitlines() or ["nothing"])[-1]
            print(f"{importer}: {fmu.name}: {said if not child.returncode else 'FAILED'}")
            if child.returncode:
                print(child.stdout + child.stderr)
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
