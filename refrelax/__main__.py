"""``python -m refrelax``."""

import sys

from refrelax.cli import main

sys.exit(main())
