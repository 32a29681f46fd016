"""What every store keeps, on databases that the migrations have made."""


def test_a_new_store_is_empty(store):
    assert store.catalogues.entries() == []
    assert store.sessions.ids() == []
