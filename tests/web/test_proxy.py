"""Behind a proxy, limits are for the addresses of people and not for that of the proxy."""

from __future__ import annotations

import httpx
import pytest

from duels.stores.store import Store
from tests.examples import drinks
from tests.web.serving import Serving


@pytest.mark.parametrize(
    ("proxy", "statuses"), [("127.0.0.1", [201, 201, 429]), ("192.0.2.1", [201, 429, 429])]
)
def test_whose_forwarded_addresses_are_believed(tmp_path, proxy, statuses):
    """One session a minute for each address; the third is the first one's again."""
    database = str(tmp_path / "duels.db")
    with Store(database) as store:
        store.catalogues.add("drinks", drinks())
    with Serving(database, "--sessions-per-minute", "1", "--proxy", proxy) as server:
        found = [
            httpx.post(
                f"http://127.0.0.1:{server.port}/api/v1/sessions",
                json={"catalogue": "drinks"},
                headers={"X-Forwarded-For": person},
                timeout=120,
            ).status_code
            for person in ("198.51.100.1", "198.51.100.2", "198.51.100.1")
        ]
    assert found == statuses
