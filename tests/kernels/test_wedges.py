import math

import numpy as np
import pytest

from duels.kernels.wedges import wedge_masses

pytestmark = pytest.mark.kernels

NODES, WEIGHTS = np.polynomial.legendre.leggauss(5)


def around(n_arcs, turn):
    """Equal arcs that tile the circle: midpoints and widths."""
    angles = turn + 2 * np.pi * np.arange(n_arcs) / n_arcs
    thetas = np.column_stack([np.cos(angles), np.sin(angles)])
    return thetas, np.full(n_arcs, 2 * np.pi / n_arcs)


@pytest.mark.parametrize("n_arcs", [2, 3, 11])
@pytest.mark.parametrize("size", [0.0, 1e-9, 0.3, 2.0, 12.0, 13.0, 300.0])
def test_masses_of_a_whole_turn_sum_to_1(n_arcs, size):
    thetas, widths = around(n_arcs, 0.4)
    mean = np.array([0.6, -0.8]) * size
    whiten = np.array([[1.0, 0.0], [0.5, 0.8]])
    masses = wedge_masses(thetas, widths, mean, whiten, NODES, WEIGHTS)
    assert masses.sum() == pytest.approx(1, abs=1e-12)
    assert (masses >= 0).all()


@pytest.mark.parametrize("size", [0.0, 0.7, 3.0, 8.0, 25.0])
def test_half_planes_have_the_normal_distribution_function(size):
    thetas, widths = around(2, 1.1)
    mean = np.array([0.5, 0.2]) * size
    masses = wedge_masses(thetas, widths, mean, np.eye(2), NODES, WEIGHTS)
    expected = [math.erfc(-theta @ mean / math.sqrt(2)) / 2 for theta in thetas]
    assert masses == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("mean", [[0.4, 0.1], [1.0, 2.0], [-3.0, 0.5]])
def test_quadrants_are_products_of_two_half_planes(mean):
    thetas, widths = around(4, np.pi / 4)
    masses = wedge_masses(thetas, widths, np.array(mean), np.eye(2), NODES, WEIGHTS)
    x, y = (math.erfc(-m / math.sqrt(2)) / 2 for m in mean)
    assert masses == pytest.approx([x * y, (1 - x) * y, (1 - x) * (1 - y), x * (1 - y)], abs=1e-12)
