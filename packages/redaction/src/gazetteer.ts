import { readFileSync } from 'node:fs';

type Names = { given: string[]; family: string[] };
const { given, family } = JSON.parse(readFileSync(new URL('./gazetteer.json', import.meta.url), 'utf8')) as Names;

export const givenNames: ReadonlySet<string> = new Set(given);
export const familyNames: ReadonlySet<string> = new Set(family);
