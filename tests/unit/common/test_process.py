"""What a process has one of: caches, tracing, the version."""
from oslo_cache import core
import osprofiler.initializer
import osprofiler.web

from heat import version
from heat.common import cache
from heat.common import profiler


def test_one_cache_region_per_process(conf):
    cache.reset()
    region = cache.get_cache_region()
    assert cache.get_cache_region() is region
    cache.reset()
    assert cache.get_cache_region() is not region
    cache.reset()


def test_cache_that_is_on_keeps_values(conf):
    core.configure(cache.cfg.CONF)
    conf.set('cache', enabled=True, backend='dogpile.cache.memory')
    cache.reset()
    calls = []

    @cache.get_cache_region().cache_on_arguments()
    def slow(argument):
        calls.append(argument)
        return argument

    assert (slow(1), slow(1)) == (1, 1)
    assert calls == [1]
    cache.reset()


def test_tracing_is_off_by_default(conf):
    profiler.setup('heat-api', 'host')
    assert osprofiler.web._ENABLED is False


def test_tracing_can_be_switched_on(conf, monkeypatch):
    made = []
    monkeypatch.setattr(osprofiler.initializer, 'init_from_conf',
                        lambda **options: made.append(options))
    profiler.setup('heat-api', 'host')
    conf.set('profiler', enabled=True)
    profiler.setup('heat-api', 'host')
    assert [each['service'] for each in made] == ['heat-api']


def test_version():
    info = version.version_info
    assert info.version_string() == version.__version__.partition('+')[0]
    assert info.release_string() == version.__version__
    assert info.cached_version_string('v') == 'v' + info.version_string()
    assert str(info) == info.version_string()
