"""What a software config declares as its inputs and outputs."""
import pytest

from heat.common import exception
from heat.engine import software_config_io


def test_all_that_is_wrong_with_an_input_is_told():
    with pytest.raises(exception.StackValidationFailed) as raised:
        software_config_io.inputs([
            {'name': 'a'}, {'naem': 'b', 'tpye': 'String'}])
    assert str(raised.value) == (
        'inputs[1].naem: Unknown Property naem. Did you mean "name"?\n'
        'One more problem:\n'
        '- inputs[1].tpye: Unknown Property tpye. Did you mean "type"?')
