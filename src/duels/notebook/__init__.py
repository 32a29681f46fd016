"""The two cards of a session in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duels.catalogue import Catalogue
from duels.errors import InvalidValue, MissingPackage
from duels.policies import DEFAULT
from duels.policies.base import Policy
from duels.session import Session, StoppingRule
from duels.session.session import RULE

if TYPE_CHECKING:
    from duels.notebook.widget import Chooser


def choose(
    catalogue: Catalogue | str | Path | Any = None,
    policy: str | Callable[..., Policy] = DEFAULT,
    *,
    settings: Mapping[str, Any] | None = None,
    seed: int | None = None,
    stopping: StoppingRule | None = RULE,
    strengths: Mapping[str, float] | None = None,
    pictures: str | Path | None = None,
    session: Session | None = None,
) -> Chooser:
    """Two cards in a notebook: choose by click or by key until your favourite is found.

    What it gives shows itself where it stands last in a cell. It has the ``session``, the
    ``question`` that is shown, and the ``result`` so far, also while the cards are being answered.
    It needs ``pip install 'duels[notebook]'``.

    Args:
        catalogue: the arms: a catalogue, a file or a data frame with one; None for a demo.
        policy: as for `duels.Session`, and so are `settings`, `seed`, `stopping` and `strengths`.
        pictures: the folder in which the files are that the catalogue's column of pictures names;
            None for the folder of the file, if the catalogue is one, or else for no pictures.
        session: a session to go on with, instead of a new one; of the others give only `pictures`.
    """
    try:
        from duels.notebook.widget import Chooser
    except ModuleNotFoundError as problem:
        raise MissingPackage(
            f"Cards in a notebook need further packages, and {problem.name} is not installed. "
            "Use pip install 'duels[notebook]', and restart the kernel."
        ) from None
    if session is None:
        arms, folder = _arms_and_folder(catalogue)
        session = Session(
            arms,
            policy,
            settings=settings,
            seed=seed,
            stopping=stopping,
            strengths=strengths,
        )
    else:
        given = (catalogue, settings, seed, strengths)
        if any(each is not None for each in given) or policy != DEFAULT or stopping != RULE:
            raise InvalidValue(
                "A session has its catalogue, policy, settings, seed, stopping rule and strengths "
                f"already, got {session!r} with another of them. Give the session alone, or none."
            )
        folder = None
    return Chooser(session, folder if pictures is None else Path(pictures))


def _arms_and_folder(given: Any) -> tuple[Catalogue, Path | None]:
    """A catalogue, and where its pictures are."""
    if given is None:
        from duels.demo import DEMO, demo_catalogue

        return demo_catalogue(), DEMO
    if isinstance(given, str | Path):
        return Catalogue.from_file(given), Path(given).parent
    return given if isinstance(given, Catalogue) else Catalogue.from_frame(given), None
