// Reading the places of errors in what the service answers.

/**
 * Return the problems that a message lists: [{message, line, column}].
 *
 * Each that the service can locate ends with "(line 4, column 7)".
 */
export function problemsOf(message) {
  const found = [];
  let text = '';
  for (const part of message.split('\n')) {
    const clean = part.replace(/^- /, '');
    // The line that counts the problems which follow is none itself.
    if (/^\S.*\b\d*\s*(problems?|Probleme?)\b.*:$/i.test(clean) && !text) {
      continue;
    }
    text = text ? `${text}\n${clean}` : clean;
    const place = clean.match(
      /\((?:line|Zeile) (\d+)(?:, (?:column|Spalte) (\d+))?\)\s*$/);
    if (place) {
      found.push({message: text.replace(place[0], '').trim(),
                  line: Number(place[1]), column: Number(place[2] ?? 1)});
      text = '';
    } else if (part.startsWith('- ')) {
      found.push({message: text, line: 0, column: 0});
      text = '';
    }
  }
  if (text.trim()) found.push({message: text.trim(), line: 0, column: 0});
  return found;
}
