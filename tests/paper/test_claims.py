import json

import numpy as np
import pytest

from duels.experiment import Curves
from duels.paper import claims
from duels.paper.claims import BINARY, BRADLEY_TERRY, CLAIMS, FAILS, HOLDS, UNDECIDED
from duels.paper.report import (
    claims_json,
    claims_markdown,
    claims_table,
    curves_table,
    regret_table,
)

RUN = {"replications": 4, "horizon": 500, "seed": 0, "policies": "all"}


def made_up(levels, replications=40, horizon=500, noise=0.1):
    """Curves that rise to a level within a tenth of the horizon and stay there."""
    rng = np.random.default_rng(1)
    rise = np.minimum(np.arange(1, horizon + 1) / (horizon / 10), 1.0)
    return {
        setting: {
            policy: Curves(
                policy, setting, 0, (level + noise * rng.normal(size=(replications, 1))) * rise
            )
            for policy, level in policies.items()
        }
        for setting, policies in levels.items()
    }


def rising(levels, horizon=500):
    """Curves that rise by their level with every duel, in every world: no two times are alike."""
    t = np.arange(1.0, horizon + 1)
    return {
        setting: {
            policy: Curves(policy, setting, 0, np.tile(level * t, (3, 1)))
            for policy, level in policies.items()
        }
        for setting, policies in levels.items()
    }


AS_THE_PAPER_SAYS = {
    BINARY: {"ctb-1": 7, "ctb-2": 70, "ctb-3": 7, "thompson": 18, "ws-w": 35, "rucb": 390},
    BRADLEY_TERRY: {"ctb-1": 40, "ctb-2": 90, "ctb-3": 1, "thompson": 16, "ws-w": 80, "rucb": 500},
}


CTB_1_AND_3 = "CTB-1 and CTB-3 both beat WS-W and Thompson sampling"
CTB_3_CLEARLY = "CTB-3 beats Thompson sampling clearly"
ABOUT_EQUAL = "CTB-1 and CTB-3 are about equal (here: within 10% of CTB-1)"


def row_of(says, curves):
    (row,) = [row for row in claims.check_claims(curves) if row.says == says]
    return row


def verdicts(curves):
    return [row.verdict for row in claims.check_claims(curves)]


def test_claims_hold_where_the_curves_are_as_the_paper_says():
    curves = made_up(AS_THE_PAPER_SAYS)
    rows = claims.check_claims(curves)
    failed = [row.says for row in rows if row.verdict != HOLDS]
    # WS-W is below CTB-2 at all times in these curves, so one claim cannot hold
    assert failed == ["CTB-2 does better than WS-W at t = 300, 400 and 500"]


def test_a_claim_falls_with_one_of_its_parts():
    levels = {setting: dict(policies) for setting, policies in AS_THE_PAPER_SAYS.items()}
    levels[BRADLEY_TERRY]["thompson"] = 60
    fallen = {row.says: row.verdict for row in claims.check_claims(made_up(levels))}
    assert fallen["CTB-3 beats Thompson sampling clearly"] == HOLDS
    assert fallen[CLAIMS[7].says] == FAILS, "Thompson sampling is no longer below CTB-1"


def test_wide_intervals_leave_claims_undecided():
    assert set(verdicts(made_up(AS_THE_PAPER_SAYS, noise=5000.0))) <= {UNDECIDED, FAILS, HOLDS}
    assert verdicts(made_up(AS_THE_PAPER_SAYS, noise=5000.0)).count(UNDECIDED) >= 9
    assert set(verdicts(made_up(AS_THE_PAPER_SAYS, replications=1))) == {UNDECIDED}


def test_about_equal_means_within_a_tenth():
    for ctb_3, verdict in [(7.0, HOLDS), (6.0, FAILS), (8.0, FAILS), (6.3, UNDECIDED)]:
        levels = {**AS_THE_PAPER_SAYS, BINARY: {**AS_THE_PAPER_SAYS[BINARY], "ctb-3": ctb_3}}
        (row,) = [row for row in claims.check_claims(made_up(levels)) if "about equal" in row.says]
        assert row.verdict == verdict, ctb_3


def test_policies_or_times_that_were_not_run_leave_claims_undecided():
    short = claims.check_claims(made_up(AS_THE_PAPER_SAYS, horizon=250))
    by_claim = {row.says: row for row in short}
    assert by_claim["CTB-2 does worse than WS-W at t = 100 and 200"].verdict == HOLDS
    late = by_claim["CTB-2 does better than WS-W at t = 300, 400 and 500"]
    assert late.verdict == UNDECIDED
    assert "not run" in str(claims.deciding(late))
    few = {setting: {"ws-w": 3} for setting in AS_THE_PAPER_SAYS}
    assert set(verdicts(made_up(few))) == {UNDECIDED}


