// Software deployments, and what they printed.
import {enc} from '../api.js';
import {h, show} from '../dom.js';
import {badge, timeElement, valueText} from '../format.js';
import {t} from '../i18n.js';
import {load, nothing, table, title} from '../ui.js';

const OUTPUTS = {deploy_stdout: 'Standard output',
                 deploy_stderr: 'Standard error',
                 deploy_status_code: 'Exit code'};

function detail(deployment) {
  const values = Object.entries(deployment.output_values ?? {});
  return h('div', null,
    h('div', {class: 'heading'}, h('h2', null, deployment.id),
      badge(`${deployment.action}_${deployment.status}`)),
    deployment.status_reason &&
      h('pre', {class: 'reason'}, deployment.status_reason),
    values.length ? values.map(([name, value]) => [
      h('h3', null, t(OUTPUTS[name] ?? name)),
      h('pre', {class: 'value', tabindex: '0'}, valueText(value))])
      : nothing(t('The server has sent no output yet.')));
}

/** Show the software deployments of the project. */
export function open({root, api, href, route}) {
  title(t('Deployments'));
  const body = h('div');
  const place = h('article', {class: 'details'});
  const [id] = route.rest;
  show(root, h('div', {class: 'heading'}, h('h1', null, t('Deployments')),
    h('span', {class: 'grow'}), h('button', {
      type: 'button', class: 'quiet', on: {click: () => read()}},
    t('Refresh'))), body, place);

  function read() {
    load(body, () => api.get('software_deployments'), (found) =>
      (found.software_deployments.length ? table(t('Deployments'),
        [t('Deployment'), t('Status'), t('Server'), t('Created'),
         t('Changed')],
        found.software_deployments.map((each) => h('tr', null,
          h('td', {class: 'mono'}, h('a', {
            href: href('deployments', each.id)}, each.id)),
          h('td', null, badge(`${each.action}_${each.status}`)),
          h('td', {class: 'mono'}, each.server_id),
          h('td', null, timeElement(each.creation_time)),
          h('td', null, each.updated_time
            ? timeElement(each.updated_time) : ''))))
        : nothing(t('The project has no software deployments.'))));
    if (id) {
      load(place, () => api.get(`software_deployments/${enc(id)}`),
        (found) => detail(found.software_deployment));
    }
  }

  read();
  return () => {};
}
