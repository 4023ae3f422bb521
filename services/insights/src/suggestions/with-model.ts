import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { InsightSegment } from '@overtone/contracts';
import type { LanguageModel } from '../ports/language-model.ts';
import type { Transcript } from '../ports/media.adapter.ts';
import { modelFailures } from '../ports/model-failures.ts';
import type { Instructions } from '../prompts/prompts.ts';
import { cleanParagraph, createEnvelope, passageLine } from '../untrusted/untrusted.ts';
import { labelInstructions, speakerInstructions } from './prompts.ts';
import { normalizedName, sectionsOf, shortened, type Candidate, type LabelContext } from './suggestions.ts';

/** Results of finished sections. */
export type SectionMemory = {
  read: (key: string) => Promise<unknown>;
  write: (key: string, result: object) => Promise<void>;
};
type Input = {
  order: { fileId: string; ownerId: string };
  context: LabelContext;
  transcript: Transcript;
  /** The prompt of the owner, and what is known about the organisation. */
  guidance: Pick<Instructions, 'text' | 'organisationContext'>;
  memory: SectionMemory;
  signal: AbortSignal;
};
/** A line of a section: the segment with this number, or a part of one that is too long. */
type Line = { number: number; text: string; segment: InsightSegment };
type Task<T> = {
  purpose: 'topics' | 'speakers';
  instructions: string;
  /** Stands before the transcript. */
  preface: string;
  schema: z.ZodType<T>;
  /** The speaker as the model sees them. */
  speakerOf: (segment: InsightSegment) => string | null;
};
type Section<T> = { lines: Line[]; answer: T };

const maxOutputTokens = 1_024;
/** The boundaries of two requests differ in length. */
const boundaryTokens = 96;
/** With less room a section would hold less than a sentence. */
const leastRoom = 64;
const maxCollections = 100;
const maxCollectionName = 120;
/** Without a line that shows it a suggestion is left to a person. */
const unproven = 0.6;
/** A label of one section among many is about that section. */
const ofOneSection = 0.8;
const manySections = 4;

const proof = { confidence: z.number(), line: z.number() };
const maxName = 300;
const named = z.object({ name: z.string().max(maxName), ...proof });
const labelAnswer = z.object({ tags: z.array(named).max(100), collections: z.array(named).max(100) });
const speakerAnswer = z.object({
  names: z.array(z.object({ speaker: z.string().max(100), name: z.string().max(maxName), ...proof })).max(100),
});

/** Tags and collections that the model suggests for the sections of the transcript. */
export async function findLabelsWithModel(model: LanguageModel, input: Input): Promise<Candidate[]> {
  const names = input.context.collections
    .filter(({ contains }) => !contains)
    .map(({ name }) => cleanParagraph(name, maxCollectionName));
  const sections = await askSections(model, input, {
    purpose: 'topics',
    instructions: joined([labelInstructions, aboutOrganisation(input)]),
    preface: collectionsText(model, names),
    schema: labelAnswer,
    speakerOf: ({ speakerName }) => speakerName,
  });
  const candidates = sections.flatMap(({ lines, answer }) => [
    ...answer.tags.map((tag) => labelFrom('tag', tag, lines)),
    ...answer.collections.map((collection) => labelFrom('collection', collection, lines)),
  ]);
  if (sections.length < manySections) return candidates;
  return candidates.map((candidate) => {
    const isRepeated = candidates.filter((other) => isSame(candidate, other)).length > 1;
    return isRepeated ? candidate : { ...candidate, confidence: candidate.confidence * ofOneSection };
  });
}

function isSame(one: Candidate, other: Candidate): boolean {
  return one.kind === other.kind && normalizedName(one.name) === normalizedName(other.name);
}

/** The names that the model suggests for the speakers without one. */
export async function findSpeakersWithModel(model: LanguageModel, input: Input): Promise<Candidate[]> {
  const unnamed = input.context.speakers.filter(({ name }) => name === null);
  const aliases = new Map(unnamed.map(({ uuid }, i) => [uuid, `S${i + 1}`]));
  const sections = await askSections(model, input, {
    purpose: 'speakers',
    instructions: joined([speakerInstructions, input.guidance.text, aboutOrganisation(input)]),
    preface: '',
    schema: speakerAnswer,
    speakerOf: ({ speakerUuid, speakerName }) => aliases.get(speakerUuid ?? '') ?? speakerName,
  });
  return sections.flatMap(({ lines, answer }) =>
    answer.names.flatMap(({ speaker, name, confidence, line }): Candidate[] => {
      const speakerUuid = [...aliases].find(([, alias]) => alias === speaker.trim())?.[0];
      const shown = lineWith(name, line, lines);
      if (speakerUuid === undefined || !shown) return [];
      return [{ kind: 'speaker', name, speakerUuid, confidence: bounded(confidence), ...proofOf(shown) }];
    }),
  );
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}

function aboutOrganisation({ guidance: { organisationContext } }: Input): string {
  return organisationContext === '' ? '' : `About the organisation:\n${organisationContext}`;
}

