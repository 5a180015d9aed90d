"""Tables by name."""

import difflib
from collections.abc import Callable, Iterator, Mapping

from backwater._backwater import Table


class Named(Mapping[str, Table]):
    """Tables by name; a call of it is the same as brackets."""

    def __init__(self, what: str, names: list[str], get: Callable[[str], Table | None]) -> None:
        self._what, self._names, self._get = what, names, get

    def __getitem__(self, name: str) -> Table:
        found = self._get(name)
        if found is None:
            raise KeyError(self.missing(name))
        return found

    def missing(self, name: str) -> str:
        """Words on a name that is none of these."""
        known = ", ".join(self._names) or "none"
        return f"there is no {self._what} `{name}`; there are: {known}"

    def __call__(self, name: str) -> Table:
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _ipython_key_completions_(self) -> list[str]:
        return self._names

    def __repr__(self) -> str:
        return f"<{self._what}: {', '.join(self._names) or 'none'}>"


class Tabled:
    """What has tables: each is an item and an attribute of it.

    `found["delay-bounds"]` and `found.delay_bounds` are the same table. Attributes of its own, such as
    `summary`, keep their meaning.
    """

    __slots__ = ()

    @property
    def tables(self) -> Named:
        """All tables by name."""
        raise NotImplementedError

    def __getitem__(self, name: str) -> Table:
        return self.tables[name]

    def __contains__(self, name: object) -> bool:
        return name in self.tables

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __getattr__(self, name: str) -> Table:
        # What looks for protocols asks for such names: no table has one.
        if name.startswith("_"):
            raise AttributeError(name)
        for own in self.tables:
            if attribute(own) == name:
                return self.tables[own]
        others = [own for own in dir(self) if not own.startswith("_")]
        near = difflib.get_close_matches(name, others, 1)
        meant = f"did you mean `{near[0]}`? " if near else ""
        what = f"{type(self).__name__} has no attribute `{name}`; {meant}"
        raise AttributeError(what + self.tables.missing(name), name=name, obj=self)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *map(attribute, self.tables)})

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.tables)


def attribute(name: str) -> str:
    """A table's name as that of an attribute."""
    return name.replace("-", "_")
