"""Self-play on the workers of a Ray cluster. ``generate.py`` has the driver's part, ``work.py`` that of a worker.

``chunks.py`` keeps what workers deliver; ``connection.py`` finds or starts the cluster.
"""
