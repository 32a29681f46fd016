import json

import pytest

from duels.errors import InvalidValue
from duels.facts import Answer, Question, Undo, Withdrawal, from_record, to_record

FACTS = [
    Question(1, 4, 2),
    Question(2, 0, 1, aside=True),
    Answer(1, "left", "clearly"),
    Answer(2, "skip"),
    Undo(2),
    Withdrawal(2),
]


@pytest.mark.parametrize("fact", FACTS)
def test_a_fact_survives_json(fact):
    assert from_record(json.loads(json.dumps(to_record(fact)))) == fact


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"fact": "verdict", "number": 1},
        {"fact": "question", "number": 1, "left": 0},
        {"fact": "question", "number": "1", "left": 0, "right": 1},
        {"fact": "question", "number": 1, "left": 0, "right": 1, "aside": 1},
        {"fact": "question", "number": 1, "left": -1, "right": 1},
        {"fact": "answer", "number": 1, "kind": 5},
        {"fact": "undo", "number": True},
    ],
)
def test_what_is_no_fact_is_refused(record):
    with pytest.raises(InvalidValue, match=r"duels export|whole number"):
        from_record(record)
