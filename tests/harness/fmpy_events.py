"""Impacts of the bouncing balls as FMPy sees them, against the closed form.

fmpy_events.py FOLDER: where bouncing_balls_fmi2.fmu and bouncing_balls_fmi3.fmu are. Exits with 77
where there is no FMPy.
"""
import math
import sys

try:
    from fmpy import read_model_description, simulate_fmu
except ImportError:
    print("skipped: there is no FMPy")
    sys.exit(77)

FALL, E, ACCURACY = math.sqrt(2 / 9.81), 0.8, 1e-9


def expected():
    t = FALL
    for k in range(1, 21):
        yield t
        t += 2 * E**k * FALL


def compare(what, times):
    found = list(times)
    if len(found) != 20:
        sys.exit(f"{what}: {len(found)} impacts instead of 20")
    worst = max(abs(a - b) for a, b in zip(found, expected()))
    print(f"{what}: 20 impacts, worst error {worst:.2e} s")
    if not worst < ACCURACY:
        sys.exit(f"{what}: more than {ACCURACY} s off")


def changes(result):
    """Values of `last` when `hits` changes."""
    hits = 0
    for row in result:
        if row["hits"] != hits:
            hits = row["hits"]
            yield row["last"]


def jumps(result):
    """Times of rows that stand for the left and the right limit."""
    for before, after in zip(result, result[1:]):
        if after["hits"] != before["hits"]:
            if after["time"] != before["time"] or before["vy"] > 0 or after["vy"] < 0:
                sys.exit("hits changed outside of event mode")
            yield after["time"]


folder = sys.argv[1]
common = dict(stop_time=4.015, output_interval=0.005, output=["y", "vy", "hits", "last"])
for version in (2, 3):
    fmu = f"{folder}/bouncing_balls_fmi{version}.fmu"
    read_model_description(fmu)
    result = simulate_fmu(fmu, fmi_type="CoSimulation", **common)
    compare(f"FMI {version}.0 co-simulation", changes(result))
result = simulate_fmu(fmu, fmi_type="CoSimulation", use_event_mode=True, early_return_allowed=True,
                      record_events=True, **common)
compare("FMI 3.0 event mode with early return", jumps(result))
result = simulate_fmu(fmu, fmi_type="CoSimulation", use_event_mode=True, **common)
compare("FMI 3.0 event mode", changes(result))
# Clocks change nothing for who does not look at them.
clocks = f"{folder}/bouncing_balls_clocks.fmu"
names = [v.name for v in read_model_description(clocks).modelVariables if v.type == "Clock"]
if sorted(names) != ["end.clock", "floor_a.clock", "floor_b.clock", "impact.clock", "impact_b.clock"]:
    sys.exit(f"clocks: {names}")
result = simulate_fmu(clocks, fmi_type="CoSimulation", use_event_mode=True, early_return_allowed=True,
                      record_events=True, **common)
compare("FMI 3.0 with clocks", jumps(result))
# CVode integrates between impacts and finds them; each restart begins with first order.
for version in (2, 3):
    result = simulate_fmu(f"{folder}/bouncing_balls_fmi{version}.fmu", fmi_type="ModelExchange",
                          relative_tolerance=1e-13, record_events=True, **common)
    compare(f"FMI {version}.0 model exchange", changes(result))
