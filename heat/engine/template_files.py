"""The files that came with a template."""
import collections.abc
from collections.abc import Iterator, Mapping
from typing import Any


class TemplateFiles(collections.abc.Mapping[str, Any]):
    """File contents by name.

    files_id is the id of the stored copy with exactly these contents, if
    there is one; whoever stores the files sets it.
    """

    def __init__(self, files: 'Mapping[str, Any] | TemplateFiles | None',
                 files_id: int | None = None) -> None:
        self._files: Mapping[str, Any] = {} if files is None else files
        self.files_id = files_id
        if isinstance(files, TemplateFiles):
            self._files = files.contents
            self.files_id = files.files_id if files_id is None else files_id

    @property
    def contents(self) -> Mapping[str, Any]:
        """The contents by name, which must not be changed."""
        return self._files

    def __getitem__(self, key: str) -> Any:
        return self._files[key]

    def __len__(self) -> int:
        return len(self._files)

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __contains__(self, key: object) -> bool:
        return key in self._files

    def as_dict(self) -> dict[str, Any]:
        """Return a new dict of the files, as it is stored."""
        return dict(self._files)

    def update(self, files: Mapping[str, Any]) -> None:
        """Add or overwrite files.

        The mapping given at construction is left as it is, since other
        templates may share it.
        """
        self._files = {**self._files, **files}
        self.files_id = None
