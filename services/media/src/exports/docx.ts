import {
  AlignmentType,
  Bookmark,
  CommentRangeEnd,
  CommentRangeStart,
  CommentReference,
  Document,
  Footer,
  HeadingLevel,
  InternalHyperlink,
  LineNumberRestartFormat,
  Packer,
  PageNumber,
  Paragraph as WordParagraph,
  Table,
  TableCell,
  TableRow,
  TextRun,
  WidthType,
  type IParagraphOptions,
  type ParagraphChild,
} from 'docx';
import type { WordPlaceholder } from '@overtone/contracts';
import { commentLines, nameOf, replyLines } from './comments.ts';
import { blocksOf, type Block, type Paragraph, type Run } from './document.ts';
import { clock, collapseWhitespace, lengthOf, namesBy } from './spoken.ts';
import { dayOf, speakerNames, type Transcript, type Writer } from './transcript.ts';
import { fillTemplate, placeholdersInText } from './word-template.ts';
import { isRightToLeft } from './xml.ts';

/** A Word document (Office Open XML) with styles, headings, page numbers and, if chosen, line numbers. */
export const writeDocx: Writer = async function* (transcript) {
  const children: (WordParagraph | Table)[] = [];
  const placed = placedComments(transcript);
  const template = typeof transcript.wordTemplate === 'string' ? null : transcript.wordTemplate;
  const values = placeholderValues(transcript);
  // A template that shows the title in its text needs no second one.
  const heading = transcript.options.heading && !(template && (await placeholdersInText(template)).has('title'));
  if (transcript.wordTemplate === 'missing') children.push(paragraphOf(templateIsMissing, { style: 'About' }));
  const options = { ...transcript.options, heading };
  for await (const block of blocksOf({ ...transcript, options, comments: null }))
    children.push(...wordBlocks(block, block.kind === 'paragraph' ? placed.takeBefore(block.time.until) : []));
  // What belongs to no passage stands at the end.
  const rest = placed.takeBefore(Infinity);
  if (rest.length > 0) children.push(withChildren('', marked([], rest), { style: 'Passage' }));
  const written = (): Promise<Uint8Array> => Packer.toBuffer(documentOf(transcript, children));
  yield template === null
    ? await written()
    : await fillTemplate(template, await written(), { values, lineNumbers: transcript.options.line_numbers });
};

const templateIsMissing =
  'The Word template that was chosen for this export no longer exists. This document has the standard layout.';

/** What stands for the placeholders of a template. */
function placeholderValues({ about, options }: Transcript): Readonly<Record<WordPlaceholder, string>> {
  const nameOf = namesBy(options.names, speakerNames(about));
  const names = speakerNames(about).map((name) => nameOf(name));
  const values: Record<WordPlaceholder, string> = {
    transcript: '',
    title: collapseWhitespace(about.title),
    date: dayOf(about),
    duration: about.duration === null ? '' : lengthOf(about.duration),
    participants: names.filter((name) => name !== null).join(', '),
    language: about.language ?? '',
    filename: about.filename,
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, clean(value)])) as typeof values;
}

/** Numbers of the comments that begin before a second, each once. */
function placedComments({ comments }: Transcript) {
  const threads = comments ?? [];
  let next = 0;
  return {
    takeBefore: (second: number): number[] => {
      const taken: number[] = [];
      for (; next < threads.length && (threads[next]?.start_time ?? 0) < second; next += 1) taken.push(next);
      return taken;
    },
  };
}

/** The comments that Word shows in the margin; replies are paragraphs of them. */
function wordComments({ comments, options }: Transcript) {
  const children = (comments ?? []).map((thread, id) => ({
    id,
    author: clean(nameOf(thread)),
    date: new Date(thread.created_at),
    children: [...commentLines(thread, options), ...replyLines(thread, options)].map((line) => paragraphOf(line, {})),
  }));
  return children.length === 0 ? {} : { comments: { children } };
}

function marked(children: ParagraphChild[], comments: readonly number[]): ParagraphChild[] {
  return [
    ...comments.map((id) => new CommentRangeStart(id)),
    ...children,
    ...comments.flatMap((id) => [new CommentRangeEnd(id), new TextRun({ children: [new CommentReference(id)] })]),
  ];
}

function documentOf(transcript: Transcript, children: readonly (WordParagraph | Table)[]): Document {
  const { about, options } = transcript;
  const title = clean(collapseWhitespace(about.title));
  return new Document({
    title,
    ...wordComments(transcript),
    creator: 'Overtone',
    ...(about.language === null ? {} : { styles: stylesOf(about.language) }),
    ...(about.language === null ? { styles: stylesOf('en') } : {}),
    sections: [
      {
        properties: options.line_numbers
          ? { lineNumbers: { countBy: 1, restart: LineNumberRestartFormat.NEW_PAGE, distance: 400 } }
          : {},
        footers: { default: new Footer({ children: [pageNumbers()] }) },
        children: [...children],
      },
    ],
  });
}