def test_policies_with_settings_stand_for_their_policy():
    levels = {
        setting: {f"{name}:x=1" if name == "ctb-1" else name: level for name, level in runs.items()}
        for setting, runs in AS_THE_PAPER_SAYS.items()
    }
    assert verdicts(made_up(levels)) == verdicts(made_up(AS_THE_PAPER_SAYS))


def test_the_first_listed_settings_of_a_policy_stand_for_it():
    once, other = {"ctb-1": 7.0}, {"ctb-1:ties=stay": 9.0}
    for both, level in [({**once, **other}, 7.0), ({**other, **once}, 9.0)]:
        runs = {**both, "ws-w": 20.0}
        row = row_of(CTB_1_AND_3, rising({BINARY: runs, BRADLEY_TERRY: runs}))
        (finding,) = [f for f in row.findings if f.what.startswith("ws-w − ctb-1,")]
        assert finding.value == (20.0 - level) * 500, list(both)


def test_differences_are_measured_at_the_time_of_the_part():
    curves = rising(AS_THE_PAPER_SAYS)
    for claim, row in zip(CLAIMS, claims.check_claims(curves), strict=True):
        for part, finding in zip(claim.parts, row.findings, strict=True):
            levels = AS_THE_PAPER_SAYS[part.setting]
            assert finding.value == (levels[part.worse] - levels[part.better]) * part.t, part
            assert finding.what.startswith(f"{part.worse} − {part.better}, ")
            assert finding.what.endswith(f" t={part.t}")


def test_about_equal_is_measured_at_the_end():
    """All regret comes with the last duel: 95 is within a tenth of 100, but not of 0."""
    last = np.zeros((3, 500))
    last[:, -1] = 1.0
    runs = {name: Curves(name, "", 0, last * at) for name, at in [("ctb-1", 100), ("ctb-3", 95)]}
    row = row_of(ABOUT_EQUAL, {BINARY: runs, BRADLEY_TERRY: runs})
    assert (row.findings[0].value, row.verdict) == (5.0, HOLDS)


def test_a_time_is_run_if_the_horizon_reaches_it():
    for horizon, runs in [(499, False), (500, True)]:
        (finding,) = row_of(CTB_3_CLEARLY, rising(AS_THE_PAPER_SAYS, horizon)).findings
        assert np.isfinite(finding.value) == runs, horizon


def test_differences_are_taken_world_by_world():
    """Two policies that share the noise of their worlds differ by a sharp amount."""
    curves = made_up(AS_THE_PAPER_SAYS)
    noise = np.random.default_rng(2).normal(scale=100.0, size=(40, 1))
    for runs in curves.values():
        for policy, run in runs.items():
            runs[policy] = Curves(policy, run.environment, 0, run.regret + noise)
    assert verdicts(curves)[:2] == [HOLDS, HOLDS]


def test_interval_is_the_normal_one():
    values = np.array([1.0, 2.0, 3.0, 4.0])
    half = 1.96 * values.std(ddof=1) / 2
    assert claims.interval(values) == pytest.approx((2.5, 2.5 - half, 2.5 + half))


def test_every_claim_names_its_section_and_parts():
    for claim in CLAIMS:
        assert claim.where.startswith("7")
        assert claim.parts
        assert all(part.setting in claims.SETTINGS for part in claim.parts)


def parts_at_the_end(settings, better, worse):
    return {(setting, b, w, 500) for setting in settings for b in better for w in worse}


