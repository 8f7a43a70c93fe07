"""A resizable FMU and its arrays through FMPy: made with N = 8 and resized to 32 it gives the bits
of the one made with 32.

fmpy_arrays.py FOLDER: where resizable_chain_fmi3.fmu and resizable_chain_32_fmi3.fmu are. Exits with
77 where there is no FMPy.
"""
import shutil
import sys

try:
    from fmpy import extract, read_model_description
    from fmpy.fmi3 import FMU3Slave
    from fmpy.validation import validate_fmu
except ImportError:
    print("skipped: there is no FMPy")
    sys.exit(77)


def run(file, size=None):
    problems = validate_fmu(file)
    if problems:
        sys.exit(f"{file}: {problems}")
    description = read_model_description(file)
    reference = {v.name: v.valueReference for v in description.modelVariables}
    folder = extract(file)
    fmu = FMU3Slave(
        guid=description.guid,
        unzipDirectory=folder,
        modelIdentifier=description.coSimulation.modelIdentifier,
        instanceName="chain",
    )
    fmu.instantiate()
    if size is not None:
        fmu.enterConfigurationMode()
        fmu.setUInt64([reference["N"]], [size])
        fmu.exitConfigurationMode()
    count = fmu.getUInt64([reference["N"]], 1)[0]
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    results = []
    for i in range(20):
        fmu.doStep(i * 0.05, 0.05)
        results.append(
            list(fmu.getFloat64([reference["phi"]], count))
            + list(fmu.getFloat64([reference["R"]], 2 * count))
            + list(fmu.getFloat64([reference["end"]], 2))
        )
    fmu.terminate()
    fmu.freeInstance()
    shutil.rmtree(folder)
    return results


folder = sys.argv[1]
made = run(f"{folder}/resizable_chain_32_fmi3.fmu")
if len(made[0]) != 98:
    sys.exit(f"{len(made[0])} values instead of 98")
if run(f"{folder}/resizable_chain_fmi3.fmu", 32) != made:
    sys.exit("the resized FMU gives other values than the one of that size")
if run(f"{folder}/resizable_chain_fmi3.fmu") == made:
    sys.exit("the size changes nothing")
print("resized to 32: the same 20 x 98 values to the bit")
