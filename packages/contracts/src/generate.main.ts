import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { asyncApi } from './asyncapi.ts';
import { openApi } from './openapi.ts';

// Writes docs/api from the contracts; with --check it only reports whether the committed files are current.
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const folder = new URL('../../../docs/api/', import.meta.url);
const check = process.argv.includes('--check');
const made = { 'openapi.json': openApi(version), 'asyncapi.json': asyncApi(version) };

function committed(file: URL): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
mkdirSync(folder, { recursive: true });
for (const [name, document] of Object.entries(made)) {
  const file = new URL(name, folder);
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (committed(file) === text) continue;
  if (check) {
    process.stderr.write(
      `docs/api/${name} is not what the contracts say; run node packages/contracts/src/generate.main.ts\n`,
    );
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    process.stdout.write(`docs/api/${name}\n`);
  }
}
