"""The table of types on a real cloud is what the results say."""
from tests.acceptance import cases
from tests.acceptance import table


def test_page_is_made_of_the_results():
    assert table.PAGE.read_text() == table.page(table.load())


def test_results_are_those_of_types_that_are_tried():
    assert table.load().keys() <= cases.load().keys()
