"""The regret of one pair, from the definitions."""


def arm_scores(kind, p):
    """What arms are worth by a table of win probabilities: minus gaps, Copeland, Borda scores."""
    n, others = len(p), lambda i: [j for j in range(len(p)) if j != i]
    if kind == "copeland":
        return [sum(p[i][j] > 0.5 for j in others(i)) / (n - 1) for i in range(n)]
    if kind == "borda":
        return [sum(p[i][j] for j in others(i)) / (n - 1) for i in range(n)]
    (star,) = [i for i in range(n) if all(p[i][j] > 0.5 for j in others(i))]
    return [0.5 - p[star][i] for i in range(n)]


def table_regret(kind, p, first, second):
    """What a pair loses by a table of win probabilities."""
    strength, _, kind = kind.rpartition("-")
    worth = arm_scores(kind, p)
    losses = [max(worth) - worth[arm] for arm in (first, second)]
    return sum(losses) / 2 if strength == "strong" else min(losses)


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
