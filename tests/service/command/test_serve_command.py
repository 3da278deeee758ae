"""`dominohall serve`: its flags are the settings, and it refuses to start without keys."""

import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

from dominohall_service.settings import Settings, default_text, flag
from typer.testing import Result

Run = Callable[..., Result]


def test_every_setting_has_its_flag(run: Run) -> None:
    """The help of `serve` has a flag for each setting with its sentence and its default, and no other but --check."""
    text = re.sub(r"\s+", " ", run("serve", "--help").stdout)
    for each in fields(Settings):
        assert f"{flag(each.name)} " in text
        assert f"{each.metadata['description']} [{default_text(each)}]" in text
    named = set(re.findall(r"--[a-z][a-z-]+", text)) - {"--help", "--check"}
    expected = {flag(each.name) for each in fields(Settings)}
    assert {each for each in named if not each.startswith("--no-")} == expected


def test_it_does_not_start_without_keys(run: Run) -> None:
    """Without a keyring the service says how to make one, and ends with exit code 2."""
    assert run("serve", "--port", "0").exit_code == 2
    assert not list(Path().iterdir())


def test_unusable_settings_exit_2(run: Run) -> None:
    """A setting out of range, two that clash and a variable that sets nothing are refused before anything starts."""
    assert "port" in run("serve", "--port", "70000").stderr
    assert run("serve", "--insecure-dev-keys", "--keyring", "keyring.json").exit_code == 2
    assert run("serve", env={"DOMINOHALL_WORKERS": "many"}).exit_code == 2
    assert "DOMINOHALL_PROT" in run("serve", env={"DOMINOHALL_PROT": "1"}).stderr


def test_a_flag_wins_over_the_environment(run: Run) -> None:
    """With both given, the flag is what counts: here it is the one that is out of range."""
    result = run("serve", "--workers", "0", env={"DOMINOHALL_WORKERS": "4"})
    assert (result.exit_code, "got 0" in result.stderr) == (2, True)
