"""Write a run of your own loop with all five pens."""
from __future__ import annotations

import contextlib
import ctypes
import os
from typing import Any, Dict, Iterator, Optional, Union

from . import _c

_POOLS = {"creature": 0, "projectile": 1, "secondary": 2, "bonus": 3}
_PIXELS = {"rgba": 0, "bgra": 1, "indexed": 2}
_FORMS = {"rgba": 4, "bgra": 4, "indexed": 1}


class Pens:
    """A run directory that grows tick by tick.

        with rastrum.Pens("run", program="game", seed=7) as pens:
            for tick in range(100):
                pens.tick(tick)
                pens.value("score", score)
                pens.state("map", map_bytes)

    Without a directory the variable RASTRUM_PENS names it, and where it is not set nothing is
    recorded: every method then does nothing. The first failure ends the recording, and close()
    raises it.
    """

    def __init__(self, dir: "Optional[Union[str, os.PathLike[str]]]" = None, *,
                 program: Optional[str] = None, seed: int = 0, settings: bytes = b"",
                 first_tick: int = 0, dt_seconds: float = 0.0, pens: Optional[str] = None,
                 durable: bool = False, flush_ms: int = 0, replace: bool = False) -> None:
        held = ctypes.create_string_buffer(settings, len(settings)) if settings else None
        options = _c.PensOptions(
            struct_size=_c.sizeof(_c.PensOptions), dir=os.fsencode(dir) if dir else None,
            program=program.encode() if program else None, seed=seed, first_tick=first_tick,
            dt_seconds=dt_seconds, pens=pens.encode() if pens else None, keep=int(durable),
            flush_ms=flush_ms, replace=replace)
        if held is not None:
            options.settings = _c.Bytes(ctypes.addressof(held), len(settings))
        self._pens = _c.c_void_p()
        self._names: Dict[str, int] = {}
        _c.checked(_c.pens.ras_pens_open, _c.byref(self._pens), _c.byref(options))

    @property
    def is_on(self) -> bool:
        """Whether anything is recorded."""
        return bool(self._pens)

    def _name(self, name: str) -> int:
        if name not in self._names:
            self._names[name] = _c.pens.ras_pens_name(self._pens, _c.raw(name))
        return self._names[name]

    def tick(self, number: int) -> None:
        """A tick begins; the one before ends."""
        _c.pens.ras_pens_tick(self._pens, number)

    def settled(self) -> None:
        """The simulation's part of the tick is over."""
        _c.pens.ras_pens_settled(self._pens)

    def flush(self) -> None:
        _c.pens.ras_pens_flush(self._pens)

    def input(self, type: int, data: bytes) -> None:
        """An input of the program, as bytes of its own."""
        _c.pens.ras_pens_input(self._pens, type, data, len(data))

    def state(self, name: str, data: bytes, index: int = 0) -> None:
        """Bytes whose hash is part of the tick's state."""
        _c.pens.ras_pens_bytes(self._pens, self._name(name), index, data, len(data))

    def value(self, name: str, value: "Union[bool, int, float, str]", index: int = 0) -> None:
        """One value, kept as it is."""
        if isinstance(value, str):
            _c.pens.ras_pens_text(self._pens, self._name(name), index, value.encode())
        elif isinstance(value, float):
            _c.pens.ras_pens_real(self._pens, self._name(name), index, value)
        else:
            if not -2**63 <= int(value) < 2**63:
                raise OverflowError("%s: %d does not fit in 64 bits" % (name, value))
            _c.pens.ras_pens_int(self._pens, self._name(name), index, int(value))

    def snapshot(self, hash: int) -> None:
        """The program's own hash of all its state, in place of the one made here."""
        _c.pens.ras_pens_snapshot(self._pens, hash)

    def draw(self, caller: int, value: int, before: int, after: int) -> None:
        """A random number was drawn."""
        _c.pens.ras_pens_draw(self._pens, caller, value, before, after)

    def entity(self, pool: str, slot: int, **fields: Any) -> None:
        """Something that lives in a slot of "creature", "projectile", "secondary" or "bonus":
        generation, kind, flags, owner, target, hp, x, y, vx, vy, heading, timer."""
        row = _c.PensEntity(pool=_POOLS[pool], slot=slot, **fields)
        _c.pens.ras_pens_entity(self._pens, _c.byref(row))

    def player(self, index: int, x: float, y: float, health: float, experience: int = 0,
               level: int = 0) -> None:
        _c.pens.ras_pens_player(self._pens, index, x, y, health, experience, level)

    @contextlib.contextmanager
    def span(self, name: str) -> Iterator[None]:
        """A part of the tick by name, with its time; they nest."""
        number = self._name(name)
        _c.pens.ras_pens_begin(self._pens, number)
        try:
            yield
        finally:
            _c.pens.ras_pens_end(self._pens, number)

    def pixels(self, form: str, width: int, height: int, data: bytes, *, stride: int = 0,
               palette: Optional[bytes] = None) -> None:
        """What is shown now, as "rgba", "bgra" or "indexed" with a palette of 1,024 bytes."""
        row = stride or width * _FORMS[form]
        if row < width * _FORMS[form] or len(data) < row * height:
            raise ValueError("%d bytes are too few for %d rows of %d" % (len(data), height, row))
        colors = None
        if form == "indexed":
            if palette is None or len(palette) != 1024:
                raise ValueError("indexed pixels need a palette of 1024 bytes")
            colors = (_c.c_uint32 * 256).from_buffer_copy(palette)
        _c.pens.ras_pens_pixels(self._pens, _PIXELS[form], width, height, row, data, colors)

    def close(self) -> None:
        """End the open tick and seal the files; raises what failed."""
        if self._pens:
            pens, self._pens = self._pens, _c.c_void_p()
            _c.checked(_c.pens.ras_pens_close, pens)

    def __enter__(self) -> "Pens":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


__all__ = ["Pens"]
