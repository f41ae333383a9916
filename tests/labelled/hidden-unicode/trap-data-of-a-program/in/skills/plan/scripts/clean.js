const blanks = ["​", "­", "﻿"]
