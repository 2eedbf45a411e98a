"""Coreference and ellipsis without a language model, in Chinese and English."""
