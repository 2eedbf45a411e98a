"""Which turns need no search: greetings and thanks, arithmetic, questions about the chat itself."""
