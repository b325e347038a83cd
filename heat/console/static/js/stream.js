// Following events: by the stream of the service, or by asking for the list
// every other second where the service has no stream.
import {stackPath} from './api.js';

const POLL = 2000;
const PAGE = 500;
const DEPTH = 5;
const REMEMBERED = 4000;

/** Split the text of a stream of server-sent events into its messages. */
export class Messages {
  constructor() {
    this.rest = '';
  }

  /** Return the messages that a piece of the stream completes. */
  push(piece) {
    this.rest += piece.replaceAll('\r\n', '\n');
    const parts = this.rest.split('\n\n');
    this.rest = parts.pop();
    return parts.map((part) => {
      const found = {id: null, event: 'message', data: ''};
      for (const line of part.split('\n')) {
        const [, name, value] = line.match(/^(\w*): ?(.*)$/) ?? [];
        if (name === 'data') found.data += (found.data && '\n') + value;
        else if (name === 'id' || name === 'event') found[name] = value;
      }
      return found;
    }).filter((each) => each.data);
  }
}

/** Return an event of the list in the form of those of the stream. */
export function fromList(event) {
  const found = (rel) => event.links?.find((each) => each.rel === rel)?.href;
  const [name, id] = (found('stack') ?? '').split('/stacks/')[1]
    ?.split('/') ?? [];
  return {stack_id: id, stack_name: name && decodeURIComponent(name),
          ...event};
}

function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    }, {once: true});
  });
}

/**
 * Follow the events of a stack and of those nested in it.
 *
 * `known` are the events that the caller has, the oldest first. `onEvents`
 * gets lists of later ones, each event once; `onState` gets 'live',
 * 'polling', 'lost', or 'ended' when the stack is gone. Returns a function
 * that stops it.
 */
export function followStack(api, stack, known, onEvents, onState) {
  const path = `${stackPath(stack)}/events`;
  const stop = new AbortController();
  const seen = new Set(known.map((each) => each.id));
  let last = known.at(-1)?.id;
  // What the stream calls its place; it is not the id of an event.
  let position = null;

  function deliver(events) {
    const fresh = events.filter((each) => !seen.has(each.id));
    for (const each of fresh) seen.add(each.id);
    for (const id of seen) {
      if (seen.size <= REMEMBERED) break;
      seen.delete(id);
    }
    if (!fresh.length) return;
    last = fresh.at(-1).id;
    onEvents(fresh);
  }

  async function read(response) {
    const messages = new Messages();
    const decoder = new TextDecoder();
    for await (const piece of response.body) {
      const found = messages.push(decoder.decode(piece, {stream: true}));
      for (const each of found) if (each.id) position = each.id;
      deliver(found.filter(
        (each) => each.event === 'resource' || each.event === 'stack')
        .map((each) => JSON.parse(each.data)));
      if (found.some((each) => each.event === 'end')) return true;
    }
    return false;
  }

  /** Ask for a page of later events; return whether there are more. */
  async function ask() {
    const {events} = await api.get(path, {
      nested_depth: DEPTH, sort_dir: 'asc', limit: PAGE, marker: last,
    }, stop.signal);
    deliver(events.map(fromList));
    return events.length === PAGE;
  }

  async function poll() {
    while (!stop.signal.aborted) {
      const hasMore = await ask();
      onState('polling');
      if (!hasMore) await pause(POLL, stop.signal);
    }
  }

  /** Read a stream that has been opened; return whether it has ended. */
  async function listen(response) {
    onState('live');
    // A first stream begins now: what came since the list was read is asked
    // for, and what comes twice is delivered once.
    if (position === null) while (await ask());
    return read(response);
  }

  async function run() {
    let hasStream = true;
    let wait = 1000;
    while (!stop.signal.aborted) {
      try {
        if (!hasStream) {
          await poll();
          continue;
        }
        const response = await api.stream(`${path}/stream`,
          {nested_depth: DEPTH}, position, stop.signal);
        if (response.ok) {
          wait = 1000;
          if (await listen(response)) {
            onState('ended');
            return;
          }
        } else if (response.status === 404 || response.status === 405) {
          hasStream = false;
          continue;
        } else {
          onState('lost');
        }
      } catch (error) {
        if (stop.signal.aborted) return;
        if (error.status === 404) {
          onState('ended');
          return;
        }
        onState('lost');
      }
      await pause(wait, stop.signal);
      wait = Math.min(wait * 2, 15_000);
    }
  }

  run();
  return () => stop.abort();
}
