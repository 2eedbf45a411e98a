"""What is asked of a language model, as DSPy signatures."""
