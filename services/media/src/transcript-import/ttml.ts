import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { checkTimes, collapseText, createCueList, speakerNameOf, splitPrefixes } from './cues.ts';
import type { ImportedCue, ParsedTranscript, ParseOptions } from './cues.ts';
import { importErrors } from './import-errors.ts';

const maxDepth = 100;

type Attributes = Record<string, string>;
type Rates = { frame: number; tick: number };
type Scope = {
  name: string;
  start: number;
  end: number | null;
  timed: boolean;
  /** Whether children follow each other (`timeContainer="seq"`). */
  isSequence: boolean;
  /** The latest end of a child. */
  latest: number;
  agent: string | null;
  cue: ImportedCue | null;
};

/** Timed Text (https://www.w3.org/TR/ttml2/): paragraphs with times. A document type is refused, so no entity is expanded. */
export function parseTtml(text: string, options: ParseOptions): ParsedTranscript {
  const parser = new SaxesParser();
  const reader = createReader(() => parser.line, options);
  parser.on('error', (error) => {
    throw importErrors.invalid(parser.line, error.message.replace(/^\d+:\d+: /, ''));
  });
  parser.on('doctype', () => {
    throw importErrors.invalid(parser.line, 'A document type (DOCTYPE) is not allowed.');
  });
  parser.on('opentag', reader.open);
  parser.on('closetag', reader.close);
  parser.on('text', reader.addText);
  parser.on('cdata', reader.addText);
  parser.write(text).close();
  return reader.finish();
}

function createReader(line: () => number, options: ParseOptions) {
  const list = createCueList();
  const agents = new Map<string, string>();
  const scopes: Scope[] = [];
  let rates: Rates = { frame: 30, tick: 1 };
  let language: string | null = null;
  let title = '';
  let agentId: string | null = null;

  const finishCue = (cue: ImportedCue, agent: string | null): void => {
    const said = collapseText(cue.text);
    if (said === '') return;
    const speaker = agent === null ? null : speakerNameOf(agents.get(agent) ?? agent);
    list.add({ ...cue, speaker, text: said });
  };

  return {
    open: (tag: SaxesTagPlain): void => {
      const name = localName(tag.name);
      const attributes = localAttributes(tag.attributes);
      const parent = scopes.at(-1);
      if (scopes.length >= maxDepth) throw importErrors.invalid(line(), `Elements are nested deeper than ${maxDepth}.`);
      if (!parent && name !== 'tt') throw importErrors.formatUnknown();
      if (name === 'tt') {
        rates = ratesOf(attributes);
        language = attributes['lang']?.trim() || null;
      }
      if (name === 'agent' && isMetadata(scopes)) agentId = attributes['id'] ?? null;
      const scope = scopeOf(name, attributes, parent, { line: line(), rates });
      scopes.push(scope);
      const isCue = name === 'p' || (name === 'span' && attributes['begin'] !== undefined);
      if (!isCue || isMetadata(scopes)) {
        if (name === 'br' && scope.cue) scope.cue.text += ' ';
        return;
      }
      const { start, end } = scope;
      scope.cue = { line: line(), start, end, speaker: null, text: '' };
    },
    close: (tag: SaxesTagPlain): void => {
      const scope = scopes.pop();
      const parent = scopes.at(-1);
      if (localName(tag.name) === 'agent') agentId = null;
      if (scope && parent) parent.latest = Math.max(parent.latest, scope.end ?? scope.latest);
      if (!scope?.cue) return;
      if (scope.cue === parent?.cue) {
        // A span may name the agent of its paragraph.
        if (parent.agent === null && scope.agent !== null) parent.agent = scope.agent;
        return;
      }
      if (scope.cue.text.trim() !== '' && !scope.timed)
        throw importErrors.invalid(scope.cue.line, 'This paragraph has no time.');
      finishCue(scope.cue, scope.agent);
    },
    addText: (text: string): void => {
      const scope = scopes.at(-1);
      if (!scope) return;
      if (scope.name === 'name' && agentId !== null) agents.set(agentId, (agents.get(agentId) ?? '') + text);
      else if (scope.name === 'title' && isMetadata(scopes)) title += text;
      else if (scope.cue && !isMetadata(scopes)) scope.cue.text += text;
    },
    finish: (): ParsedTranscript => ({
      cues: splitPrefixes(list.cues, options),
      language,
      title: collapseText(title) || null,
      markupRemoved: 0,
    }),
  };
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function localAttributes(attributes: Record<string, string>): Attributes {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [localName(name), value]));
}

function isMetadata(scopes: readonly Scope[]): boolean {
  return scopes.some(({ name }) => name === 'head' || name === 'metadata');
}

type Place = { line: number; rates: Rates };

/** Times count from the beginning of the parent element, or in a sequence from the end of the element before. */
function scopeOf(name: string, attributes: Attributes, parent: Scope | undefined, place: Place): Scope {
  const base = (parent?.isSequence ? parent.latest : parent?.start) ?? 0;
  const read = (field: string): number | null =>
    attributes[field] === undefined ? null : secondsOf(attributes[field], place);
  const [begin, end, dur] = [read('begin'), read('end'), read('dur')];
  const start = base + (begin ?? 0);
  const endsAt = end !== null ? base + end : dur !== null ? start + dur : (parent?.end ?? null);
  checkTimes({ start, end: endsAt, line: place.line });
  return {
    name,
    start,
    end: endsAt,
    timed: (parent?.timed ?? false) || begin !== null || end !== null || dur !== null,
    isSequence: attributes['timeContainer']?.trim() === 'seq',
    latest: start,
    agent: attributes['agent']?.trim().split(/\s+/)[0] || (parent?.agent ?? null),
    cue: parent?.cue ?? null,
  };
}

function ratesOf(attributes: Attributes): Rates {
  const [numerator = 1, denominator = 1] = (attributes['frameRateMultiplier'] ?? '1 1').split(/[\s:]+/).map(Number);
  const multiplier = positive(numerator / denominator) ?? 1;
  const frame = (positive(Number(attributes['frameRate'])) ?? 30) * multiplier;
  const tick = positive(Number(attributes['tickRate'])) ?? (attributes['frameRate'] === undefined ? 1 : frame);
  return { frame, tick };
}

function positive(value: number): number | null {
  return Number.isFinite(value) && value > 0 ? value : null;
}

function secondsOf(expression: string, { line, rates }: Place): number {
  const given = expression.trim();
  const clock = /^(\d{1,6}):(\d\d):(\d\d)(?:(\.\d{1,9})|:(\d{1,4})(?:\.\d{1,4})?)?$/.exec(given);
  if (clock) {
    const [, hours, minutes, seconds, fraction = '0', frames = '0'] = clock;
    if (Number(minutes) > 59 || Number(seconds) > 59) throw unreadableTime(line);
    return (
      Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(fraction) + Number(frames) / rates.frame
    );
  }
  const offset = /^(\d{1,12}(?:\.\d{1,9})?)(h|m|s|ms|f|t)$/.exec(given);
  if (!offset) throw unreadableTime(line);
  const units: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 0.001, f: 1 / rates.frame, t: 1 / rates.tick };
  return Number(offset[1]) * (units[offset[2] ?? ''] ?? 1);
}

function unreadableTime(line: number) {
  return importErrors.invalid(line, 'A time cannot be read, as in 00:00:01.500 or 1.5s.');
}
