"""Which engines a query is sent to, by rules."""
