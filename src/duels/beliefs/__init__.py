"""What a history says of theta: cells with scores (exact), and how likely each is beforehand."""
