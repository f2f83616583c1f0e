"""Probes of engines: small examinations that say where an engine breaks its protocol, or a habit of its clients.

Open ``finding.py`` first: it has the vocabulary, and the decorator by which a function becomes a probe.
"""
