"""Progress of work that a handler began, for its check to look at.

Handlers of plugins return these, and the checks get them back: what they
are about, and what of it has been done.
"""
from typing import Any


class _Work:
    """Work that is asked for once, and done some time."""

    def __init__(self, complete: bool = False, called: bool = False):
        self.complete = complete
        self.called = called


class ServerCreateProgress:
    """A server that is being made."""

    def __init__(self, server_id: str | None, complete: bool = False):
        self.server_id = server_id
        self.complete = complete


class UpdateProgressBase(_Work):
    """A change that a method of a client plugin begins, another checks.

    :param resource_id: the first argument of both methods.
    :param handler: name of the method that begins; the one that checks has
        `check_` in front of it.
    :param handler_extra: more `args` and `kwargs` of the one.
    :param checker_extra: the same of the other.
    """

    def __init__(self, resource_id: str, handler: str,
                 complete: bool = False, called: bool = False,
                 handler_extra: dict[str, Any] | None = None,
                 checker_extra: dict[str, Any] | None = None):
        super().__init__(complete, called)
        self.handler = handler
        self.checker = 'check_%s' % handler
        self.handler_args, self.handler_kwargs = _arguments(
            resource_id, handler_extra)
        self.checker_args, self.checker_kwargs = _arguments(
            resource_id, checker_extra)


def _arguments(resource_id, extra):
    extra = extra or {}
    return ((resource_id, *extra.get('args', ())),
            dict(extra.get('kwargs', {})))


class ServerUpdateProgress(UpdateProgressBase):
    """A change of a server."""

    def __init__(self, server_id: str, handler: str,
                 complete: bool = False, called: bool = False,
                 handler_extra: dict[str, Any] | None = None,
                 checker_extra: dict[str, Any] | None = None):
        super().__init__(server_id, handler, complete, called,
                         handler_extra, checker_extra)
        self.server_id = server_id


class ContainerUpdateProgress(UpdateProgressBase):
    """A change of a container."""

    def __init__(self, container_id: str, handler: str,
                 complete: bool = False, called: bool = False,
                 handler_extra: dict[str, Any] | None = None,
                 checker_extra: dict[str, Any] | None = None):
        super().__init__(container_id, handler, complete, called,
                         handler_extra, checker_extra)
        self.container_id = container_id


class ServerDeleteProgress:
    """A server that is being deleted, after an image was made of it."""

    def __init__(self, server_id: str, image_id: str | None = None,
                 image_complete: bool = True):
        self.server_id = server_id
        self.image_id = image_id
        self.image_complete = image_complete


class VolumeAttachProgress(_Work):
    """A volume that is being attached to a server."""

    def __init__(self, srv_id: str, vol_id: str, device: str | None,
                 task_complete: bool = False):
        super().__init__(task_complete, task_complete)
        self.srv_id = srv_id
        self.vol_id = vol_id
        self.device = device


class VolumeDetachProgress:
    """A volume that is being detached; both services have to say so."""

    def __init__(self, srv_id: str, vol_id: str, attach_id: str | None,
                 task_complete: bool = False):
        self.called = task_complete
        self.cinder_complete = task_complete
        self.nova_complete = task_complete
        self.srv_id = srv_id
        self.vol_id = vol_id
        self.attach_id = attach_id


class VolumeDeleteProgress:
    """A volume that is being deleted, after a backup of it."""

    def __init__(self, task_complete: bool = False):
        self.backup = {'called': task_complete, 'complete': task_complete}
        self.delete = {'called': task_complete, 'complete': task_complete}
        self.backup_id: str | None = None


class VolumeResizeProgress(_Work):
    """A volume that is growing."""

    def __init__(self, task_complete: bool = False, size: int | None = None,
                 pre_check: bool = False):
        super().__init__(task_complete, task_complete)
        self.size = size
        self.pre_check = pre_check


class VolumeUpdateAccessModeProgress:
    """A volume whose access mode is being changed."""

    def __init__(self, task_complete: bool = False,
                 read_only: bool | None = None):
        self.called = task_complete
        self.read_only = read_only


class VolumeBackupRestoreProgress(_Work):
    """A backup that is being written into a volume."""

    def __init__(self, vol_id: str, backup_id: str):
        super().__init__()
        self.vol_id = vol_id
        self.backup_id = backup_id
