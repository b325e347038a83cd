"""Asking one engine about itself, and telling it to stop its work."""
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging
import oslo_messaging

from heat.common import context as heat_context
from heat.common import messaging
from heat.rpc import client_base
from heat.rpc import listener_api

LOG = logging.getLogger(__name__)

#: Fixed limit of the time that stopping the tasks of a stack may take.
STOP_STACK_TIMEOUT = 30


class EngineListenerClient:
    """Reaches engines by their ids.

    :param engine_id: the engine that is meant when a call names none.
    """

    BASE_RPC_API_VERSION = '1.0'

    def __init__(self, engine_id: str | None = None) -> None:
        self._engine_id = engine_id
        self._client = messaging.get_rpc_client(
            retry=1, topic=listener_api.TOPIC,
            version=self.BASE_RPC_API_VERSION)

    def _prepare(self, engine_id: str | None, **options: Any
                 ) -> Any:
        return self._client.prepare(server=engine_id or self._engine_id,
                                    **options)

    def is_alive(self, ctxt: heat_context.RequestContext,
                 engine_id: str | None = None) -> bool:
        """Return whether an engine answers in due time.

        One that cannot be asked, for the broker is away, is taken to be
        alive: what it holds must not be taken from it.
        """
        client = self._prepare(
            engine_id, timeout=cfg.CONF.engine_life_check_timeout)
        try:
            return bool(client.call(ctxt, 'listening'))
        except oslo_messaging.MessagingTimeout:
            return False
        except Exception as exc:  # noqa: BLE001 - whatever the driver has
            LOG.warning('Engine %s cannot be asked whether it is alive: %s',
                        engine_id or self._engine_id, exc)
            return True

    def trouble(self, ctxt: heat_context.RequestContext,
                engine_id: str | None = None) -> str | None:
        """Return what keeps an engine from answering, or None."""
        client = self._prepare(
            engine_id, timeout=cfg.CONF.engine_life_check_timeout)
        try:
            client.call(ctxt, 'listening')
        except oslo_messaging.MessagingTimeout:
            return 'no answer'
        except Exception as exc:  # noqa: BLE001 - whatever the driver has
            return type(exc).__name__
        return None

    def load(self, ctxt: heat_context.RequestContext, engine_id: str
             ) -> dict[str, Any] | None:
        """Return the load of an engine, None if it does not answer.

        The engine may be gone or unreachable, or of a release without this
        call. Engines of the previous release send no ``metrics``.
        """
        client = self._prepare(
            engine_id, version='1.1',
            timeout=cfg.CONF.engine_life_check_timeout)
        try:
            found: dict[str, Any] = client.call(ctxt, 'load')
        except Exception as exc:  # noqa: BLE001 - whatever the driver has
            LOG.info('Engine %s does not say how much it has to do: %s',
                     engine_id, exc)
            return None
        return found

    def stop_stack(self, ctxt: heat_context.RequestContext, engine_id: str,
                   stack_identity: client_base.Identity | str,
                   timeout: float = STOP_STACK_TIMEOUT) -> Any:
        """Make an engine end its tasks for a stack, and wait for it."""
        client = self._prepare(engine_id, timeout=timeout)
        return client.call(ctxt, 'stop_stack',
                           stack_identity=_identity(ctxt, stack_identity))

    def send(self, ctxt: heat_context.RequestContext, engine_id: str,
             stack_identity: client_base.Identity | str, message: str) -> Any:
        """Hand a message to the tasks of a stack."""
        client = self._prepare(
            engine_id, timeout=cfg.CONF.engine_life_check_timeout)
        return client.call(ctxt, 'send',
                           stack_identity=_identity(ctxt, stack_identity),
                           message=message)


def _identity(ctxt: heat_context.RequestContext,
              stack_identity: client_base.Identity | str
              ) -> client_base.Identity:
    """Return the mapping that goes out for an identity or a bare id."""
    if not isinstance(stack_identity, str):
        return dict(stack_identity)
    return {'tenant': getattr(ctxt, 'project_id', None), 'stack_name': '',
            'stack_id': stack_identity, 'path': ''}
