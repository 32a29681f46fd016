"""The loop of one replication: ask a pair, judge it, tell the winner. Compiled, or plain Python."""

from __future__ import annotations

import hashlib
import operator
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.choice import ChoiceModel
from duels.environments.base import World, judge, judge_by_table
from duels.environments.check import checked_stretches
from duels.environments.drift import Drift, Stretch, judge_in_stretch
from duels.errors import UserCodeFailed, shorten
from duels.kernels.compile import bind, compiled_before
from duels.kernels.stream import Stream
from duels.policies import Policy, find_policy, parse_spec
from duels.policies.base import Kernels


class Played(NamedTuple):
    """One replication: the duels in order (horizon,), the favourite at the end, and the truth.

    ``compiled`` says whether the compiled loop played it, and ``seconds_apart`` how long that took:
    meanwhile other threads can run Python. Of somebody who drifts, the truth has
    the utilities in the last duel.
    """

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    winner: NDArray[np.int32]
    favourite: int
    world: World
    compiled: bool
    seconds_apart: float


def play(
    state: Any,
    world: World,
    answers: Stream,
    choices: Stream,
    duels: NDArray[np.int32],
) -> int:
    """Fill ``duels`` (3, horizon) with first arms, second arms and winners; return the favourite.

    This is a template: for each policy, `bind` compiles a copy in which ``propose``, ``update``,
    ``recommend`` and ``answer`` are the functions of that policy and world.
    """
    for t in range(duels.shape[1]):
        first, second = propose(state, choices)  # type: ignore[name-defined] # noqa: F821
        winner, loser = answer(world, first, second, answers)  # type: ignore[name-defined] # noqa: F821
        update(state, winner, loser)  # type: ignore[name-defined] # noqa: F821
        duels[0, t] = first
        duels[1, t] = second
        duels[2, t] = winner
    return int(recommend(state))  # type: ignore[name-defined] # noqa: F821


def _loop_name(kernels: Kernels, answer: Callable[..., Any]) -> str:
    """A name for the compiled loop: the same in every process, different for other functions."""
    functions = ";".join(f"{each.__module__}.{each.__qualname__}" for each in (*kernels, answer))
    stamp = hashlib.sha256(functions.encode()).hexdigest()[:8]
    return f"play_{kernels.propose.__module__.replace('.', '_')}_{stamp}"


@cache
def _loop(kernels: Kernels, answer: Callable[..., Any]) -> Callable[..., int]:
    return bind(play, _loop_name(kernels, answer), answer=answer, **kernels._asdict())


def loop_is_compiled(spec: str) -> bool:
    """Whether the compiled loop of a policy is on disk; also true if it needs none."""
    kind = find_policy(*parse_spec(spec))
    return kind.kernels is None or compiled_before(_loop_name(kind.kernels, judge))


def is_compiled(player: Any, world: World) -> bool:
    """Whether the compiled loop can play this policy in this world.

    It calls kernels only, so it cannot if a subclass overrides ``ask`` or ``tell`` in Python.
    """
    return (
        getattr(player, "kernels", None) is not None
        and not callable(world.choice)
        and _asks_by_kernels(type(player))  # type: ignore[arg-type] # a class is hashable
    )


@cache
def _asks_by_kernels(kind: type[Any]) -> bool:
    return issubclass(kind, Policy) and kind.ask is Policy.ask and kind.tell is Policy.tell


def play_once(
    player: Any, world: World, answers: Stream, horizon: int, *, who: str, replication: int
) -> Played:
    """Play one replication to its end."""
    duels = np.empty((3, horizon), np.int32)
    if isinstance(player, Policy):
        player.reserve(horizon)
    compiled, began = is_compiled(player, world), time.perf_counter()
    if not compiled:
        plain = PlainLoop(player, world, answers, who, replication)
        favourite, world = plain.play(duels), plain.world
    elif isinstance(world.choice, Drift):
        favourite, world = _play_drifting(player, world, world.choice, answers, duels)
    else:
        by_model = isinstance(world.choice, ChoiceModel)
        loop = _loop(player.kernels, judge if by_model else judge_by_table)
        favourite = loop(player.state, world, answers, player.stream, duels)
    seconds = time.perf_counter() - began
    return Played(duels[0], duels[1], duels[2], int(favourite), world, compiled, seconds)


