import pytest

from heat.common import cloud_error


class Answer:
    """The HTTP response of a service."""

    heat_service = 'placement'

    def __init__(self, body):
        self._body = body

    def json(self):
        if self._body is None:
            raise ValueError('no JSON')
        return self._body


class Refused(Exception):
    """An error of a client, as openstacksdk raises it."""

    status_code = 400
    url = 'http://placement.example/usages'
    method = 'GET'
    details = None

    def __init__(self, body):
        super().__init__()
        self.response = Answer(body)


@pytest.mark.parametrize(('body', 'words'), [
    ({'errors': [{'title': 'Bad', 'detail': 'No such class'}]},
     ': No such class'),
    ({'errors': [{'title': 'Bad', 'detail': ''}, {'title': 'Worse'}]},
     ': Bad; Worse'),
    ({'errors': 'many'}, ''), ({'errors': [{}]}, ''), ({'errors': {}}, ''),
    ([], ''), ({}, ''), (None, '')])
def test_errors_that_an_answer_lists(body, words):
    assert cloud_error.text_of(Refused(body)) == (
        'the service placement answered 400 to GET /usages' + words)
