"""The one error that ends the command with a message for its user."""


class UsageError(Exception):
    """Says in one or two lines what is wrong and what to do."""
