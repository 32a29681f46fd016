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


AS_THE_PAPER_SAYS = {
    BINARY: {"ctb-1": 7, "ctb-2": 70, "ctb-3": 7, "thompson": 18, "ws-w": 35, "rucb": 390},
    BRADLEY_TERRY: {"ctb-1": 40, "ctb-2": 90, "ctb-3": 1, "thompson": 16, "ws-w": 80, "rucb": 500},
}


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
        "t = 100", "t = 200", "t = 300", "t = 500", "median at 500", "95 % at 500",
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