function labelFrom(
  kind: 'tag' | 'collection',
  { name, confidence, line }: z.infer<typeof named>,
  lines: Line[],
): Candidate {
  const cited = lines.find(({ number }) => number === line);
  const shown = kind === 'tag' ? (lineWith(name, line, lines) ?? cited) : cited;
  const most = shown ? 1 : unproven;
  const nothing = { rationale: '', segmentUuid: null, start: null };
  const common = { kind, name, speakerUuid: null, confidence: Math.min(most, bounded(confidence)) };
  return { ...common, ...(shown ? proofOf(shown) : nothing) };
}

/** The cited line if it contains a word of the name, or else the first line that does. */
function lineWith(name: string, number: number, lines: readonly Line[]): Line | undefined {
  const words = normalizedName(name)
    .split(' ')
    .filter((word) => word.length > 1);
  const contains = ({ text }: Line): boolean => {
    const plain = normalizedName(text);
    return words.some((word) => plain.includes(word));
  };
  const cited = lines.find((line) => line.number === number);
  return cited && contains(cited) ? cited : lines.find(contains);
}

function proofOf({ segment }: Line): Pick<Candidate, 'rationale' | 'segmentUuid' | 'start'> {
  return { rationale: shortened(segment.text), segmentUuid: segment.uuid, start: segment.start };
}

function bounded(confidence: number): number {
  return Math.round(Math.min(1, Math.max(0, confidence)) * 100) / 100;
}

/** As many of the names as an eighth of the window holds. */
function collectionsText(model: LanguageModel, names: readonly string[]): string {
  const [held = []] = sectionsOf(
    names.slice(0, maxCollections),
    (name) => model.countTokens(`- ${name}\n`),
    model.info.contextTokens / 8,
  );
  return held.length === 0
    ? 'There are no collections.'
    : `Collections:\n${held.map((name) => `- ${name}`).join('\n')}`;
}

/** Asks about each section, one after the other; every segment is in exactly one. Finished sections are not asked again. */
async function askSections<T extends object>(
  model: LanguageModel,
  { order, transcript, memory, signal }: Input,
  task: Task<T>,
): Promise<Section<T>[]> {
  const output = Math.min(maxOutputTokens, Math.floor(model.info.contextTokens / 4));
  const { system, prompt } = requestOf(task, []);
  const schemaText = JSON.stringify(z.toJSONSchema(task.schema, { target: 'draft-7', io: 'input' }));
  const frame = [system, prompt, schemaText].reduce((sum, text) => sum + model.countTokens(text), boundaryTokens);
  const room = model.info.contextTokens - output - frame;
  if (room < leastRoom) throw modelFailures.contextExceeded(model.info.provider);
  const sizeOf = ({ text }: Line): number => model.countTokens(`${text}\n`);
  const lines = linesOf(transcript.segments, task.speakerOf, (line) => sizeOf(line) <= room);
  const answers: Section<T>[] = [];
  for (const section of sectionsOf(lines, sizeOf, room)) {
    signal.throwIfAborted();
    const key = keyOf(model, task, section);
    const known = task.schema.safeParse(await memory.read(key));
    if (known.success) {
      answers.push({ lines: section, answer: known.data });
      continue;
    }
    const account = { purpose: task.purpose, fileId: order.fileId, userId: order.ownerId };
    const request = { ...account, ...requestOf(task, section), maxOutputTokens: output, schema: task.schema, signal };
    const value = cleanAnswer((await model.object(request)).value);
    await memory.write(key, value);
    answers.push({ lines: section, answer: value });
  }
  return answers;
}

/** What is stored has no control characters, which the database refuses. */
function cleanAnswer<T extends object>(answer: T): T {
  const clean = (_: string, value: unknown): unknown =>
    typeof value === 'string' ? cleanParagraph(value, maxName) : value;
  return JSON.parse(JSON.stringify(answer), clean) as T;
}

function requestOf({ instructions, preface }: Pick<Task<never>, 'instructions' | 'preface'>, section: readonly Line[]) {
  const envelope = createEnvelope();
  return {
    system: `${instructions}\n${envelope.rule}`,
    prompt: envelope.wrap(textOf(preface, section)),
  };
}

function textOf(preface: string, section: readonly Line[]): string {
  return [preface, ...section.map(({ text }) => text)].filter((text) => text !== '').join('\n');
}

function keyOf<T>(model: LanguageModel, { instructions, preface }: Task<T>, section: readonly Line[]): string {
  const { providerId, model: name } = model.info;
  return createHash('sha256')
    .update([providerId, name, instructions, textOf(preface, section)].join('\n'))
    .digest('hex');
}

/** Numbered lines; a segment that does not fit into a section is cut into parts with the same number. */
function linesOf(
  segments: readonly InsightSegment[],
  speakerOf: (segment: InsightSegment) => string | null,
  fits: (line: Line) => boolean,
): Line[] {
  return segments
    .filter(({ text }) => text.trim() !== '')
    .flatMap((segment, i) =>
      cut({ number: i + 1, text: passageLine(i + 1, speakerOf(segment), segment.text), segment }, fits),
    );
}

function cut(line: Line, fits: (line: Line) => boolean): Line[] {
  if (fits(line) || line.text.length < 40) return [line];
  const middle = Math.floor(line.text.length / 2);
  const space = line.text.lastIndexOf(' ', middle);
  const at = space > 20 ? space : middle;
  const rest = `[${line.number}] ${line.text.slice(at).trim()}`;
  return [...cut({ ...line, text: line.text.slice(0, at) }, fits), ...cut({ ...line, text: rest }, fits)];
}
