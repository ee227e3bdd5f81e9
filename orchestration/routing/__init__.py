"""Who answers: tiers from certain to guessed, each a small function."""
