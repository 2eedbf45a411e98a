"""How a program gets better: compile, tune, evaluate, track. The only place for MLflow."""
