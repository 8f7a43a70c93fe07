#!/usr/bin/env python3
"""Couples the three FMUs of the quarter car with FMPy and compares with the one model:
couple_with_fmpy.py FOLDER"""

import pathlib
import shutil
import sys

import fmpy
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave

STOP = 2.0
BOUND = {0.0005: 4e-4, 0.00025: 1.5e-4}


class Part:
    def __init__(self, fmu):
        description = fmpy.read_model_description(str(fmu))
        self.folder = fmpy.extract(str(fmu))
        self.references = {v.name: v.valueReference for v in description.modelVariables}
        self.fmi3 = description.fmiVersion.startswith("3")
        kind = FMU3Slave if self.fmi3 else FMU2Slave
        self.fmu = kind(
            guid=description.guid,
            unzipDirectory=self.folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName=fmu.stem,
        )
        self.fmu.instantiate()
        if self.fmi3:
            self.fmu.enterInitializationMode(startTime=0.0, stopTime=STOP)
        else:
            self.fmu.setupExperiment(startTime=0.0, stopTime=STOP)
            self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def get(self, name):
        read = self.fmu.getFloat64 if self.fmi3 else self.fmu.getReal
        return read([self.references[name]])[0]

    def set(self, name, value):
        write = self.fmu.setFloat64 if self.fmi3 else self.fmu.setReal
        write([self.references[name]], [value])

    def step(self, t, h):
        self.fmu.doStep(currentCommunicationPoint=t, communicationStepSize=h)

    def close(self):
        self.fmu.terminate()
        self.fmu.freeInstance()
        shutil.rmtree(self.folder, ignore_errors=True)


def heights_of_one(fmu, step):
    car = Part(fmu)
    steps = round(STOP / step)
    heights = []
    for k in range(steps):
        car.step(k * step, step)
        heights.append(car.get("y_body"))
    car.close()
    return heights


def heights_of_three(folder, version, step):
    controller, actuator, vehicle = (
        Part(folder / f"quarter_car_{name}_fmi{version}.fmu") for name in ("controller", "actuator", "vehicle")
    )
    heights = []
    for k in range(round(STOP / step)):
        controller.set("y", vehicle.get("y"))
        controller.set("yd", vehicle.get("yd"))
        controller.step(k * step, step)
        actuator.set("command", controller.get("command"))
        actuator.set("stroke", vehicle.get("stroke"))
        actuator.set("rate", vehicle.get("rate"))
        actuator.step(k * step, step)
        vehicle.set("F", actuator.get("F"))
        vehicle.step(k * step, step)
        heights.append(vehicle.get("y"))
    for part in (controller, actuator, vehicle):
        part.close()
    return heights


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    failed = 0
    for version in (2, 3):
        for step, bound in BOUND.items():
            one = heights_of_one(folder / f"quarter_car_fmi{version}.fmu", step)
            three = heights_of_three(folder, version, step)
            off = max(abs(a - b) for a, b in zip(one, three)) / max(map(abs, one))
            good = off < bound
            print(f"quarter car of three FMUs, FMI {version}, {step} s: off by {off:.2e}{'' if good else ': FAILED'}")
            failed += not good
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
