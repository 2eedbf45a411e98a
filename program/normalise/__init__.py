"""The corpus's words for the user's: a dictionary of terms, and dates."""
