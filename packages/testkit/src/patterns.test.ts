import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RegExpParser, visitRegExpAST, type AST } from '@eslint-community/regexpp';
import { describe, expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';
import { isSuperLinear } from './growth.ts';

const root = join(import.meta.dirname, '../../..');
const sources = globSync(['packages/*/src/**/*.{ts,tsx}', 'services/*/src/**/*.ts'], { cwd: root }).filter(
  (file) => !/\.test\.tsx?$|\/generated\/|packages\/(?:testkit|e2e|bench)\//.test(file),
);
/** Modules that assemble patterns from parts when they are loaded. */
const assembling = sources.filter((file) => /new RegExp\(/.test(readFileSync(join(root, file), 'utf8')));

type Found = { pattern: RegExp; file: string };

function literalsOf(file: string): Found[] {
  const code = readFileSync(join(root, file), 'utf8');
  const found: Found[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, pattern, flags } = node as { type?: string; pattern?: string; flags?: string };
    if (type === 'RegExpLiteral' && pattern !== undefined) found.push({ pattern: new RegExp(pattern, flags), file });
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(code, { syntax: 'typescript', tsx: file.endsWith('x'), target: 'es2024' }));
  return found;
}

/** The patterns that modules assemble while they are loaded. */
async function assembledIn(files: readonly string[]): Promise<Found[]> {
  const found: Found[] = [];
  const Original = RegExp;
  globalThis.RegExp = new Proxy(Original, {
    construct: (target, args: [string, string?], newTarget) => {
      const pattern = Reflect.construct(target, args, newTarget) as RegExp;
      const [, , caller = ''] = (new Error().stack ?? '').split('\n');
      const file = sources.find((source) => caller.includes(source));
      if (file !== undefined) found.push({ pattern, file });
      return pattern;
    },
  });
  try {
    for (const file of files) await import(join(root, file));
  } finally {
    globalThis.RegExp = Original;
  }
  return found;
}

const letters = Array.from('aA0 \t\n.,;:-_<>()[]{}"\'/\\|#*`=+@!?&%~^$éß中٠\0');

function samplesOf(node: AST.Node, flags: string): string[] {
  if (node.type === 'Character') return [String.fromCodePoint(node.value)];
  if (node.type === 'CharacterSet' || node.type === 'CharacterClass' || node.type === 'ExpressionCharacterClass') {
    const one = new RegExp(`^(?:${node.raw})$`, flags.replaceAll(/[gy]/g, ''));
    return letters.filter((letter) => one.test(letter));
  }
  if (node.type === 'Group' || node.type === 'CapturingGroup' || node.type === 'Pattern')
    return node.alternatives.flatMap((alternative) => samplesOf(alternative, flags).slice(0, 2));
  if (node.type === 'Quantifier')
    return samplesOf(node.element, flags).map((sample) => sample.repeat(Math.min(Math.max(node.min, 1), 50)));
  return node.type === 'Alternative' ? samplesOfSequence(node.elements, flags) : [];
}

function samplesOfSequence(elements: readonly AST.Element[], flags: string): string[] {
  let samples = [''];
  for (const element of elements) {
    const next = samplesOf(element, flags).slice(0, 2);
    if (next.length > 0) samples = samples.flatMap((sample) => next.map((part) => sample + part)).slice(0, 4);
  }
  return samples;
}

/** What precedes a node in the pattern, as one text that matches. */
function prefixOf(node: AST.Node, flags: string): string {
  const { parent } = node;
  if (!parent) return '';
  const before = prefixOf(parent, flags);
  if (parent.type !== 'Alternative') return before;
  const elements = parent.elements.slice(0, parent.elements.indexOf(node as AST.Element));
  return before + elements.map((element) => samplesOf(element, flags)[0] ?? '').join('');
}

type Attack = { head: string; part: string; tail: string };

/** Texts that repeat what each quantifier repeats, alone and after what precedes it, and do not match at their end. */
function attacksOn({ source, flags }: RegExp): Attack[] {
  const unicodeSets = flags.includes('v');
  const ast = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets,
  });
  const attacks = new Map<string, Attack>();
  visitRegExpAST(ast, {
    onQuantifierEnter: (node) => {
      if (node.max < 20) return;
      const before = prefixOf(node, flags);
      for (const sample of samplesOf(node.element, flags).slice(0, 40)) {
        for (const attack of [
          { head: before, part: sample, tail: '\u0001' },
          { head: '', part: before + sample, tail: '\u0001' },
          { head: 'x', part: sample, tail: '' },
        ])
          attacks.set(JSON.stringify(attack), attack);
      }
    },
  });
  return [...attacks.values()];
}

const length = 16_000;
/** Callers bound the texts of these: sentences of a transcript (`extractive/sentences.ts`) and questions (`askLimits`). */
const bounds: Record<string, number> = { 'services/insights/src/extractive/': 400, 'services/insights/src/ask/': 2000 };
const pieces = 16;
const noiseMicroseconds = 10_000;

function textOf({ head, part, tail }: Attack, letters: number): string {
  return head + part.repeat(Math.ceil(letters / part.length)) + tail;
}

/** A sticky pattern is tried at one place, others everywhere. */
function searchIn(text: string, { source, flags, sticky }: RegExp): void {
  if (sticky) new RegExp(source, flags).exec(text);
  else text.replaceAll(new RegExp(source, `${flags.replace('g', '')}g`), '');
}

async function isSlow({ pattern, file }: Found, attack: Attack): Promise<boolean> {
  const bound = Object.entries(bounds).find(([folder]) => file.startsWith(folder))?.[1] ?? length;
  const texts = { large: textOf(attack, bound), small: textOf(attack, bound / pieces), count: pieces };
  return await isSuperLinear((text) => searchIn(text, pattern), texts, noiseMicroseconds);
}

async function faultsOf(found: readonly Found[]): Promise<string[]> {
  const faults: string[] = [];
  for (const item of new Map(found.map((one) => [String(one.pattern), one])).values()) {
    for (const attack of attacksOn(item.pattern)) {
      if (!(await isSlow(item, attack))) continue;
      faults.push(`${item.file}: ${String(item.pattern)} on ${JSON.stringify(attack)}`);
      break;
    }
  }
  return faults;
}

describe('the regular expressions of the product', () => {
  it('take time in proportion to the length of the text, whatever it repeats', async () => {
    const found = sources.flatMap(literalsOf);
    expect(found.length).toBeGreaterThan(500);
    expect(await faultsOf(found)).toEqual([]);
  });

  it('that are assembled from parts do so, too', async () => {
    const found = await assembledIn(assembling);
    expect(found.length).toBeGreaterThan(30);
    expect(await faultsOf(found)).toEqual([]);
  });

  it.each([/\s+$/g, /^\s*(\d*)\s*=/, /<v\b[^>]*>/g, /(?:ab?)+c/])('would not if they were like %s', async (pattern) => {
    expect(await faultsOf([{ pattern, file: '' }])).toHaveLength(1);
  });
});
