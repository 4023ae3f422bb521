import { writeFileSync } from 'node:fs';
import { gazetteer } from './gazetteer.generator.ts';

// Run after an update of @faker-js/faker: `node packages/redaction/src/generate-gazetteer.main.ts`.
writeFileSync(new URL('./gazetteer.json', import.meta.url), `${JSON.stringify(gazetteer(), null, 2)}\n`);
