// Requests to the REST API of the service that the page comes from.
import {language, t} from './i18n.js';

const ROOT = new URL('../v1/', document.baseURI);
const SESSION = new URL('session', document.baseURI);
const PATIENCE = 60_000;
const PATIENCE_WITH_RIGHTS = 5000;

/** An answer that is an error, or no answer (status 0). */
export class ApiError extends Error {
  constructor(status, type, message) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

/** Called when the service says that nobody is logged in. */
export const onLoggedOut = {listener: null};

export const enc = encodeURIComponent;

/** Return the path of a stack within its project. */
export const stackPath = (stack) =>
  `stacks/${enc(stack.stack_name ?? stack.name)}/${enc(stack.id)}`;

function headers(body) {
  const found = {'Accept': 'application/json', 'Accept-Language': language,
                 'X-Heat-Console': '1'};
  if (body !== undefined) found['Content-Type'] = 'application/json';
  return found;
}

async function errorOf(response) {
  let answer = {};
  try {
    answer = await response.json();
  } catch {
    // The body is no JSON: a proxy may have answered.
  }
  const error = answer.error ?? {};
  const message = error.message || answer.message || answer.explanation ||
    response.statusText || t('The service answered with status {status}.',
      {status: response.status});
  return new ApiError(response.status, error.type ?? answer.title ?? '',
    message);
}

async function send(url, options) {
  try {
    return await fetch(url, {
      credentials: 'same-origin', redirect: 'follow', cache: 'no-store',
      signal: AbortSignal.timeout(PATIENCE), ...options});
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError(0, 'Unreachable',
      t('The service cannot be reached. The page tries again.'));
  }
}

/** Say who is logged in, or that nobody has to. */
export async function session(method = 'GET', body = undefined) {
  const response = await send(SESSION, {
    method, headers: headers(body),
    body: body === undefined ? undefined : JSON.stringify(body)});
  if (!response.ok) throw await errorOf(response);
  return response.status === 204 ? null : response.json();
}

/** The API of one project. */
export class Api {
  constructor(project) {
    this.project = project;
    this.cached = new Map();
    this.allowed = null;
    this.asked = null;
  }

  /**
   * Ask once what the policy allows the user.
   *
   * Without an answer everything is offered: the service decides about each
   * request in any case.
   */
  learn() {
    this.asked ??= this.get('permissions', {},
      AbortSignal.timeout(PATIENCE_WITH_RIGHTS)).then(({permissions}) => {
      this.allowed = new Set(permissions);
    }).catch(() => {});
    return this.asked;
  }

  /** Return whether one of the policy rules may let the user pass. */
  may(...rules) {
    return !this.allowed || rules.some((each) => this.allowed.has(each));
  }

  /** Return whether the user may update stacks, at once or by a plan. */
  mayUpdate() {
    return this.may('stacks:update_patch', 'change_sets:create');
  }

  url(path, query = {}) {
    const url = new URL(`${enc(this.project)}/${path}`, ROOT);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null && value !== '') {
        url.searchParams.set(name, value);
      }
    }
    return url;
  }

  async request(method, path, {query, body, signal} = {}) {
    const response = await send(this.url(path, query), {
      method, headers: headers(body),
      body: body === undefined ? undefined : JSON.stringify(body),
      ...(signal ? {signal} : {})});
    if (response.status === 401) onLoggedOut.listener?.();
    if (!response.ok) throw await errorOf(response);
    const text = await response.text();
    return text ? JSON.parse(text) : null;
  }

  get(path, query, signal) {
    return this.request('GET', path, {query, signal});
  }

  post(path, body, signal) {
    return this.request('POST', path, {body, signal});
  }

  put(path, body) {
    return this.request('PUT', path, {body});
  }

  patch(path, body) {
    return this.request('PATCH', path, {body});
  }

  delete(path) {
    return this.request('DELETE', path);
  }

  /** Answer what does not change while the page is open from memory. */
  once(path, query) {
    const key = String(this.url(path, query));
    if (!this.cached.has(key)) {
      const answer = this.get(path, query);
      this.cached.set(key, answer);
      answer.catch(() => this.cached.delete(key));
    }
    return this.cached.get(key);
  }

  /** Open a stream of events; the caller reads and closes it. */
  async stream(path, query, lastId, signal) {
    const own = headers();
    own.Accept = 'text/event-stream';
    if (lastId) own['Last-Event-ID'] = lastId;
    const response = await fetch(this.url(path, query), {
      headers: own, credentials: 'same-origin', cache: 'no-store', signal});
    if (response.status === 401) onLoggedOut.listener?.();
    return response;
  }
}
