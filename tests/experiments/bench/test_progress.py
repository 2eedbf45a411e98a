from experiments.bench.progress import ProgressLines


def lines(capsys, reports):
    """Report (second, task, done) of 100 each; return what was printed."""
    now = [0.0]
    progress = ProgressLines(clock=lambda: now[0])
    for second, task, done in reports:
        now[0] = second
        progress(task, done, 100)
    return capsys.readouterr().err.splitlines()


def test_a_line_every_ten_seconds_with_the_time_left(capsys):
    printed = lines(
        capsys, [(0, "asking", 0), (5, "asking", 5), (10, "asking", 10), (12, "asking", 12), (20, "asking", 40)]
    )

    assert printed == ["asking 10/100, 2 min left", "asking 40/100, 30 s left"]


def test_what_was_done_before_counts_as_no_speed(capsys):
    assert lines(capsys, [(0, "asking", 80), (10, "asking", 90)]) == ["asking 90/100, 10 s left"]


def test_quick_tasks_say_nothing_and_slow_ones_say_their_end(capsys):
    assert lines(capsys, [(0, "quick", 1), (1, "quick", 100)]) == []
    assert lines(capsys, [(0, "slow", 1), (11, "slow", 50), (15, "slow", 100)])[-1] == "slow 100/100"


def test_another_task_starts_its_own_clock(capsys):
    assert lines(capsys, [(0, "one", 1), (9, "two", 1), (12, "two", 50)]) == []
