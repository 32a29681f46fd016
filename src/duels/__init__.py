"""Find the best of many things by asking: this one or that one?

>>> import duels
>>> catalogue = duels.Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], ["tea", "milk", "cola"])
>>> policy = duels.make_policy(catalogue, seed=1)
>>> for _ in range(5):
...     first, second = policy.ask()
...     policy.tell(winner=min(first, second), loser=max(first, second))
>>> catalogue.names[policy.favourite()]
'tea'
"""

from importlib.metadata import version

from duels.beliefs.cells import Cells, enumerate_cells
from duels.beliefs.fit_prior import fit_prior
from duels.beliefs.prior import Gaussian
from duels.bounds import count_cells
from duels.catalogue import Catalogue
from duels.duel import Duel, Pair
from duels.environments import environments, make_environment
from duels.errors import DuelsError
from duels.experiment import Curves, simulate
from duels.policies import make_policy, policies
from duels.policies.stopping import StoppingRule

__version__ = version("duels")

__all__ = [
    "Catalogue",
    "Cells",
    "Curves",
    "Duel",
    "DuelsError",
    "Gaussian",
    "Pair",
    "StoppingRule",
    "__version__",
    "count_cells",
    "enumerate_cells",
    "environments",
    "fit_prior",
    "make_environment",
    "make_policy",
    "policies",
    "simulate",
]
