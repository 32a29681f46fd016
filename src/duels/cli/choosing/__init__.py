"""What `duels choose` is made of: the file of answers, the dialogue, and how it is shown."""
