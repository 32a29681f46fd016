"""The benchmark on real people, on a small folder of the same shape: its judge and its counts."""

import numpy as np
import pytest
from benchmarks import people, recorded
from benchmarks.people import Entry, Session
from click.testing import CliRunner

import duels
from duels.errors import FileProblem, InvalidValue

RECIPES = """number,name,category,cost,minutes,same
1,soup,starter,1,20,7
2,pasta,main,2,25,7
3,roast,main,3,90,7
5,cake,sweet,2,60,7
"""
# 7: roast > pasta > soup, pasta and roast once the other way; 8: cake beat soup, pasta beat roast
ANSWERS = """user_id,winner,loser
7,3,2
7,2,3
7,3,2
7,2,1
7,3,1
8,5,1
8,2,3
"""
SWEETS = """number,label,bar,hard,sugar,winpercent
0,toffee,0,1,0.9,40
1,nougat,1,0,0.5,60
2,wafer,1,0,0.5,80
3,mint,0,1,0.1,20
"""


@pytest.fixture
def folder(tmp_path):
    for name, text in (
        ("food/arms.csv", RECIPES),
        ("food/duels.csv", ANSWERS),
        ("candy/arms.csv", SWEETS),
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


class Scripted:
    """Asks and guesses what it is given to."""

    def __init__(self, pairs, guesses):
        self.pairs, self.guesses, self.told = list(pairs), list(guesses), []

    def ask(self):
        return duels.Pair(*self.pairs[len(self.told)])

    def tell(self, winner, loser):
        self.told.append((winner, loser))

    def favourite(self):
        return self.guesses[len(self.told)]


# Reading


def test_recipes_are_standardised_over_all_people_and_constant_columns_are_dropped(folder):
    food = recorded.read_food(folder)
    labels = food.catalogue.feature_names
    assert labels == ("category=main", "category=starter", "category=sweet", "cost", "minutes")
    assert food.catalogue.features[:, 3:].mean(axis=0) == pytest.approx([0.0, 0.0])
    assert food.catalogue.features[:, 3:].std(axis=0) == pytest.approx([1.0, 1.0])
    assert food.title == "food: 2 people, 3-4 recipes each"


def test_a_person_has_the_arms_the_favourites_and_the_answers_recorded(folder):
    first, second = recorded.read_food(folder).members
    assert first.arms.tolist() == [0, 1, 2]
    assert first.ranks.tolist() == [3, 2, 1]
    assert first.history[0] == (2, 1)
    assert first.recorded.sum() == 6
    assert first.chance[2, 1] == pytest.approx(2 / 3)
    assert second.arms.tolist() == [0, 1, 2, 3]
    assert second.ranks.tolist() == [3, 1, 3, 1]


def test_a_pair_without_a_record_is_answered_by_shares_of_duels_won(folder):
    person = recorded.read_food(folder).members[1]
    assert not person.recorded[0, 1]
    assert person.chance[0, 1] == 0.0  # soup never won, pasta never lost
    assert person.chance[1, 3] == 0.5
    assert person.chance + person.chance.T == pytest.approx(np.ones((4, 4)))


def test_sweets_that_no_feature_tells_apart_are_one(folder):
    candy = recorded.read_candy(folder, replications=3)
    (crowd, *others) = candy.members
    assert len(others) == 2
    assert crowd.arms.tolist() == [0, 2, 3]
    assert crowd.ranks.tolist() == [2, 1, 3]
    assert candy.catalogue.feature_names == ("bar", "hard", "sugar")
    odds = (0.8 / 0.2) / (0.2 / 0.8)
    assert crowd.chance[1, 2] == pytest.approx(odds / (1 + odds))


def test_what_is_wrong_with_the_folder_is_said(folder):
    (folder / "food" / "duels.csv").write_text("user_id,winner,loser\n1,2,99\n")
    with pytest.raises(InvalidValue, match=r"\[99\]"):
        recorded.read_food(folder)
    (folder / "food" / "duels.csv").unlink()
    with pytest.raises(FileProblem, match="there is none"):
        recorded.read_food(folder)


# Sessions


def test_only_recorded_answers_are_given(folder):
    person = recorded.read_food(folder).members[0]
    rng = np.random.default_rng(1)
    duels_won = [person.answer(*pair, rng) for pair in ((0, 1), (1, 0), (2, 0)) for _ in range(50)]
    assert set(duels_won) == {(1, 0), (2, 0)}
    both = [person.answer(1, 2, rng).winner for _ in range(3000)]
    assert np.mean(np.array(both) == 2) == pytest.approx(2 / 3, abs=0.035)  # 4 standard errors


def test_shuffled_arms_keep_their_answers(folder):
    person = recorded.read_food(folder).members[0]
    other = person.shuffled(np.random.default_rng(3))
    place = [person.arms.tolist().index(arm) for arm in other.arms]
    assert place != [0, 1, 2]
    assert other.ranks.tolist() == person.ranks[place].tolist()
    assert other.chance == pytest.approx(person.chance[np.ix_(place, place)])


@pytest.mark.parametrize("spec", ["random", "ws-w", "linear-logistic-thompson:scale=0.5"])
def test_the_same_seed_gives_the_same_session(folder, spec):
    food = recorded.read_food(folder)
    sessions = [people.meet(food, 1, seed, Entry(spec)) for seed in (4, 4, 5)]
    assert sessions[0] == sessions[1] != sessions[2]
    assert len(sessions[0].pairs) == people.HORIZON


def test_questions_are_told_as_answered_and_those_without_a_record_are_counted(folder):
    person = recorded.read_food(folder).members[1]
    policy = Scripted([(0, 1), (2, 1), (3, 0), (3, 1)], [0, 1, 2, 3, 1])
    session = people.play(policy, person, np.random.default_rng(0), 4)
    assert policy.told[:3] == [(1, 0), (1, 2), (3, 0)]
    assert session == Session([(3, 1), (3, 1), (1, 3), (1, 1)], [3, 1, 3, 1, 1], unrecorded=2)


def test_what_is_counted_in_a_session():
    session = Session([(3, 2), (2, 4), (1, 2), (3, 4), (2, 1)], [2, 1, 3, 1, 1, 1], unrecorded=0)
    assert session.without_favourite() == 3
    assert session.without_favourite(3) == 2
    assert session.first_shown() == 3
    assert session.settled() == 3


def test_what_never_comes_counts_as_one_past_the_horizon():
    session = Session([(3, 2), (2, 4)], [1, 1, 2], unrecorded=0)
    assert session.first_shown() == session.settled() == 3
    assert Session([(1, 2)], [1, 1], unrecorded=0).settled() == 0


def test_a_person_counts_once_however_many_seeds():
    measured = np.zeros((2, 3, 8))
    measured[0, :, 0], measured[1, :, 0] = (1.0, 2.0, 3.0), 6.0
    measured[:, :, 2] = people.HORIZON + 1
    without, _, _, settled, median, *_ = people.summary(measured)
    assert without == "4.00 ±2.00"
    assert (settled, median) == ("61.0 ±0.0", ">60")


# Entries


def test_a_prior_is_fitted_to_all_the_others(folder, monkeypatch):
    asked = []

    def fit_prior(catalogue, histories):
        asked.append(histories)
        return duels.Gaussian(np.ones(catalogue.n_features), np.eye(catalogue.n_features))

    monkeypatch.setattr(duels, "fit_prior", fit_prior)
    food = recorded.read_food(folder)
    entry = Entry("linear-logistic-thompson", prior=True)
    (measured,) = people.measure(food, [entry], range(2), seeds=2).values()
    assert measured.shape == (2, 2, 8)
    assert asked == [[food.members[1].history], [food.members[0].history]]


def test_the_command_prints_a_table_for_each_set_of_data(folder, monkeypatch):
    monkeypatch.setattr(people, "LEAST_REGRET", (Entry("ctb-2"),))
    monkeypatch.setattr(people, "OTHERS", (Entry("ws-w"), Entry("random")))
    done = CliRunner().invoke(people.main, [str(folder), "--seeds", "2", "--people", "1"])
    assert done.exit_code == 0, done.output
    for text in ("1 asked", "candy: 3 sweets, 2 replications", "Questions without a recorded duel"):
        assert text in done.output
    (folder / "candy" / "arms.csv").unlink()
    done = CliRunner().invoke(people.main, [str(folder)])
    assert done.exit_code == 1
    assert "there is none" in done.output