def _play_drifting(
    player: Any, world: World, drift: Drift, answers: Stream, duels: NDArray[np.int32]
) -> tuple[int, World]:
    """The favourite, and the world as it is in the last duel."""
    loop, begin = _loop(player.kernels, judge_in_stretch), 0
    for stretch in checked_stretches(drift, len(world.utilities), duels.shape[1]):
        played = np.empty((3, len(stretch.utilities)), np.int32)
        favourite = loop(player.state, stretch, answers, player.stream, played)
        duels[:, begin : begin + played.shape[1]] = played
        begin += played.shape[1]
        world = _moved(world, stretch)
    return favourite, world


def _moved(world: World, stretch: Stretch) -> World:
    """The world in the last duel of a stretch."""
    utilities = stretch.utilities[-1].copy()
    return world._replace(utilities=utilities, best=int(np.argmax(utilities)))


class PlainLoop:
    """The loop for policies or worlds in plain Python; errors name the replication and the duel."""

    def __init__(
        self, player: Any, world: World, answers: Stream, who: str, replication: int
    ) -> None:
        self.player, self.world, self.answers = player, world, answers
        self.who, self.replication = who, replication
        self.n_arms = len(world.utilities)
        self.self_duels = bool(getattr(player, "self_duels", False))
        self.t = 0

    def play(self, duels: NDArray[np.int32]) -> int:
        judged, player = self._judge(duels.shape[1]), self.player
        firsts, seconds, winners = duels
        for t in range(duels.shape[1]):
            self.t = t
            first, second = self._pair(self._call("ask"))
            winner = judged(first, second)
            try:
                player.tell(winner, second if winner == first else first)
            except Exception as problem:
                raise self._raised("tell", problem) from problem
            firsts[t], seconds[t], winners[t] = first, second, winner
        favourite = self._call("favourite")
        arm = self._arm(favourite)
        if arm is None:
            raise self._wrong("favourite", favourite)
        return arm

    def _judge(self, horizon: int) -> Callable[[int, int], int]:
        """A function from a pair to its winner, with the random numbers of the compiled loop."""
        world, answers = self.world, self.answers
        if callable(world.choice):
            return self._own_answer
        if isinstance(world.choice, Drift):
            ahead = self._moments(world.choice, horizon)
            return lambda first, second: judge_in_stretch(next(ahead), first, second, answers)[0]
        judged = judge if isinstance(world.choice, ChoiceModel) else judge_by_table
        return lambda first, second: judged(world, first, second, answers)[0]

    def _moments(self, drift: Drift, horizon: int) -> Iterator[Stretch]:
        """For each duel the stretch that it is in; the world moves on with the stretches."""
        for stretch in checked_stretches(drift, self.n_arms, horizon):
            self.world = _moved(self.world, stretch)
            for _ in stretch.utilities:
                yield stretch

    def _own_answer(self, first: int, second: int) -> int:
        if first == second:
            return first
        try:
            winner = self.world.choice(first, second)  # type: ignore[operator]
        except Exception as problem:
            raise UserCodeFailed(
                f"The world's answer({first}, {second}) raised {type(problem).__name__} in "
                f"{self._where()}: {problem}"
            ) from problem
        arm = self._arm(winner)
        if arm != first and arm != second:
            raise UserCodeFailed(
                f"The world's answer({first}, {second}) must be one of the two arms, got "
                f"{shorten(winner)} in {self._where()}. Return the arm that wins."
            )
        return int(winner)

    def _call(self, method: str) -> Any:
        try:
            return getattr(self.player, method)()
        except Exception as problem:
            raise self._raised(method, problem) from problem

    def _pair(self, asked: Any) -> tuple[int, int]:
        try:
            one, other = asked
        except (TypeError, ValueError):
            raise self._wrong("ask", asked) from None
        first, second = self._arm(one), self._arm(other)
        if first is None or second is None or (first == second and not self.self_duels):
            raise self._wrong("ask", asked)
        return first, second

    def _arm(self, value: Any) -> int | None:
        try:
            arm = operator.index(value)
        except TypeError:
            return None
        return arm if 0 <= arm < self.n_arms and not isinstance(value, bool) else None

    def _where(self) -> str:
        return f"replication {self.replication}, duel {self.t + 1}"

    def _wrong(self, method: str, value: object) -> UserCodeFailed:
        what = "two different arms" if method == "ask" else "an arm"
        return UserCodeFailed(
            f"{method} of {self.who} must give {what}, numbers from 0 to {self.n_arms - 1}, got "
            f"{shorten(value)} in {self._where()}."
        )

    def _raised(self, method: str, problem: Exception) -> UserCodeFailed:
        return UserCodeFailed(
            f"{method} of {self.who} raised {type(problem).__name__} in {self._where()}: {problem}"
        )
