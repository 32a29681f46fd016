"""A small belief that is exact for people of a list, and a policy on it, for tests of sessions."""

import numpy as np

import duels
from duels.beliefs.base import Belief, Draws, Person
from duels.choice import LOGIT, ChoiceModel
from duels.duel import Pair
from duels.kernels.stream import make_generator, make_stream, uniform
from duels.policies.base import Policy


class People(Belief):
    """One of n people is being asked; who answers by the logit model, each with a scale.

    ``restless`` beliefs use randomness of their own whenever they are told something, as beliefs
    that move draws do.
    """

    name = "people"

    def __init__(self, catalogue, *, n=400, seed=0, restless=False, clarity=2.0):
        rng = np.random.default_rng(seed)
        self.catalogue = catalogue
        self.thetas = rng.normal(size=(n, catalogue.n_features))
        self.utilities = self.thetas @ catalogue.features.T
        self.scale = clarity * np.exp(0.5 * rng.normal(size=n))
        self.weight = np.full(n, 1 / n)
        self.state = None
        self.restless = restless
        self.stream = make_stream(seed)

    def _multiply(self, likelihood):
        noise = 1 + 0.01 * uniform(self.stream) * np.arange(len(self.weight)) / len(self.weight)
        self.weight = self.weight * likelihood * (noise if self.restless else 1.0)
        self.weight /= self.weight.sum()

    def _chance(self, difference, rows=slice(None)):
        return 1 / (1 + np.exp(np.clip(-self.scale[rows, None] * difference, -700, 700)))

    def _wins(self, first, second):
        return self._chance(self.utilities[:, [first]] - self.utilities[:, [second]])[:, 0]

    def tell(self, winner, loser, weight=1.0):
        self._multiply(self._wins(winner, loser) ** weight)

    def tie(self, first, second, weight=1.0):
        p = self._wins(first, second)
        self._multiply((p * (1 - p)) ** (0.5 * weight))

    def probabilities(self):
        return np.bincount(self.utilities.argmax(axis=1), self.weight, len(self.catalogue))

    def mean_utilities(self):
        return self.weight @ self.utilities

    def expected_best(self):
        return float(self.weight @ self.utilities.max(axis=1))

    def spread(self):
        return float(self.weight @ self.utilities.std(axis=1))

    def agreement(self, winner, loser):
        ahead = np.sign(self.utilities[:, winner] - self.utilities[:, loser])
        return float(self.weight @ (0.5 + 0.5 * ahead))

    def draws(self, arms):
        return Draws(
            weight=self.weight,
            best=self.utilities.argmax(axis=1),
            top=self.utilities.max(axis=1),
            utility=self.utilities[:, arms],
            scale=self.scale,
            floor=np.zeros(len(self.weight)),
        )

    def draw(self, n, seed=None):
        rows = make_generator(seed).choice(len(self.weight), n, p=self.weight)
        return self.thetas[rows]

    def person(self, seed=None):
        row = make_generator(seed).choice(len(self.weight), p=self.weight)
        return Person(self.utilities[row], ChoiceModel(LOGIT, self.scale[row]))

    def theta(self):
        mean = self.weight @ self.thetas
        return mean, np.sqrt(self.weight @ (self.thetas - mean) ** 2)

    def reseed(self, sequence):
        self.stream[:] = make_stream(sequence)


class Likeliest(Policy):
    """Asks the likeliest arm against another one that is drawn by its probability."""

    name = "likeliest"
    summary = "for tests"

    def __init__(self, catalogue, *, seed=None, **settings):
        super().__init__(catalogue, seed=seed)
        self.belief = People(catalogue, **settings)

    def _next(self):
        probabilities = self.belief.probabilities()
        first = int(probabilities.argmax())
        others = np.delete(np.arange(len(self.catalogue)), first)
        places = np.cumsum(probabilities[others] + 1e-9)
        at = np.searchsorted(places, uniform(self.stream) * places[-1])
        return Pair(first, int(others[min(at, len(others) - 1)]))

    def _learn(self, winner, loser, weight):
        self.belief.tell(winner, loser, weight)

    def _learn_tie(self, first, second, weight):
        self.belief.tie(first, second, weight)

    def _recommend(self):
        return int(self.belief.probabilities().argmax())


class Restless(Likeliest):
    """The same, with a belief that uses randomness of its own."""

    def __init__(self, catalogue, *, seed=None):
        super().__init__(catalogue, seed=seed, restless=True)


class Insists(Policy):
    """A plain policy of a user's own without a belief: always the first pair, whatever is said."""

    name = "insists"
    summary = "for tests"

    def _next(self):
        return Pair(0, 1)

    def _learn(self, winner, loser, weight):
        pass

    def _recommend(self):
        return 0


class Sure(Insists):
    """One with probabilities, but no belief in utilities."""

    name = "sure"

    def probabilities(self):
        return np.eye(len(self.catalogue))[0]


POLICIES = [
    "ctb-1",
    "ctb-2",
    "ctb-2:ties=first",
    "ctb-3",
    "random",
    "rucb",
    "rucb:self_duels=true",
    "thompson",
    "ws-w",
    "least-regret:draws=40",
    "least-regret:choice=constant,arm_effects=0",
    Likeliest,
    Restless,
    Insists,
]


def wheel(n_arms=7):
    angles = np.linspace(0.1, 6.0, n_arms)
    return duels.Catalogue(np.column_stack([np.cos(angles), np.sin(angles)]))


def start(policy="ws-w", n_arms=7, seed=5, **settings):
    return duels.Session(wheel(n_arms), policy, seed=seed, **settings)


def best_of(pair):
    """Arm 3 is the best, the others in order of their distance to it."""
    return min(pair, key=lambda arm: abs(arm - 3) + 0.01 * arm)


def answer(session, question, **settings):
    session.answer(question.number, best_of(question.pair), **settings)


def key(question):
    return frozenset(question.pair)


def asked(session, n):
    """The next n questions of `ask`, answered."""
    questions = []
    for _ in range(n):
        questions.append(session.ask())
        answer(session, questions[-1])
    return questions


def again(session):
    """The same session, replayed from its facts."""
    return duels.Session.replay(
        session.catalogue,
        session.facts,
        session.spec,
        settings=session.settings,
        seed=session.seed,
        stopping=session.stopping,
        strengths=session.strengths,
    )
