import Pdf from 'pdfkit';
import { blocksOf, type Block, type Paragraph } from './document.ts';
import { readFont, readFonts, type Face, type FontCatalogue } from './pdf-fonts.ts';
import { linesOf, type Glyphs, type Line, type Span, type Style } from './pdf-lines.ts';
import { clock, collapseWhitespace } from './spoken.ts';
import type { Transcript, Writer } from './transcript.ts';

const body: Style = { size: 11 };
const heading: Style = { size: 14, bold: true };
const name: Style = { size: 11, bold: true };
const gray = '#595959';
const time: Style = { size: 9, color: gray };
const margin = 72;
const lineSpacing = 1.4;
/** A heading stands above at least so many lines of what it heads. */
const linesBelow = 2;

/** A document with page numbers, links from the summary to its passages and, if chosen, line numbers. */
export const writePdf: Writer = async function* (transcript) {
  const { about, options } = transcript;
  const title = collapseWhitespace(about.title);
  const document = new Pdf({
    size: 'A4',
    margin,
    // The number of pages is written on each of them at the end.
    bufferPages: true,
    displayTitle: true,
    info: { Title: title, Creator: 'Overtone' },
    ...(about.language === null ? {} : { lang: about.language }),
  });
  const pages = createPages(document, await readFonts(about.language), options);
  for await (const block of blocksOf(transcript)) await writeBlock(pages, block);
  await pages.number();
  document.end();
  for await (const chunk of document) yield chunk as Buffer;
};

type Pages = ReturnType<typeof createPages>;
type Space = { before?: number; indent?: number; bullet?: boolean; keepsWithNext?: boolean };

async function writeBlock(pages: Pages, block: Block): Promise<void> {
  switch (block.kind) {
    case 'title':
      await pages.write([{ text: block.title, style: { size: 20, bold: true } }], { keepsWithNext: true });
      return pages.write([{ text: block.about, style: { size: 11, color: gray } }]);
    case 'speakers':
      await pages.write([{ text: 'Speakers', style: heading }], { before: 14, keepsWithNext: true });
      for (const { name: speaker, initials, time: spoke } of block.rows)
        await pages.writeRow(initials === null ? speaker : `${initials}: ${speaker}`, spoke);
      return;
    case 'section':
      await pages.write([{ text: block.heading, style: heading }], { before: 14, keepsWithNext: true });
      for (const { text, seconds } of block.items)
        await pages.write([{ text, style: body }, ...seconds.flatMap(linkTo)], { before: 3, indent: 14, bullet: true });
      return;
    case 'transcript':
      return pages.write([{ text: 'Transcript', style: heading }], { before: 14, keepsWithNext: true });
    case 'paragraph':
      return writeParagraph(pages, block);
    default:
      return block satisfies never;
  }
}

async function writeParagraph(pages: Pages, { speaker, start, end, runs }: Paragraph): Promise<void> {
  const head: Span[] = [
    ...(speaker === null ? [] : [{ text: speaker, style: name }]),
    ...(start === null ? [] : [{ text: speaker === null ? start : ` ${start}`, style: time }]),
  ];
  if (head.length > 0) await pages.write(head, { before: 9, keepsWithNext: true });
  const text = runs.map(({ text: part, uncertain, cited }) => ({
    text: part,
    style: { ...body, marked: uncertain, ...(cited === undefined ? {} : { target: targetOf(cited) }) },
  }));
  const ending = end === null ? [] : [{ text: ` ${end}`, style: time }];
  await pages.write([...text, ...ending], { before: head.length > 0 ? 1 : 6 });
}

function linkTo(second: number): Span[] {
  return [
    { text: ' ', style: body },
    { text: clock(second), style: { ...time, color: '#1a56b0', link: targetOf(second) } },
  ];
}

function targetOf(second: number): string {
  return `t${Math.round(second * 1000)}`;
}

