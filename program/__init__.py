"""What happens to a turn: window, rules, rewrite, guards, retrieval, fusion."""
