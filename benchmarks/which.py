"""Which policy where: `python -m benchmarks.which` prints the tables of docs/which-policy.md.

Weak regret in fourteen worlds, and strong regret of the policies that were made to keep that small.
All policies meet the same worlds. Those that take longer meet fewer of them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

import click

import duels
from duels.experiment.compared import Compared, standard_error

HORIZON, REPLICATIONS, FEW = 300, 400, 40


class Kind(NamedTuple):
    """A kind of world, and what its regret counts."""

    title: str
    world: str
    regret: str = "utility"


DRAWN = "n_features=2,scale=3"
KINDS = (
    Kind("the paper's binary", "paper-binary", "binary"),
    Kind("the paper's Bradley-Terry", "paper-bradley-terry"),
    Kind("sphere, 2 features", "sphere:scale=5"),
    Kind("sphere, 5 features", "sphere:n_features=5,scale=5"),
    Kind("sphere, 200 arms", "sphere:n_arms=200,n_features=4,scale=5"),
    Kind("cloud", f"cloud:{DRAWN}"),
    Kind("clusters", f"clusters:{DRAWN}"),
    Kind("skewed", "skewed:n_features=6,scale=3"),
    Kind("features explain half", f"cloud:{DRAWN},explained=0.5"),
    Kind("features explain nothing", f"cloud:{DRAWN},explained=0"),
    Kind("ideal point", f"cloud:{DRAWN},taste=ideal"),
    Kind("careless people", f"cloud:{DRAWN},lapse=0.2"),
    Kind("matrix arithmetic", "matrix:p=arithmetic"),
    Kind("matrix cyclic", "matrix:p=cyclic"),
)

WITH_FEATURES = (
    "least-regret", "eubo", "linear-logistic-thompson", "ctb-3", "ctb-1", "thompson", "random",
)  # fmt: skip
WITHOUT = ("ctb-2", "ws-w", "ws-s", "double-thompson", "versatile-db", "rmed1", "rucb", "random")
STRONG = (
    "linear-logistic-thompson", "double-thompson", "versatile-db", "ws-s", "rmed1", "rucb",
    "random",
)  # fmt: skip
SLOW = {"least-regret", "eubo", "linear-logistic-thompson"}
SPECS = {"rucb": "rucb:self_duels=True"}  # as published; others are told so by the simulation


def spec_of(policy: str) -> str:
    """The policy with its settings."""
    return SPECS.get(policy, policy)


def entry(policy: str, few: int) -> str:
    """What `compare` is told: the policy with its settings, and in how many worlds it plays."""
    return spec_of(policy) + (f"@{few}" if policy in SLOW else "")


def measure(kind: Kind, *, horizon: int, replications: int, few: int, seed: int) -> Compared:
    """All policies in worlds of this kind; those that cannot play there are in its failures."""
    policies = [entry(name, few) for name in dict.fromkeys((*WITH_FEATURES, *WITHOUT))]
    return duels.compare(
        policies, kind.world, horizon=horizon, replications=replications, seed=seed, jobs=1,
        regret=[f"weak-{kind.regret}", f"strong-{kind.regret}"],
    )  # fmt: skip


def decimals(error: float) -> int:
    """Digits behind the point: one that the standard error leaves standing, at most two."""
    return 0 if error >= 1.0 else 1 if error >= 0.1 else 2


def row(kind: Kind, found: Compared, policies: Sequence[str], strong: bool) -> str:
    """A line of a table: mean ± standard error of each policy.

    The least of all policies is bold, and so is what is more by less than two standard errors of
    the difference in the worlds that both met.
    """
    regret = f"{'strong' if strong else 'weak'}-{kind.regret}"
    rivals = {spec_of(name) for name in (STRONG if strong else (*WITH_FEATURES, *WITHOUT))}
    means = {
        policy: float(found.of(regret, policy).mean())
        for policy in found.policies
        if policy in rivals
    }
    least = min(means, key=lambda policy: means[policy])
    cells = []
    for policy in map(spec_of, policies):
        if policy not in means:
            cells.append("–")
            continue
        error = standard_error(found.of(regret, policy))
        digits = decimals(error)
        said = f"{means[policy]:.{digits}f} ± {error:.{digits}f}"
        apart = found.difference(regret, policy, least)
        as_good = policy == least or apart["difference"] < 2.0 * apart["standard_error"]
        cells.append(f"**{said}**" if as_good else said)
    return f"| {kind.title} | {' | '.join(cells)} |"


def table(
    found: dict[Kind, Compared], policies: Sequence[str], *, strong: bool = False
) -> list[str]:
    """Markdown: a row for each kind of world, a column for each policy."""
    return [
        f"| world | {' | '.join(f'`{name}`' for name in policies)} |",
        "|---" * (len(policies) + 1) + "|",
        *(row(kind, compared, policies, strong) for kind, compared in found.items()),
    ]


def tables(found: dict[Kind, Compared]) -> str:
    """All of docs/which-policy.md that was measured."""
    worlds = ["| world | its name and settings |", "|---|---|"]
    worlds += [f"| {kind.title} | `{kind.world}` |" for kind in found]
    parts = [
        worlds,
        table(found, WITH_FEATURES),
        table(found, WITHOUT),
        table(found, STRONG, strong=True),
    ]
    return "\n\n".join("\n".join(part) for part in parts)


@click.command()
@click.option("--horizon", default=HORIZON, show_default=True, help="Duels in each world.")
@click.option("--replications", default=REPLICATIONS, show_default=True)
@click.option("--few", default=FEW, show_default=True, help="Replications of slow policies.")
@click.option("--seed", default=0, show_default=True)
def main(horizon: int, replications: int, few: int, seed: int) -> None:
    """Print the regret of fourteen policies in fourteen kinds of world, as Markdown."""
    found = {}
    for kind in KINDS:
        print(f"{kind.title}…", file=sys.stderr, flush=True)
        found[kind] = measure(kind, horizon=horizon, replications=replications, few=few, seed=seed)
    print(tables(found))


if __name__ == "__main__":
    main()
