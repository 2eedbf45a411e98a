"""An experiment as a YAML file: strict, so that a misspelt key is an error and not a default."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from data.errors import ConfigError
from program.settings import Settings, SignatureName


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SplitConfig(_Strict):
    """Shares of conversations."""

    dev: float = Field(default=0.25, gt=0, lt=1)
    test: float = Field(default=0.25, gt=0, lt=1)


class LimitConfig(_Strict):
    """Most turns used of each split, drawn by the experiment's seed; ``None`` uses all."""

    train: int | None = Field(default=None, ge=1)
    dev: int | None = Field(default=None, ge=1)
    test: int | None = Field(default=None, ge=1)
    tune: int = Field(default=300, ge=1)
    """Most dev turns for tuning. Those beyond ``dev`` are resolved by rules alone: they vote on what needs no model."""


class NoneConfig(_Strict):
    """Leave the prompts as they are; the parameters are still tuned."""

    name: Literal["none"]


class _DemoConfig(_Strict):
    max_demos: int = Field(default=6, ge=0)
    unchanged_share: float = Field(default=0.25, ge=0, le=1)
    """Share of the demos whose question stays as it is."""


class LabeledConfig(_DemoConfig):
    """Gold rewrites as demos."""

    name: Literal["labeled_few_shot"]


class RuleTaughtConfig(_DemoConfig):
    """Demos that the rules made and that found everything; needs no gold rewrites and no model call."""

    name: Literal["rule_taught"]


class BootstrapConfig(_DemoConfig):
    """Demos that the program itself makes and that pass strictly."""

    name: Literal["bootstrap_few_shot"]


class RandomSearchConfig(_DemoConfig):
    """Several demo sets, rule-taught, labelled and bootstrapped in turn, each from another seed."""

    name: Literal["random_search"]
    candidates: int = Field(default=6, ge=1)


class GainConfig(_Strict):
    """Demos whose rewrites find what the original query missed, varied and short; no model call to choose them."""

    name: Literal["gain_demos"]
    max_demos: int = Field(default=6, ge=0)
    unchanged_shares: list[Annotated[float, Field(ge=0, le=1)]] = Field(default=[0.0, 0.25, 0.5], min_length=1)
    """Shares of demos whose question stays as it is, a candidate each."""


class KnnConfig(_DemoConfig):
    """A pool of demos, of which each turn is shown the ``max_demos`` most like it."""

    name: Literal["knn_few_shot"]
    pool: int = Field(default=48, ge=1)
    """Demos saved with the program at most."""


class MiproConfig(_Strict):
    """Instructions by a language model, and bootstrapped demos, searched together (DSPy's MIPROv2)."""

    name: Literal["mipro"]
    max_demos: int = Field(default=4, ge=0)
    """0 leaves the demos as they are."""
    candidates: int = Field(default=4, ge=2)
    """Instructions, and sets of demos, to choose from."""
    trials: int = Field(default=8, ge=1)
    check_turns: int = Field(default=24, ge=5)
    """Training turns on which each trial is scored, at most."""
    reflection_lm: str | None = None
    """The model that writes instructions, as for ``lm``; the experiment's own without it."""


class GepaConfig(_Strict):
    """An instruction rewritten by a second model that is told in words what went wrong (DSPy's GEPA)."""

    name: Literal["gepa"]
    reflection_lm: str | None = None
    """The second model, as for ``lm``; there is no default, and no search without it."""
    metric_calls: int = Field(default=150, ge=1)
    """Turns run in all."""
    check_turns: int = Field(default=20, ge=5)
    """Training turns on which an instruction is scored, at most."""

    @model_validator(mode="after")
    def _has_a_reflection_model(self) -> Self:
        if self.reflection_lm is None:
            raise ValueError("gepa needs a reflection_lm: name a strong model, such as openai/gpt-4o; or use mipro")
        return self


_OneConfig = Annotated[
    NoneConfig
    | LabeledConfig
    | RuleTaughtConfig
    | GainConfig
    | BootstrapConfig
    | RandomSearchConfig
    | KnnConfig
    | MiproConfig
    | GepaConfig,
    Field(discriminator="name"),
]


class SequenceConfig(_Strict):
    """Several optimizers, each from the best of those before."""

    name: Literal["sequence"]
    steps: list[_OneConfig] = Field(min_length=1)


OptimizerConfig = Annotated[_OneConfig | SequenceConfig, Field(discriminator="name")]


def reflection_models(config: OptimizerConfig) -> tuple[str, ...]:
    """The names of the models that write instructions, each once."""
    steps = config.steps if isinstance(config, SequenceConfig) else [config]
    named = [step.reflection_lm for step in steps if isinstance(step, MiproConfig | GepaConfig)]
    return tuple(dict.fromkeys(name for name in named if name is not None))


class TuneConfig(_Strict):
    """Search over parameters that need no model call."""

    trials: int = Field(default=200, ge=0)
    """0 keeps the settings as they are."""
    ask_lm: bool = True
    """Whether it may change when the model is asked. Without it every candidate's prompts count at every follow-up."""


class BudgetConfig(_Strict):
    """Most that the language model may be used; ``None`` is no limit."""

    lm_calls: int | None = Field(default=None, ge=1)
    lm_tokens: int | None = Field(default=None, ge=1)
    minutes: float | None = Field(default=None, gt=0)
    """Of the whole run, by the clock: another machine then learns more or less."""
    usd: float | None = Field(default=None, gt=0)
    """By litellm's prices, with every token at the price of a written one: an upper bound."""


class Experiment(_Strict):
    """One compile run, all of it."""

    name: str = Field(min_length=1, pattern=r"^[\w.-]+$")
    data: Path
    """Folder with ``corpus.jsonl`` and ``turns.jsonl``."""
    store: Path | None = None
    """Index folder, built when missing; ``stores/NAME`` by default."""
    seed: int = 7
    split: SplitConfig = SplitConfig()
    limits: LimitConfig = LimitConfig()
    retriever: Literal["bm25", "vector", "hybrid"] = "hybrid"
    lm: str | None = "local"
    """As for ``--lm``; ``null`` tunes the rules alone."""
    api_base: str | None = None
    lms: dict[SignatureName, str] = Field(default_factory=dict)
    """Another language model for single signatures."""
    start_from: Path | None = None
    """A saved program to begin with: its prompts make the first demos."""
    optimizer: OptimizerConfig = RandomSearchConfig(name="random_search")
    tune: TuneConfig = TuneConfig()
    budget: BudgetConfig = BudgetConfig()
    settings: Settings = Settings()
    output: Path
    """Folder for the compiled program."""


def load_experiment(path: Path) -> Experiment:
    """Read and check an experiment file; paths in it are relative to the working directory.

    Raises:
        ConfigError: Missing, not YAML, unknown keys or wrong values: a line for each, with the file and the key.
    """
    try:
        raw: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(
            f"there is no file {path}", advice="see experiments/*.yaml for examples", path=str(path)
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not YAML: {' '.join(str(error).split())}", path=str(path)) from error
    try:
        return Experiment.model_validate(raw if raw is not None else {})
    except ValidationError as error:
        problems = [f"{path}: {'.'.join(map(str, one['loc'])) or 'top level'}: {one['msg']}" for one in error.errors()]
        raise ConfigError("\n".join(problems), path=str(path), problems=problems) from error
