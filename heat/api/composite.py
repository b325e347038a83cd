"""One application made of several, each under a path of its own."""


class Composite:
    """Hands a request to the application with the longest fitting path."""

    def __init__(self, applications):
        self.applications = sorted(
            ((path.rstrip('/'), application)
             for path, application in applications.items()),
            key=lambda item: len(item[0]), reverse=True)

    def __call__(self, environ, start_response):
        path = environ.get('PATH_INFO', '')
        for prefix, application in self.applications:
            if path == prefix or path.startswith(prefix + '/'):
                if prefix:
                    environ['SCRIPT_NAME'] = (
                        environ.get('SCRIPT_NAME', '') + prefix)
                    environ['PATH_INFO'] = path[len(prefix):]
                return application(environ, start_response)
        start_response('404 Not Found', [('Content-Length', '0')])
        return []


def root_app_factory(loader, global_conf, **local_conf):
    """Make the application of a composite section: path = application."""
    return Composite({
        path: loader.get_app(name, global_conf=global_conf)
        for path, name in local_conf.items() if path.startswith('/')})
