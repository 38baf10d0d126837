"""Ensembles as a graph: their steps, the models behind these, and the tensors between them.

What the core checks of an ensemble, read once a model: `flow` by its own text alone (`BuildEnsembleGraph`), `edges`
with the configurations of its parts (`ensemble_utils.cc`), `streams` for decoupled parts, `places` for which model a
step means and for ensembles in a circle. Knows no rules and no wording.
"""

from tritoncheck.ensembles.ensemble import Ensemble, Step
from tritoncheck.ensembles.part import Part
from tritoncheck.ensembles.places import Index

__all__ = ["Ensemble", "Index", "Part", "Step"]
