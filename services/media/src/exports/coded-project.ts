import { randomUUID } from 'node:crypto';
import type { CodeColor, CodedPassage, SegmentObject } from '@overtone/contracts';
import { rangeOf, toMs, wholeOf, type Place } from '../comments/comments.ts';
import { attribute, codePointsOf } from './refi-qda.ts';
import { speakerOf } from './spoken.ts';
import { escapeXml } from './xml.ts';

/** A passage with a code, by its time. */
export type CodedPlace = Place & { id: string; codeId: string; authorId: string | null; at: string };
export type BookCode = { id: string; name: string; color: string; description: string; parentId: string | null };

/** Positions in a text, counted in characters of Unicode; `to` is the one behind the last. */
type Range = { from: number; to: number };
type Passage = Pick<
  SegmentObject,
  'start_time' | 'end_time' | 'text' | 'speaker' | 'words' | 'redactions' | 'withheld'
>;

/** As pages show them. */
const hexColors: Readonly<Record<CodeColor, string>> = {
  red: '#fa5252',
  orange: '#fd7e14',
  yellow: '#fab005',
  green: '#40c057',
  teal: '#12b886',
  blue: '#228be6',
  violet: '#7950f2',
  pink: '#e64980',
  gray: '#868e96',
};

export function toCodedPlace(passage: CodedPassage): CodedPlace {
  const { uuid, code_uuid, start_time, end_time, author, created_at } = passage;
  return {
    id: uuid,
    codeId: code_uuid,
    startMs: toMs(start_time),
    endMs: toMs(end_time),
    authorId: author?.uuid ?? null,
    at: created_at,
  };
}

/** The text of a recording, a line for each passage, and where in it the places with codes stand. */
export function createCodedText(places: readonly CodedPlace[]) {
  const exact = new Map<string, Range>();
  const near = new Map<string, Range>();
  let position = 0;
  return {
    /** The line of the next passage. */
    line: (passage: Passage): string => {
      const speaker = speakerOf(passage);
      const head = speaker === null ? '' : `${speaker.toWellFormed()}: `;
      // Each space becomes one space: positions in the line are those of the passage, and a line has no other ends.
      const text = passage.text.toWellFormed().replaceAll(/\s/gu, ' ');
      const start = position + codePointsOf(head);
      const add = (ranges: Map<string, Range>, id: string, part: Range | null): void => {
        if (!part) return;
        const from = start + codePointsOf(text.slice(0, part.from));
        const to = from + codePointsOf(text.slice(part.from, part.to));
        ranges.set(id, { from: ranges.get(id)?.from ?? from, to });
      };
      for (const place of places) {
        if (toMs(passage.end_time) <= place.startMs || toMs(passage.start_time) >= place.endMs) continue;
        add(exact, place.id, passage.withheld ? wholeOf(passage) : rangeOf(passage, place));
        // No whole word may be inside; the code is kept all the same.
        add(near, place.id, wholeOf(passage));
      }
      position = start + codePointsOf(text) + 1;
      return `${head}${text}\n`;
    },
    rangeOf: (id: string): Range | null => exact.get(id) ?? near.get(id) ?? null,
  };
}

/** The codes of a list, each parent with those below it. */
export function codeBook(codes: readonly BookCode[]): string {
  const element = (code: BookCode, indent: string): string => {
    const below = codes.filter(({ parentId }) => parentId === code.id).map((one) => element(one, `${indent}  `));
    const description =
      code.description === '' ? '' : `${indent}  <Description>${escapeXml(code.description)}</Description>\n`;
    const color = hexColors[code.color as CodeColor];
    return `${indent}<Code guid="${code.id}" name="${attribute(code.name)}" isCodable="true" color="${color}">
${description}${below.join('')}${indent}</Code>
`;
  };
  const top = codes.filter(({ parentId }) => parentId === null).map((code) => element(code, '      '));
  return top.length === 0 ? '' : `  <CodeBook>\n    <Codes>\n${top.join('')}    </Codes>\n  </CodeBook>\n`;
}

type Source = { id: string; title: string; link: string; at: string };

/** A recording: its text is the file `sources/{id}.txt`. Places without words are counted in its description. */
export function* textSource(
  { id, title, link, at }: Source,
  places: readonly CodedPlace[],
  find: (id: string) => Range | null,
): Generator<string> {
  const silent = places.filter((place) => !find(place.id)).length;
  const note = silent === 0 ? '' : ` (without ${silent} passages with codes that have no words)`;
  yield `    <TextSource guid="${id}" name="${attribute(title)}" plainTextPath="internal://${id}.txt" creationDateTime="${at}">
      <Description>${escapeXml(`${link}${note}`)}</Description>
`;
  for (const place of places) {
    const range = find(place.id);
    if (!range) continue;
    const by = place.authorId === null ? '' : `creatingUser="${place.authorId}" `;
    const made = `${by}creationDateTime="${place.at}"`;
    yield `      <PlainTextSelection guid="${randomUUID()}" startPosition="${range.from}" endPosition="${range.to}" ${made}>
        <Coding guid="${place.id}" ${made}>
          <CodeRef targetGUID="${place.codeId}"/>
        </Coding>
      </PlainTextSelection>
`;
  }
  yield '    </TextSource>\n';
}
