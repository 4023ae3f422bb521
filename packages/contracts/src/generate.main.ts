import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { asyncApi } from './asyncapi.ts';
import { clientTypes } from './client-types.ts';
import { openApi } from './openapi.ts';

// Writes docs/api and the types of the client from the contracts; with --check it only reports whether they are current.
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const product = new URL('../../../', import.meta.url);
const check = process.argv.includes('--check');
const description = openApi(version);
const made = {
  'docs/api/openapi.json': printed(description),
  'docs/api/asyncapi.json': printed(asyncApi(version)),
  'packages/client/src/api.ts': await clientTypes(description),
};

function printed(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

function committed(file: URL): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
mkdirSync(new URL('docs/api/', product), { recursive: true });
for (const [name, text] of Object.entries(made)) {
  const file = new URL(name, product);
  if (committed(file) === text) continue;
  if (check) {
    process.stderr.write(`${name} is not what the contracts say; run node packages/contracts/src/generate.main.ts\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    process.stdout.write(`${name}\n`);
  }
}