/** Writes lines from the top to the bottom of pages. */
function createPages(
  document: PDFKit.PDFDocument,
  fonts: FontCatalogue,
  { line_numbers: numbered }: Transcript['options'],
) {
  const { width, height } = document.page;
  const [right, bottom] = [width - margin, height - margin];
  const loaded = new Set<string>();
  let y = margin;
  let lineNumber = 0;

  const fontOf = (face: Face, bold = false): string => (bold && face.boldPath ? face.boldPath : face.path);
  const load = async (spans: readonly Span[]): Promise<void> => {
    for (const { text, style } of spans) {
      const faces = new Set<Face>();
      let last: Face | undefined;
      for (const character of text) faces.add((last = fonts.faceOf(character.codePointAt(0) ?? 0, last)));
      for (const face of faces) {
        const path = fontOf(face, style.bold);
        if (loaded.has(path)) continue;
        document.registerFont(path, await readFont(path));
        loaded.add(path);
      }
    }
  };
  const select = ({ face, style }: Pick<Glyphs, 'face' | 'style'>): void => {
    document.font(fontOf(face, style.bold)).fontSize(style.size);
  };
  const measure = (glyphs: Glyphs): number => {
    select(glyphs);
    return document.widthOfString(glyphs.text);
  };

  const draw = (glyphs: Glyphs, x: number, drawnWidth: number): void => {
    const { text, face, style } = glyphs;
    const { size, bold, color = '#1c1c1c', marked, target, link } = style;
    if (marked) document.rect(x, y - 1, drawnWidth, size * 1.3).fill('#fff0b8');
    select(glyphs);
    const outlined = face.weak || (bold && face.boldPath === null);
    document
      .lineWidth(size * (bold ? 0.05 : 0.015))
      .strokeColor(color)
      .fillColor(color);
    // Letters of all fonts stand on one line.
    document.text(text, x, y + size, {
      lineBreak: false,
      baseline: 'alphabetic',
      ...(outlined ? { fill: true, stroke: true } : {}),
      ...(target === undefined ? {} : { destination: target }),
      ...(link === undefined ? {} : { goTo: link }),
    });
  };

  const drawLine = ({ glyphs, rightToLeft }: Line, left: number, end: number): void => {
    const widths = glyphs.map(measure);
    let x = rightToLeft ? end - widths.reduce((sum, one) => sum + one, 0) : left;
    for (const [i, one] of glyphs.entries()) {
      draw(one, x, widths[i] ?? 0);
      x += widths[i] ?? 0;
    }
  };

  const heightOf = ({ glyphs }: Line): number =>
    Math.max(body.size, ...glyphs.map(({ style }) => style.size)) * lineSpacing;
  const startPage = (): void => {
    document.addPage();
    y = margin;
    lineNumber = 0;
  };
  const prepare = async (text: string, style: Style, from: number, end: number): Promise<Line[]> => {
    const spans = [{ text: clean(text), style }];
    await load(spans);
    return linesOf(spans, end - from, fonts, measure);
  };
  const writeNumber = async (): Promise<void> => {
    lineNumber += 1;
    if (!numbered) return;
    const [line] = await prepare(String(lineNumber), time, 0, margin);
    if (line) drawLine(line, margin - 32, margin);
  };

  const write = async (wanted: readonly Span[], { before = 0, indent = 0, bullet, keepsWithNext }: Space = {}) => {
    const spans = wanted.map(({ text, style }) => ({ text: clean(text), style }));
    await load(spans);
    const lines = linesOf(spans, right - margin - indent, fonts, measure);
    y += y === margin ? 0 : before;
    const reserved = keepsWithNext ? linesBelow * body.size * lineSpacing : 0;
    for (const [i, line] of lines.entries()) {
      if (y + heightOf(line) + reserved > bottom) startPage();
      await writeNumber();
      if (bullet && i === 0) {
        const [mark] = await prepare('•', body, 0, margin);
        if (mark) drawLine({ ...mark, rightToLeft: line.rightToLeft }, margin, right);
      }
      // The indentation is at the side where the text begins.
      drawLine(line, margin + indent, right - indent * Number(line.rightToLeft));
      y += heightOf(line);
    }
  };

  /** A row of the table of speakers. */
  const writeRow = async (left: string, value: string): Promise<void> => {
    const column = right - 90;
    const [value0] = await prepare(value, body, column, right);
    const lines = await prepare(left, body, margin, column - 12);
    for (const [i, line] of lines.entries()) {
      if (y + heightOf(line) > bottom) startPage();
      await writeNumber();
      drawLine(line, margin, column - 12);
      if (i === 0 && value0) drawLine(value0, column, right);
      y += heightOf(line);
    }
  };

  const number = async (): Promise<void> => {
    const { start, count } = document.bufferedPageRange();
    for (let i = 0; i < count; i += 1) {
      document.switchToPage(start + i);
      // The library begins a page for text below the margin.
      document.page.margins.bottom = 0;
      const [line] = await prepare(`${i + 1} / ${count}`, time, margin, right);
      y = height - margin / 2 - time.size;
      const used = line?.glyphs.reduce((sum, one) => sum + measure(one), 0) ?? 0;
      if (line) drawLine(line, (width - used) / 2, right);
    }
  };

  return { write, writeRow, number };
}

/** Control characters have no form. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll(/\p{Cc}/gu, ' ');
}
