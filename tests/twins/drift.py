"""People who drift, duel by duel, from the definitions."""

import math


def standardised(values):
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    return [(value - mean) / spread for value in values]


def seen_utilities(taste, features, numbers):
    """What features are worth to somebody: θ·A, −‖A − θ‖² or θ·A + A·W·A."""
    d = len(features[0])
    theta = numbers[-d:]
    found = []
    for arm in features:
        if taste == "ideal":
            found.append(-sum((arm[k] - theta[k]) ** 2 for k in range(d)))
            continue
        utility = sum(arm[k] * theta[k] for k in range(d))
        if taste == "quadratic":
            utility += sum(arm[i] * numbers[i * d + j] * arm[j] for i in range(d) for j in range(d))
        found.append(utility)
    return found


def utilities_now(taste, explained, features, numbers):
    """The utilities of somebody with these numbers: those of the taste, then the arms' own."""
    n_arms = len(features)
    seen = standardised(seen_utilities(taste, features, numbers[:-n_arms]))
    own = standardised(numbers[-n_arms:])
    parts = zip(seen, own, strict=True)
    return standardised(
        [math.sqrt(explained) * one + math.sqrt(1 - explained) * other for one, other in parts]
    )


def walk(taste, explained, drift, features, numbers, normals):
    """The utilities in every duel; ``normals`` has the steps after each duel."""
    found = []
    for steps in normals:
        found.append(utilities_now(taste, explained, features, numbers))
        kept = 1 - drift
        numbers = [
            kept * number + math.sqrt(1 - kept**2) * step
            for number, step in zip(numbers, steps, strict=True)
        ]
    return found


def chances(choice, parameter, lapse, utilities):
    """p_ij with careless answers among the others."""

    def careful(i, j):
        apart = utilities[i] - utilities[j]
        if choice == "logit":
            return 1 / (1 + math.exp(-parameter * apart))
        if choice == "probit":
            return 0.5 * math.erfc(-parameter * apart / math.sqrt(2))
        return 0.5 if apart == 0 else parameter if apart > 0 else 1 - parameter

    n_arms = range(len(utilities))
    return [[lapse / 2 + (1 - lapse) * careful(i, j) for j in n_arms] for i in n_arms]
