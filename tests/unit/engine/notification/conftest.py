"""Notifications are kept by the tests here."""
import pytest

from heat.common import messaging
from tests.fakes import notifier as fake_notifier


@pytest.fixture
def notifier(monkeypatch):
    notifier = fake_notifier.Notifier()
    monkeypatch.setattr(messaging.TRANSPORTS, 'notifier', notifier)
    return notifier
