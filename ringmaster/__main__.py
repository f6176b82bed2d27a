"""`python -m ringmaster`: the same as the command `ringmaster`."""

import sys

from referee.start import main

sys.exit(main())
