"""The base of commands that print a plan."""
from osc_lib.command import command


class ShowPlan(command.ShowOne):
    """Prints a change set, as a diff by default."""

    @property
    def formatter_namespace(self) -> str:
        """The output formats."""
        return 'heat_plan_client.formatter.plan'

    @property
    def formatter_default(self) -> str:
        """The output format unless another one is asked for."""
        return 'diff'
