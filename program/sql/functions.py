"""The functions that a statement may call: calculation on the values of a row or a group, nothing that reads or writes elsewhere.

DuckDB has some that tell of the process, wait, write its log, or fill the memory in one call (repeat, lpad), and any release may bring more;
so those that may be called are listed.
"""

import functools

_AGGREGATES = """
any_value approx_count_distinct arg_max arg_min array_agg avg bool_and bool_or corr count count_if first group_concat last list max max_by
mean median min min_by mode product quantile quantile_cont quantile_disc stddev stddev_pop stddev_samp string_agg sum var_pop var_samp
variance
"""
_WINDOW = "cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number"
_NUMBERS = (
    "abs ceil ceiling exp floor greatest isfinite isnan least ln log log10 log2 mod pow power round sign sqrt trunc"
)
_TEXT = """
char_length concat concat_ws contains ends_with instr lcase left length len like lower ltrim position prefix regexp_extract
regexp_full_match regexp_matches regexp_replace replace reverse right rtrim split_part starts_with strlen strpos substr substring
suffix translate trim ucase upper
"""
_TIMES = """
age century current_date current_time current_timestamp date date_add date_diff date_part date_sub date_trunc datediff datepart datesub
datetrunc day dayname dayofmonth dayofweek dayofyear decade epoch extract hour isodow isoyear last_day make_date make_time make_timestamp
minute month monthname now quarter second strftime strptime to_days to_months to_years today try_strptime week weekday weekofyear year
yearweek
"""
_CHOICE = "coalesce if ifnull nullif"

ALLOWED = frozenset(" ".join((_AGGREGATES, _WINDOW, _NUMBERS, _TEXT, _TIMES, _CHOICE)).split())
"""Names as DuckDB spells them, in lower case."""

# What sqlglot reads as a function although SQL writes it otherwise.
_SYNTAX = ("And", "Case", "Cast", "Exists", "Extract", "If", "Or", "TryCast", "Xor")
_ARGUMENTS = ("", "a", "a, b", "a, b, c")


@functools.cache
def allowed_types() -> tuple[type, ...]:
    """Return sqlglot's classes for the allowed functions: it turns most names into a class of their own, and some into several."""
    import sqlglot  # noqa: PLC0415 - an optional extra
    from sqlglot import exp  # noqa: PLC0415

    found: set[type] = set()
    for name in sorted(ALLOWED):
        for arguments in _ARGUMENTS:
            try:
                column = sqlglot.parse_one(f"SELECT {name}({arguments})", dialect="duckdb").expressions[0]
            except sqlglot.ParseError:
                continue
            found |= {type(node) for node in column.find_all(exp.Func)}
    found |= {getattr(exp, name) for name in _SYNTAX}
    return tuple(sorted(found - {exp.Anonymous, exp.AnonymousAggFunc}, key=lambda one: one.__name__))
