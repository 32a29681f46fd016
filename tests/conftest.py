"""What all tests share."""

import numba
import pytest
from hypothesis import settings

settings.register_profile("duels", deadline=None)  # no test depends on time
settings.load_profile("duels")


def pytest_collection_modifyitems(items):
    """Uncompiled, whole numbers of 64 bits are numpy's, which warns where kernels mean to wrap."""
    if numba.config.DISABLE_JIT:
        for test in items:
            test.add_marker(pytest.mark.filterwarnings("ignore:overflow encountered"))


@pytest.fixture(scope="session")
def postgres():
    """A real PostgreSQL; each process of the tests has its own."""
    from tests.databases import Postgres

    with Postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    """The address of an empty database, of one kind and then of the other."""
    if request.param == "sqlite":
        yield str(tmp_path / "duels.db")
    else:
        server = request.getfixturevalue("postgres")
        address = server.new_database()
        yield address
        server.drop(address)


@pytest.fixture
def store(database):
    """An empty store in such a database, which its migrations have made."""
    from duels.stores.store import Store

    with Store(database) as opened:
        yield opened


@pytest.fixture(scope="session")
def refusal():
    """Call something that must fail with this error; its message."""

    def call(error, function, *args, **settings):
        with pytest.raises(error) as caught:
            function(*args, **settings)
        assert type(caught.value) is error
        return str(caught.value)

    return call


@pytest.fixture(scope="session")
def unevenness():
    """How far counts are from even, in standard errors: the chi-square, made nearly normal.

    Wilson and Hilferty (1931): the cube root of a chi-square over its degrees of freedom.
    """

    def z(counts):
        degrees, even = len(counts) - 1, sum(counts) / len(counts)
        chi_square = sum((count - even) ** 2 / even for count in counts)
        spread = 2 / (9 * degrees)
        return ((chi_square / degrees) ** (1 / 3) - (1 - spread)) / spread**0.5

    return z
