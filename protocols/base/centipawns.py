"""Values as centipawns, the unit in which UCI and CECP report scores."""

from __future__ import annotations

import math


def centipawns(value: float) -> int:
    """Centipawns of ``value`` in [-1, 1] by the formula of Leela Chess Zero: 90 tan(1.5637541897 v), at most 12780 in
    size. A value that is not finite gives 0.
    """
    return round(90 * math.tan(1.5637541897 * max(-1.0, min(1.0, value)))) if math.isfinite(value) else 0
