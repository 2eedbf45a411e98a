"""Which language model answers, and how the embedded one is fetched and run."""

import os

# DSPy looks up prices and context sizes of hosted models, and at the first call asks GitHub for a newer list unless told not to: a private
# program calls nobody it was not told to call. The bundled list serves. A value the user has set is kept.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "true")
