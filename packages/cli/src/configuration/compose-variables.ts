import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { productFolder } from '../paths.ts';
import type { ComposeVariables } from './configuration-page.ts';

/** The variables that compose.yaml replaces, with their defaults. */
export function readComposeVariables(): ComposeVariables {
  const text = readFileSync(join(productFolder, 'compose.yaml'), 'utf8');
  const found = [...text.matchAll(/\$\{([A-Z0-9_]+)(?::-([^}]*))?/g)];
  return new Map(found.map(([, name, value]) => [name!, value]));
}
