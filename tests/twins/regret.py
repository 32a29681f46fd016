"""The regret of one pair, from the definitions."""


def pair_regret(kind, utilities, first, second):
    """What a pair loses against the best arm, the first of those with the largest utility."""
    utilities = [float(utility) for utility in utilities]
    top = max(utilities)
    best = utilities.index(top)
    return {
        "utility": top - max(utilities[first], utilities[second]),
        "binary": 0.0 if best in (first, second) else 1.0,
        "strong-utility": top - (utilities[first] + utilities[second]) / 2,
        "strong-binary": 0.0 if first == second == best else 1.0,
    }[kind]
