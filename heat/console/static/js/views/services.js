// The engines that serve the API.
import {h, show} from '../dom.js';
import {timeElement} from '../format.js';
import {t} from '../i18n.js';
import {nothing, problem, table, title, waiting} from '../ui.js';

const PAUSE = 10_000;

/** Show the engines. */
export function open({root, api}) {
  const stop = new AbortController();
  let timer = null;
  const body = h('div', null, waiting());
  const summary = h('span', {class: 'muted', role: 'status'});
  title(t('Engines'));
  show(root, h('div', {class: 'heading'}, h('h1', null, t('Engines')),
    summary), body);

  async function read() {
    clearTimeout(timer);
    try {
      const [{services}, build] = await Promise.all([
        api.get('services', {}, stop.signal),
        api.get('build_info', {}, stop.signal).catch(() => null)]);
      draw(services, build);
    } catch (error) {
      if (stop.signal.aborted) return;
      show(body, problem(error, read));
    }
    if (!stop.signal.aborted) timer = setTimeout(read, PAUSE);
  }

  function draw(services, build) {
    const up = services.filter((each) => each.status === 'up').length;
    summary.textContent = [
      t('{up} of {all} up', {up, all: services.length}),
      build?.engine?.revision && `${t('revision')} ${build.engine.revision}`]
      .filter(Boolean).join(' · ');
    show(body, services.length ? table(t('Engines'),
      [t('Host'), t('Status'), t('Program'), t('Reports every'),
       t('Last report'), t('Started'), t('Engine id')],
      services.map((each) => h('tr', null,
        h('td', null, each.hostname ?? each.host),
        h('td', null, h('span', {
          class: `badge ${each.status === 'up' ? 'ok' : 'failed'}`},
        h('span', {class: 'glyph', 'aria-hidden': 'true'},
          each.status === 'up' ? '✓' : '✕'), each.status)),
        h('td', null, each.binary), h('td', null, `${each.report_interval} s`),
        h('td', null, timeElement(each.updated_at ?? each.created_at)),
        h('td', null, timeElement(each.created_at)),
        h('td', {class: 'mono'}, each.engine_id))))
      : nothing(t('No engine has reported.')));
  }

  read();
  return () => {
    stop.abort();
    clearTimeout(timer);
  };
}
