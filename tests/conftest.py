"""Settings of every test: hypothesis is derandomized and keeps no database."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "nightledger",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.load_profile("nightledger")
