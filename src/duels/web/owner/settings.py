"""How the sessions of a catalogue are held, as a form."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import FormData

from duels.catalogue import Catalogue
from duels.errors import InvalidValue
from duels.policies import CLASSES, DEFAULT
from duels.session import STRENGTHS, Session, StoppingRule
from duels.stores.entries import Settings
from duels.web.owner.access import text

WEIGHTS = {"weak": "a little", "strong": "clearly"}  # fields of the form and their words


def policies_for_people() -> dict[str, str]:
    """The policies that the form offers, with a line each: those made to show the best arm soon."""
    return {
        name: policy.summary
        for name, policy in CLASSES.items()
        if policy.made_for == "weak regret" and not policy.needs_horizon
    }


def form_of(settings: Settings) -> dict[str, str]:
    """What the form shows for these settings."""
    rule = None if settings.stopping is None else StoppingRule(**settings.stopping)
    weights = {**STRENGTHS, **(settings.strengths or {})}
    percent = rule.confidence * 100 if rule and rule.confidence is not None else None
    return {
        "policy": settings.policy,
        "ends": "" if rule is None else "yes",
        "confidence": _shown(percent),
        "regret": _shown(rule.regret if rule else None),
        "questions": _shown(rule.questions if rule else None),
        **{field: _shown(weights[word]) for field, word in WEIGHTS.items()},
    }


def form_given(given: FormData) -> dict[str, str]:
    """What was written into the form, to be shown again."""
    fields = ("policy", "ends", "confidence", "regret", "questions", *WEIGHTS)
    return {field: text(given, field) for field in fields}


def settings_from(written: dict[str, str], catalogue: Catalogue, before: Settings) -> Settings:
    """The settings of a form, tried out on the catalogue that they are for."""
    policy = written["policy"] or DEFAULT
    stopping: dict[str, Any] | None = None
    if written["ends"]:
        percent = _number("The confidence", written["confidence"], "95")
        regret = _number("The regret", written["regret"], "0.1")
        questions = _number("The most questions", written["questions"], "40")
        stopping = {
            "confidence": None if percent is None else percent / 100.0,
            "regret": regret,
            "questions": None if questions is None else _whole(questions),
        }
        stopping = {name: value for name, value in stopping.items() if value is not None}
        if not stopping:
            raise InvalidValue(
                "Sessions that end need a rule for it, and all three fields are empty. Fill in one "
                "of them, or let sessions go on until the person leaves."
            )
    weights = {
        word: _number(f"The weight of {word!r}", written[field], "1")
        for field, word in WEIGHTS.items()
    }
    said = {word: STRENGTHS[word] if weight is None else weight for word, weight in weights.items()}
    strengths = None if all(said[word] == STRENGTHS[word] for word in said) else said
    further = before.settings if policy == before.policy else {}
    settings = Settings(policy, further, stopping, strengths)
    rule = None if stopping is None else StoppingRule(**stopping)
    Session(catalogue, policy, settings=further, stopping=rule, strengths=strengths, seed=0).ask()
    return settings


def _number(what: str, written: str, example: str) -> float | None:
    """A number that a person has written; None for an empty field.

    >>> _number("The regret", "0,1", "0.1"), _number("The regret", "", "0.1")
    (0.1, None)
    """
    if not written:
        return None
    try:
        return float(written.replace(",", "."))
    except ValueError:
        raise InvalidValue(
            f"{what} must be a number, got {written!r}. Write for example {example}."
        ) from None


def _whole(number: float) -> Any:
    return int(number) if number == number // 1 else number


def _shown(number: float | None) -> str:
    return "" if number is None else f"{number:.10g}"
