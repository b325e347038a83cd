"""A TCP proxy that delays, cuts, swallows or truncates what passes it."""
import asyncio
import contextlib
import threading

from tests import ports

_CHUNK = 65536


class Proxy:
    """Connects its port with a target, and disturbs on request.

    Processes know the port of the proxy only. A server that takes over from
    another one gets their connections by point_to().

    :param target: port on 127.0.0.1 that connections lead to
    """

    def __init__(self, target):
        self.port = ports.free_port()
        self._target = target
        self._connections = set()
        self._delay = 0
        self._refuses = False
        self._truncates = False
        self._passing = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        started = threading.Event()
        self._loop.call_soon(started.set)
        self._thread.start()
        self._ask(self._listen())
        started.wait()

    def _run(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    def _ask(self, coroutine):
        return asyncio.run_coroutine_threadsafe(
            coroutine, self._loop).result(60)

    async def _listen(self):
        self._passing = asyncio.Event()
        self._passing.set()
        self._server = await asyncio.start_server(
            self._accept, '127.0.0.1', self.port, backlog=512)

    async def _accept(self, reader, writer):
        if self._refuses:
            writer.transport.abort()
            return
        try:
            there = await asyncio.open_connection('127.0.0.1', self._target)
        except OSError:
            writer.transport.abort()
            return
        link = (writer, there[1])
        self._connections.add(link)
        try:
            await asyncio.gather(
                self._carry(link, reader, there[1], False),
                self._carry(link, there[0], writer, True))
        except asyncio.CancelledError:
            # The proxy is closed; nobody waits for this task.
            return
        finally:
            self._connections.discard(link)
            self._abort(link)

    @staticmethod
    def _abort(link):
        for end in link:
            end.transport.abort()

    async def _carry(self, link, reader, writer, is_answer):
        with contextlib.suppress(OSError):
            while data := await reader.read(_CHUNK):
                if self._delay:
                    await asyncio.sleep(self._delay)
                await self._passing.wait()
                if self._truncates and is_answer and len(data) > 1:
                    writer.write(data[:len(data) // 2])
                    await writer.drain()
                    break
                writer.write(data)
                await writer.drain()
        self._abort(link)

    # -- disturbing ---------------------------------------------------------

    def point_to(self, port):
        """Lead new connections to another server, and cut the old ones."""
        self._target = port
        self.cut()

    def cut(self):
        """Reset all connections."""
        async def reset():
            for link in list(self._connections):
                self._abort(link)

        self._ask(reset())

    def _set(self, **values):
        async def change():
            self.__dict__.update(values)

        self._ask(change())

    @contextlib.contextmanager
    def refusing(self):
        """Reset all connections, old and new, during the context."""
        self._set(_refuses=True)
        self.cut()
        try:
            yield
        finally:
            self._set(_refuses=False)

    @contextlib.contextmanager
    def delaying(self, seconds):
        """Have each piece of data wait during the context."""
        self._set(_delay=seconds)
        try:
            yield
        finally:
            self._set(_delay=0)

    @contextlib.contextmanager
    def swallowing(self):
        """Let nothing pass during the context, and close nothing.

        What was held back is lost with its connection at the end.
        """
        async def change(passes):
            (self._passing.set if passes else self._passing.clear)()

        self._ask(change(False))
        try:
            yield
        finally:
            self.cut()
            self._ask(change(True))

    @contextlib.contextmanager
    def truncating(self):
        """Send half of an answer, then close, during the context."""
        self._set(_truncates=True)
        try:
            yield
        finally:
            self._set(_truncates=False)

    def close(self):
        """Stop listening, and end all connections."""
        async def end():
            self._server.close()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for link in list(self._connections):
                self._abort(link)
            # What was aborted is told so in the next turn.
            await asyncio.sleep(0)

        self._ask(end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
