import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readComposeVariables } from './configuration/compose-variables.ts';
import { configurationPage } from './configuration/configuration-page.ts';
import { loadServiceVariables } from './configuration/service-variables.ts';
import { productFolder } from './paths.ts';

// Writes docs/configuration.md; a test compares it.
const page = configurationPage(await loadServiceVariables(), readComposeVariables());
writeFileSync(join(productFolder, 'docs', 'configuration.md'), page);
