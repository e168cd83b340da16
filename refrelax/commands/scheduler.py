"""The tasks of a campaign on Dask: ``--scheduler ADDRESS``. Whoever joins or leaves, the findings are the same.

Each worker needs refrelax and what its implementation needs (``REFRELAX_TVM_PYTHON``). A worker does one task at a time
whatever its threads, since an implementation is a process that answers in order; ``dask worker --nthreads 1`` wastes
none. A task whose worker died is given to another by Dask; one that takes several workers with it is a fault.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from typing import Any

from refrelax.errors import InternalError, UsageError
from refrelax.extras import optional

MOST_DEATHS = 5
"""How often a task may end with its worker before it is called a fault."""

CARRIED = ("MALLOC_PERTURB_",)
"""Variables of the environment that mean the same everywhere."""

_ONE_AT_A_TIME = threading.Lock()


def there(environment: Mapping[str, str], work: Callable[..., Any], *args: Any) -> Any:
    """A task, on a worker."""
    with _ONE_AT_A_TIME:
        for name, value in environment.items():
            os.environ.setdefault(name, value)
        return work(*args)


class Scheduler:
    """``submit`` as of ``pool.Pool``, on the workers of a Dask scheduler.

    Raises:
        ModuleNotFoundError: Dask is not installed.
        UsageError: nobody answers at the address.
    """

    def __init__(self, address: str, seconds: float = 10.0) -> None:
        with optional("--scheduler"):
            from distributed import Client
        try:
            self.client = Client(address, timeout=seconds, set_as_default=False)
        except (OSError, ValueError, ImportError) as error:
            said = " ".join(str(error).split())[:200]
            raise UsageError(f"--scheduler {address}: no scheduler answers there: {said}") from None
        self.environment = {name: os.environ[name] for name in CARRIED if name in os.environ}

    @property
    def ahead(self) -> int:
        """How many tasks keep the workers busy that are there now, and one more."""
        return max(1, len(self.client.scheduler_info(n_workers=-1)["workers"])) + 1

    def submit(self, work: Callable[..., Any], *args: Any) -> Callable[[], Any]:
        """Start ``work(*args)``."""
        future = self._start(work, args)

        def result() -> Any:
            nonlocal future
            from distributed import CancelledError, KilledWorker

            for _ in range(MOST_DEATHS):
                try:
                    return future.result()
                except (KilledWorker, CancelledError):
                    future = self._start(work, args)
            raise InternalError(f"{MOST_DEATHS} times workers died over {args[1:]!r}")

        return result

    def _start(self, work: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        return self.client.submit(there, self.environment, work, *args, pure=False)

    def close(self) -> None:
        """Leave the scheduler; its workers go on."""
        self.client.close()
