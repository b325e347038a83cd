// Bundle the third-party code of the console, and gather its licences.
//
//     npm ci && npm run build              writes heat/console/static/vendor
//     npm ci && npm run build -- --out DIR writes there
import {build} from 'esbuild';
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const flag = process.argv.indexOf('--out');
const out = flag > 0 ? path.resolve(process.argv[flag + 1])
  : path.join(here, '../../heat/console/static/vendor');

const result = await build({
  absWorkingDir: here,
  entryPoints: ['editor.mjs'],
  outfile: path.join(out, 'editor.js'),
  bundle: true,
  format: 'esm',
  target: 'es2022',
  platform: 'browser',
  minify: true,
  legalComments: 'none',
  charset: 'utf8',
  metafile: true,
  logLevel: 'warning',
});

const packages = new Set();
for (const input of Object.keys(result.metafile.inputs)) {
  const found = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
  if (found) packages.add(found[1]);
}
const parts = ['Third-party code in editor.js. Each part is followed by its ' +
               'licence.\n'];
for (const name of [...packages].sort()) {
  const home = path.join(here, 'node_modules', name);
  const facts = JSON.parse(
    fs.readFileSync(path.join(home, 'package.json'), 'utf8'));
  const licence = fs.readdirSync(home).find((each) => /^licen[cs]e/i.test(each));
  if (!licence) throw new Error(`${name} has no licence file`);
  const text = fs.readFileSync(path.join(home, licence), 'utf8').trim();
  parts.push(`${'='.repeat(72)}\n${name} ${facts.version} ` +
             `(${facts.license})\n${'='.repeat(72)}\n\n${text}\n`);
}
fs.writeFileSync(path.join(out, 'NOTICES.txt'), parts.join('\n'));