BOTH = (BINARY, BRADLEY_TERRY)
REST = ("ctb-2", "ws-w", "rucb")
PARTS = {
    ("7", "RUCB does badly in both settings beside all the others"): parts_at_the_end(
        BOTH, ("ctb-1", "ctb-2", "ctb-3", "thompson", "ws-w"), ("rucb",)
    ),
    ("7, fig. 2", "Of the two that use a prior, CTB-3 does best"): parts_at_the_end(
        BOTH, ("ctb-3",), ("thompson",)
    ),
    ("7, fig. 2", "Of the four that use no prior, CTB-1 does best"): parts_at_the_end(
        BOTH, ("ctb-1",), REST
    ),
    ("7.1, fig. 2", "CTB-2 does worse than WS-W in the binary setting"): {
        (BINARY, "ws-w", "ctb-2", t) for t in (100, 200, 300, 400, 500)
    },
    ("7.1", ABOUT_EQUAL): parts_at_the_end((BINARY,), ("ctb-3",), ("ctb-1",)),
    ("7.1", CTB_1_AND_3): parts_at_the_end((BINARY,), ("ctb-1", "ctb-3"), ("ws-w", "thompson")),
    ("7.1", "CTB-2 does not do as well as WS-W and Thompson sampling"): parts_at_the_end(
        (BINARY,), ("ws-w", "thompson"), ("ctb-2",)
    ),
    (
        "7.2",
        "CTB-3 and Thompson sampling profit from the prior: both beat all that have none",
    ): parts_at_the_end((BRADLEY_TERRY,), ("ctb-3", "thompson"), ("ctb-1", *REST)),
    ("7.2", CTB_3_CLEARLY): parts_at_the_end((BRADLEY_TERRY,), ("ctb-3",), ("thompson",)),
    ("7.2", "Of the four that use no prior, CTB-1 does best"): parts_at_the_end(
        (BRADLEY_TERRY,), ("ctb-1",), REST
    ),
    ("7.2, fig. 2", "CTB-2 does worse than WS-W at t = 100 and 200"): {
        (BRADLEY_TERRY, "ws-w", "ctb-2", 100),
        (BRADLEY_TERRY, "ws-w", "ctb-2", 200),
    },
    ("7.2, fig. 2", "CTB-2 does better than WS-W at t = 300, 400 and 500"): {
        (BRADLEY_TERRY, "ctb-2", "ws-w", 300),
        (BRADLEY_TERRY, "ctb-2", "ws-w", 400),
        (BRADLEY_TERRY, "ctb-2", "ws-w", 500),
    },
}


def test_every_claim_is_here():
    assert [(claim.where, claim.says) for claim in CLAIMS] == list(PARTS)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.where}: {claim.says}")
def test_parts_decide_what_the_paper_says(claim):
    parts = [(part.setting, part.better, part.worse, part.t) for part in claim.parts]
    assert set(parts) == PARTS[claim.where, claim.says]
    assert len(set(parts)) == len(parts)
    assert claim.alike == ("about equal" in claim.says)


def test_support_is_the_room_in_half_intervals():
    sample = np.array([1.0, 2.0, 3.0, 4.0])
    half = 1.96 * sample.std(ddof=1) / 2
    for above, below, room in [(0.0, np.inf, 2.5), (4.0, np.inf, -1.5), (-9.0, 3.0, 0.5)]:
        finding = claims.measured("a number", sample, above=above, below=below)
        assert finding.support == pytest.approx(room / half), (above, below)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 0, 2)])
def test_the_deciding_finding_speaks_least_for_the_claim(order):
    near, against = np.array([1.0, 2.0]), np.array([-2.0, -1.0])
    findings = (
        claims.measured("clearly for it", near + 50.0, above=0.0),
        claims.measured("against it", against, above=0.0),
        claims.measured("barely for it", near, above=0.0),
        claims.not_run("not run"),
    )
    row = claims.Row("7", "a claim", tuple(findings[k] for k in order), UNDECIDED)
    assert claims.deciding(row).what == "against it"


def test_reports_tell_the_same():
    curves = made_up(AS_THE_PAPER_SAYS)
    rows = claims.check_claims(curves)
    written = json.loads(claims_json(rows, RUN))
    assert written["run"] == RUN
    assert [claim["verdict"] for claim in written["claims"]] == [row.verdict for row in rows]
    markdown = claims_markdown(rows, curves, RUN)
    for row, claim in zip(rows, written["claims"], strict=True):
        assert row.says in markdown
        assert len(claim["measured"]) == len(row.findings)
        for finding in row.findings:
            assert str(finding) in markdown
    assert claims_table(rows).row_count == len(rows)
    table = regret_table(curves)
    assert table.row_count == 12
    assert [column.header for column in table.columns][2:] == [
        "t = 100", "t = 500", "median at 500", "95 % at 500",
    ]  # fmt: skip
    run = curves[BINARY]["ws-w"]
    assert f"| binary | ws-w | {run.mean[99]:.3g} ± {run.standard_error[99]:.2g} |" in markdown


def test_the_curves_as_a_table():
    curves = made_up(AS_THE_PAPER_SAYS, horizon=20)
    table = curves_table(curves)
    assert table.height == 2 * 6 * 20
    here = (table["setting"] == BINARY) & (table["policy"] == "ws-w") & (table["t"] == 20)
    row = table.filter(here).row(0, named=True)
    run = curves[BINARY]["ws-w"]
    assert row["mean"] == run.mean[-1]
    assert row["standard_error"] == run.standard_error[-1]
    assert row["median"] == np.median(run.regret[:, -1])
    assert row["percentile_95"] == np.quantile(run.regret[:, -1], 0.95)
