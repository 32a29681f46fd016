import numpy as np
import pytest

from duels import errors
from duels.errors import DuelsError, InvalidValue, nearest, shorten, whole_number

BUILTINS = {
    "InvalidValue": ValueError,
    "UnknownName": LookupError,
    "FileProblem": OSError,
    "StoreProblem": OSError,
    "ServerProblem": OSError,
    "Conflict": ValueError,
    "Closed": ValueError,
    "TooManyCells": ValueError,
    "MissingPackage": ImportError,
    "NoPosterior": NotImplementedError,
    "UserCodeFailed": RuntimeError,
}


def test_the_tree_is_complete():
    kinds = {
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, Exception)
    }
    assert kinds == {"DuelsError", *BUILTINS}


@pytest.mark.parametrize("name", BUILTINS)
def test_every_error_is_ours_and_a_builtin(name):
    kind = getattr(errors, name)
    assert issubclass(kind, DuelsError)
    assert issubclass(kind, BUILTINS[name])


@pytest.mark.parametrize("name", BUILTINS)
def test_the_module_draws_every_error(name):
    assert name in errors.__doc__


@pytest.mark.parametrize("name", BUILTINS)
def test_a_message_is_shown_as_written(name):
    assert str(getattr(errors, name)("The rule, the value.")) == "The rule, the value."


def test_too_many_cells_is_an_invalid_value():
    assert issubclass(errors.TooManyCells, InvalidValue)


def test_nearest_suggests_and_lists():
    assert nearest("probot", ["logit", "probit"]) == (
        "Did you mean 'probit'? Known: logit, probit."
    )


def test_nearest_suggests_nothing_far_fetched():
    assert nearest("xyz", ["logit", "probit"]) == "Known: logit, probit."


def test_nearest_accepts_any_iterable():
    assert nearest("a", (name for name in "bc")) == "Known: b, c."


@pytest.mark.parametrize("word", [None, 3, ["logit"]])
def test_nearest_accepts_what_is_no_word(word):
    assert "Known: logit." in nearest(word, ["logit"])


def test_nearest_lists_at_most_twenty():
    sentence = nearest("none", map(str, range(1_000_000)))
    assert sentence.endswith("18, 19 and 999980 more.")
    assert nearest("none", map(str, range(20))).endswith("18, 19.")


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), np.array(3)])
def test_whole_number_returns_an_int(value):
    number = whole_number("n_arms", value, at_least=3)
    assert type(number) is int
    assert number == 3


@pytest.mark.parametrize(
    "value", [1, -3, 3.0, "3", None, True, np.True_, float("nan"), [3], np.array([3, 4])]
)
def test_whole_number_refuses_the_rest(value, refusal):
    message = refusal(InvalidValue, whole_number, "n_arms", value, at_least=2)
    assert message == f"n_arms must be a whole number of at least 2, got {value!r}. Use 2 or more."


@pytest.mark.parametrize("value", [True, False])
def test_truth_values_are_no_numbers(value, refusal):
    assert f"got {value!r}" in refusal(InvalidValue, whole_number, "seed", value, at_least=0)


def test_values_in_messages_are_short():
    assert shorten("tea") == "'tea'"
    assert len(shorten([0] * 1000)) == 80
    assert shorten(10**5000) == "a value of type int that cannot be shown"
