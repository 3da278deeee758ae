"""The chart, rendered by the Helm SDK itself: no cluster, no helm binary."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import helm_python
import pytest
import yaml

CHART = Path(__file__).parents[2] / "helm" / "dominohall"
Values = dict[str, Any]
Manifest = dict[str, Any]


@pytest.fixture(scope="session")
def render() -> Callable[[Values], list[Manifest]]:
    """Return a function that gives the objects of a release named `tables` in the namespace `games`."""

    def rendered(values: Values) -> list[Manifest]:
        with helm_python.Chart.load(CHART) as loaded:
            loaded.validate_schema(values)
            files = loaded.render(values, name="tables", namespace="games")
        texts = [text for name, text in sorted(files.items()) if name.endswith(".yaml")]
        return [manifest for text in texts for manifest in yaml.safe_load_all(text) if manifest]

    return rendered
