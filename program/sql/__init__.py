"""The SQL channel: registered tables, a checked SELECT, its rows as hits."""
