import { writeFileSync } from 'node:fs';
import { dashboards } from './dashboards.ts';
import { fileOf, textOf } from './files.ts';

for (const name of Object.keys(dashboards)) writeFileSync(fileOf(name), textOf(name));
