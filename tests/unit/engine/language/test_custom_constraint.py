"""Constraints that ask a cloud service whether it knows a value."""
import pytest

from heat.common import exception
from heat.engine import constraints
from heat.engine.language import custom_constraint
from tests.fakes import known_names


class KnownNames(custom_constraint.BaseCustomConstraint):
    resource_client_name = 'cloud'
    resource_getter_name = 'get_thing'


class Region(dict):
    def get(self, key, expiration_time):
        assert expiration_time == 60
        return super().get(key)

    def set(self, key, value):
        self[key] = value


def test_positive_answers_are_kept():
    region = Region()
    custom_constraint.ValidationCache.configure(region, 60)
    try:
        context = known_names.Context('one')
        for _round in range(3):
            assert KnownNames().validate('one', context)
            assert not KnownNames().validate('two', context)
    finally:
        custom_constraint.ValidationCache.configure(None)
    assert context.plugin.asked == ['one', 'two', 'two', 'two']
    assert region == {'KnownNames:p1:one': True}


def test_base_without_client_is_a_defect():
    class Nameless(custom_constraint.BaseCustomConstraint):
        expected_exceptions = (exception.EntityNotFound, ZeroDivisionError)

    with pytest.raises(ValueError, match='Nameless'):
        Nameless().validate('x', known_names.Context())


def test_plugins_know_the_base_as_part_of_constraints():
    assert constraints.BaseCustomConstraint is (
        custom_constraint.BaseCustomConstraint)
    assert constraints.ValidationCache is custom_constraint.ValidationCache


def test_reason_is_what_the_service_says():
    constraint = KnownNames()
    assert constraint.error('two') == "Error validating value 'two'"
    assert not constraint.validate('two', known_names.Context('one'))
    assert constraint.error('two').startswith(
        "Error validating value 'two': The Thing (two) could not be found")


def test_unexpected_errors_pass_and_are_not_kept():
    region = Region()
    custom_constraint.ValidationCache.configure(region, 60)
    try:
        with pytest.raises(ConnectionError):
            KnownNames().validate('broken', known_names.Context('one'))
    finally:
        custom_constraint.ValidationCache.configure(None)
    assert region == {}


def test_a_service_that_is_not_there_knows_nothing():
    class Elsewhere(KnownNames):
        resource_client_name = 'unknown'

    class Context(known_names.Context):
        def client_plugin(self, name):
            return None if name == 'unknown' else super().client_plugin(name)

    constraint = Elsewhere()
    context = Context('one')
    assert not constraint.validate('one', context)
    assert 'unknown is not available' in constraint.error('one')
    assert context.plugin.asked == []


def test_without_a_cloud_every_value_may_be_right():
    assert KnownNames().validate('one', custom_constraint.OFFLINE)


def test_answers_are_kept_by_project():
    region = Region()
    custom_constraint.ValidationCache.configure(region, 60)
    try:
        assert KnownNames().validate('one', known_names.Context('one'))
        other = known_names.Context('two')
        other.project_id = 'p2'
        assert not KnownNames().validate('one', other)
    finally:
        custom_constraint.ValidationCache.configure(None)


def test_errors_that_mean_invalid_are_those_of_the_class():
    class Tolerant(KnownNames):
        expected_exceptions = (ConnectionError,)

    assert not Tolerant().validate('broken', known_names.Context())
    with pytest.raises(exception.EntityNotFound):
        Tolerant().validate('one', known_names.Context())
