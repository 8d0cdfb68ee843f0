"""How launches are measured, by a queue whose clock is counted."""

import time

import pytest

from lazyarr.runtime import timing
from lazyarr.runtime.timing import measure, measure_in_a_row


class Clock:
    """A device that takes as long as it is told for each launch, and for the host's wait at the end."""

    def __init__(self, monkeypatch, launch: float, wait: float):
        self.now, self.pending, self.launches, self.rows = 0.0, 0, 0, 0
        self.seconds, self.wait = launch, wait
        monkeypatch.setattr(timing.time, "perf_counter", lambda: self.now)

    def launch(self):
        self.pending += 1
        self.launches += 1

    def finish(self):
        if self.pending:
            self.now += self.pending * self.seconds + self.wait
            self.rows += 1
        self.pending = 0


@pytest.mark.parametrize(
    ("seconds", "wait", "most"), [(20e-6, 20e-6, 21e-6), (2e-3, 20e-6, 2.1e-3), (1e-6, 20e-6, 1.5e-6)]
)
def test_the_wait_is_shared_by_the_launches_of_a_row(monkeypatch, seconds, wait, most):
    clock = Clock(monkeypatch, seconds, wait)
    found = measure_in_a_row(clock, clock.launch, 0.1, 3, 20)
    assert seconds <= found.minimum <= found.median <= most
    assert found.repetitions == clock.rows - 3  # to warm up, and to see how long a row should be
    assert found.clock == "host"


def test_long_launches_are_measured_as_often_as_asked(monkeypatch):
    clock = Clock(monkeypatch, 0.5, 0.0)
    assert measure_in_a_row(clock, clock.launch, 0.1, 2, 20).repetitions == 2
    assert clock.launches == 2  # none to warm up


@pytest.mark.parametrize(("seconds", "least", "launches"), [(0.5, 1, 1), (0.5, 3, 3), (0.04, 1, 3), (0.04, 3, 4)])
def test_a_launch_that_takes_the_budget_needs_none_to_warm_up(monkeypatch, seconds, least, launches):
    clock = Clock(monkeypatch, seconds, 0.0)

    class Ended:
        @staticmethod
        def wait():
            clock.finish()

    def launch():
        clock.launch()
        return [Ended]

    found = measure(clock, launch, 0.1, least, 20, clock="host")
    assert found.median == pytest.approx(seconds)
    assert clock.launches == launches
    assert found.repetitions == launches - (seconds < 0.1)


def test_a_launch_on_a_device(device):
    buffer = device.allocate(400)
    program = device.build("__kernel void fill(__global int *a) { a[get_global_id(0)] = 3; }")
    kernel = program.kernel("fill", ["buffer"])
    before = time.perf_counter()
    found = device.time_in_a_row(lambda: kernel.launch((100,), None, [buffer]), 0.01, 3, 50)
    assert 0 < found.minimum <= float(found) < time.perf_counter() - before
