// Logging in with Keystone; the service keeps the token.
import {session} from '../api.js';
import {h, show} from '../dom.js';
import {t} from '../i18n.js';
import {field, title} from '../ui.js';

/**
 * Show the form, and start over once somebody is logged in.
 *
 * `notice` says why the form is shown, if there is a special reason.
 */
export function open({root, notice}) {
  title(t('Log in'));
  const failure = h('p', {class: 'reason', role: 'alert'});
  const input = (name, label, more = {}) => field(label, h('input', {
    name, type: 'text', autocomplete: 'off', spellcheck: 'false', ...more}));
  const places = {
    password: [
      input('user', t('User'), {required: true, autocomplete: 'username'}),
      input('password', t('Password'), {
        type: 'password', required: true, autocomplete: 'current-password'}),
      input('user_domain', t('Domain'), {placeholder: 'Default'}),
      input('project', t('Project'), {required: true}),
      input('project_domain', t('Domain of the project'),
        {placeholder: 'Default'})],
    credential: [
      input('application_credential_id', t('Id'), {required: true}),
      input('application_credential_secret', t('Secret'), {
        type: 'password', required: true})],
  };
  const fields = h('div', {class: 'parameters'}, places.password);
  const method = h('select', {on: {
    change: () => show(fields, places[method.value])}},
  h('option', {value: 'password'}, t('Password')),
  h('option', {value: 'credential'}, t('Application credential')));
  const button = h('button', {type: 'submit', class: 'primary'}, t('Log in'));
  const form = h('form', {on: {submit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    failure.textContent = '';
    try {
      await session('POST', Object.fromEntries(new FormData(form)));
      location.reload();
    } catch (error) {
      failure.textContent = error.message;
      button.disabled = false;
    }
  }}}, field(t('Log in with'), method), fields, failure, button);
  show(root, h('div', {class: 'panel login'}, h('h1', null, 'Heat'),
    notice && h('p', {role: 'status'}, notice), form));
  form.querySelector('input').focus();
}
