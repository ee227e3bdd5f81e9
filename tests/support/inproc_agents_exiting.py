"""An agent's module that ends the process, were it let."""

import sys

sys.exit(3)
