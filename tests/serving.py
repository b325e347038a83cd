"""Socket servers that run in a thread during a test."""
import contextlib
import threading


@contextlib.contextmanager
def serving(server, interval=0.01):
    """Let a socket server answer during a with block; yield the server.

    :param interval: seconds between its looks whether it is to end
    """
    thread = threading.Thread(target=server.serve_forever, args=(interval,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