/** Styles that people change in Word for the whole document. */
function stylesOf(language: string) {
  const run = { font: 'Calibri', size: 22, language: { value: language } };
  return {
    default: {
      document: { run, paragraph: { spacing: { line: 300 } } },
      title: { run: { size: 40, bold: true }, paragraph: { spacing: { after: 60 } } },
      heading1: { run: { size: 28, bold: true }, paragraph: { spacing: { before: 360, after: 120 }, keepNext: true } },
    },
    paragraphStyles: [
      {
        id: 'About',
        name: 'About',
        basedOn: 'Normal',
        run: { color: '595959' },
        paragraph: { spacing: { after: 240 } },
      },
      {
        id: 'Speaker',
        name: 'Speaker',
        basedOn: 'Normal',
        next: 'Passage',
        run: { bold: true },
        paragraph: { spacing: { before: 200 }, keepNext: true },
      },
      { id: 'Passage', name: 'Passage', basedOn: 'Normal', paragraph: { spacing: { after: 120 } } },
    ],
    characterStyles: [
      { id: 'Time', name: 'Time', run: { bold: false, color: '595959', size: 18 } },
      { id: 'Uncertain', name: 'Uncertain', run: { shading: { fill: 'FFF0B8' } } },
    ],
  };
}

function pageNumbers(): WordParagraph {
  const children = [new TextRun({ children: [PageNumber.CURRENT, ' / ', PageNumber.TOTAL_PAGES] })];
  return new WordParagraph({ alignment: AlignmentType.CENTER, children });
}

function wordBlocks(block: Block, comments: readonly number[]): (WordParagraph | Table)[] {
  switch (block.kind) {
    case 'title':
      return [paragraphOf(block.title, { heading: HeadingLevel.TITLE }), paragraphOf(block.about, { style: 'About' })];
    case 'speakers':
      return [paragraphOf('Speakers', { heading: HeadingLevel.HEADING_1 }), speakerTable(block.rows)];
    case 'section':
      return [
        paragraphOf(block.heading, { heading: HeadingLevel.HEADING_1 }),
        ...block.items.map(({ text, seconds }) => {
          const links = seconds.flatMap((second) => [textRun(' '), linkTo(second)]);
          return withChildren(text, [textRun(text), ...links], { bullet: { level: 0 } });
        }),
      ];
    case 'transcript':
      return [paragraphOf('Transcript', { heading: HeadingLevel.HEADING_1 })];
    case 'paragraph':
      return passage(block, comments);
    default:
      return block satisfies never;
  }
}

function speakerTable(rows: Extract<Block, { kind: 'speakers' }>['rows']): Table {
  const cell = (text: string, style?: string) =>
    new TableCell({ children: [paragraphOf(text, style ? { style } : {})] });
  return new Table({
    width: { size: 100, type: WidthType.PERCENTAGE },
    rows: [
      new TableRow({ tableHeader: true, children: ['Speaker', 'Spoke for'].map((text) => cell(text, 'Speaker')) }),
      ...rows.map(({ name, initials, time }) => {
        const shown = initials === null ? name : `${initials}: ${name}`;
        return new TableRow({ children: [cell(shown), cell(time)] });
      }),
    ],
  });
}

function passage({ speaker, start, end, runs }: Paragraph, comments: readonly number[]): WordParagraph[] {
  const text = runs.map((run) => run.text).join('');
  const heading = [
    ...(speaker === null ? [] : [textRun(speaker)]),
    ...(start === null ? [] : [timeRun(speaker === null ? start : `  ${start}`)]),
  ];
  const children = [...runs.flatMap(wordRuns), ...(end === null ? [] : [timeRun(` ${end}`)])];
  return [
    ...(heading.length === 0 ? [] : [withChildren(speaker ?? text, heading, { style: 'Speaker' })]),
    withChildren(text, marked(children, comments), { style: 'Passage' }),
  ];
}

function wordRuns({ text, uncertain, cited }: Run): ParagraphChild[] {
  const run = new TextRun({
    text: clean(text),
    rightToLeft: isRightToLeft(text),
    ...(uncertain ? { style: 'Uncertain' } : {}),
  });
  return [cited === undefined ? run : new Bookmark({ id: bookmarkOf(cited), children: [run] })];
}

function linkTo(second: number): InternalHyperlink {
  const children = [new TextRun({ text: clock(second), style: 'Hyperlink' })];
  return new InternalHyperlink({ anchor: bookmarkOf(second), children });
}

/** A name of a bookmark has letters, digits and underscores only. */
function bookmarkOf(second: number): string {
  return `t${Math.round(second * 1000)}`;
}

function paragraphOf(text: string, options: IParagraphOptions): WordParagraph {
  return withChildren(text, [textRun(text)], options);
}

function withChildren(text: string, children: ParagraphChild[], options: IParagraphOptions): WordParagraph {
  return new WordParagraph({ ...options, ...(isRightToLeft(text) ? { bidirectional: true } : {}), children });
}

function textRun(text: string): TextRun {
  return new TextRun({ text: clean(text), rightToLeft: isRightToLeft(text) });
}

function timeRun(text: string): TextRun {
  return new TextRun({ text, style: 'Time' });
}

/** XML has no place for control characters; a file with one does not open. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, ' ');
}
