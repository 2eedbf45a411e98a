"""Other people's rewriters, measured with the same model, retriever and turns."""
