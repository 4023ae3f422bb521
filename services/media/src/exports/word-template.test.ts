import { describe, expect, it } from '@jest/globals';
import { strFromU8, unzipSync } from 'fflate';
import mammoth from 'mammoth';
import { passage, speaker, writtenBytes } from '../../test/exports.ts';
import { schemaErrors } from '../../test/word-schema.ts';
import { letterheadFiles, zipped } from '../../test/word-templates.ts';
import { allElements, parseXml, textOf, type XmlElement } from '../../test/xml.ts';
import { checkTemplate } from '../word-templates/check-template.ts';

const [ada, ben] = [speaker('Ada & Co'), speaker('Ben', 'SPEAKER_02')];
const passages = [passage(0, 2, 'Good morning <all>.', ada), passage(5, 7, 'Good bye.', ben)];
const about = { title: 'A {{date}} & talk', speakers: [ada, ben].map((by) => ({ ...by, talk_time: 3 })) };
const everything = { heading: true, participants: true, line_numbers: true, names: 'each' } as const;
type Choice = NonNullable<Parameters<typeof writtenBytes>[2]>;

async function exported(body?: string, choice: Choice = {}, change: Record<string, string> = {}) {
  const { content } = await checkTemplate(zipped({ ...letterheadFiles(body), ...change }));
  const bytes = await writtenBytes('docx', passages, {
    about,
    ...choice,
    options: { ...everything, ...choice.options },
    wordTemplate: content,
  });
  const files = unzipSync(bytes);
  const part = (path: string): XmlElement => parseXml(strFromU8(files[path] ?? new Uint8Array()));
  const paragraphs = elementsIn(part('word/document2.xml'), 'w:p').map((paragraph) => ({
    style: elementsIn(paragraph, 'w:pStyle')[0]?.attributes['w:val'] ?? '',
    text: elementsIn(paragraph, 'w:t').map(textOf).join(''),
  }));
  return { bytes, files, part, paragraphs, texts: paragraphs.map(({ text }) => text) };
}

function elementsIn(element: XmlElement, name: string): XmlElement[] {
  return allElements(element).filter((one) => one.name === name);
}

const spokenTexts = ['Ada & Co  00:00:00', 'Good morning <all>.', 'Ben  00:00:05', 'Good bye.'];

describe('a transcript in a Word template', () => {
  it('keeps the schema, and is read by an independent reader with the words, order and speakers', async () => {
    const { bytes, files } = await exported();
    expect(schemaErrors(files)).toEqual([]);
    const { value } = await mammoth.extractRawText({ buffer: Buffer.from(bytes) });
    const lines = value.split('\n').filter((line) => line !== '');
    expect(lines[0]).toBe('Our reference');
    expect(lines.slice(-4)).toEqual(spokenTexts);
  });

  it('has the page, the header with its picture and the footer of the template', async () => {
    const { part, files } = await exported();
    const [section] = elementsIn(part('word/document2.xml'), 'w:sectPr');
    expect(section?.children.map((child) => (typeof child === 'string' ? child : child.name))).toEqual([
      'w:headerReference',
      'w:footerReference',
      'w:pgSz',
      'w:pgMar',
      'w:lnNumType',
      'w:cols',
    ]);
    expect(elementsIn(part('word/document2.xml'), 'w:pgSz')[0]?.attributes).toEqual({ 'w:w': '8391', 'w:h': '11906' });
    expect(files['word/media/logo.png']?.length).toBeGreaterThan(50);
    expect(textOf(part('word/footer.xml'))).toBe('1 of ACME, Ada & Co, Ben');
  });

  it('has the styles of the template by their names, and adds those that it lacks', async () => {
    const { paragraphs, part } = await exported();
    const styleOf = (text: string): string | undefined => paragraphs.find((one) => one.text === text)?.style;
    expect(styleOf(about.title)).toBe('Titre');
    expect(styleOf('Speakers')).toBe('Titre1');
    expect(styleOf('Good bye.')).toBe('Passage');
    const styles = elementsIn(part('word/styles.xml'), 'w:style');
    const ids = styles.map(({ attributes }) => attributes['w:styleId']);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain('Title');
    // The template has another style with this id.
    expect(elementsIn(part('word/document2.xml'), 'w:rStyle')[0]?.attributes['w:val']).toBe('Time1');
    const passageStyle = styles.find(({ attributes }) => attributes['w:styleId'] === 'Passage');
    expect(passageStyle && elementsIn(passageStyle, 'w:basedOn')[0]?.attributes['w:val']).toBe('Standaard');
    expect(elementsIn(part('word/document2.xml'), 'w:tblStyle')[0]?.attributes['w:val']).toBe('Grilledutableau');
    expect(elementsIn(part('word/document2.xml'), 'w:tblBorders')).toEqual([]);
  });

  it('replaces placeholders that are split into runs, once, and leaves unknown ones', async () => {
    const { part } = await exported();
    expect(textOf(part('word/header.xml'))).toBe('ACME | A {{date}} & talk | 2026-01-01{{other}}');
  });

  it('stands where the template says, and shows the title once', async () => {
    const place = '<w:p><w:r><w:t>{{tran</w:t></w:r><w:r><w:t>script}}</w:t></w:r></w:p>';
    const body = `<w:p><w:r><w:t>{{title}}, {{duration}}</w:t></w:r></w:p>${place}<w:p><w:r><w:t>Signature</w:t></w:r></w:p>`;
    const { texts, files } = await exported(body, { options: { participants: false } });
    expect(texts).toEqual([`${about.title}, 2 s`, ...spokenTexts, 'Signature']);
    expect(schemaErrors(files)).toEqual([]);
  });

  it('stands in a cell of a table, and beside other text of its paragraph', async () => {
    const place = '<w:p><w:r><w:t>Text: {{transcript}}</w:t></w:r></w:p>';
    const body = `<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc>${place}</w:tc></w:tr></w:tbl><w:p/>`;
    const { texts, files } = await exported(body, { options: { participants: false, heading: false } });
    expect(texts).toEqual(['Text: ', ...spokenTexts, '']);
    expect(schemaErrors(files)).toEqual([]);
  });

  it('numbers the lines of its section only', async () => {
    const cover = '<w:p><w:pPr><w:sectPr><w:pgSz w:w="1" w:h="1"/></w:sectPr></w:pPr></w:p>';
    const { part } = await exported(cover);
    const sections = elementsIn(part('word/document2.xml'), 'w:sectPr');
    expect(sections.map((section) => elementsIn(section, 'w:lnNumType').length)).toEqual([0, 1]);
  });

  it('has its comments, its own bookmarks and lists beside those of the template', async () => {
    const mark = '<w:p><w:bookmarkStart w:id="5" w:name="ours"/><w:bookmarkEnd w:id="5"/><w:r><w:t>x</w:t></w:r></w:p>';
    const thread = {
      uuid: '00000000-0000-4000-8000-000000000000',
      start_time: 1,
      end_time: 2,
      quote: 'morning',
      color: null,
      text: 'Check this.',
      user_id: '00000000-0000-4000-8000-000000000000',
      author_name: 'Rita',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      resolved_at: null,
      replies: [],
    } as unknown as NonNullable<Choice['comments']>[number];
    const { part, files } = await exported(mark, { comments: [thread], options: { comments: true } });
    expect(schemaErrors(files)).toEqual([]);
    expect(textOf(part('word/comments.xml'))).toContain('Check this.');
    expect(textOf(part('word/comments.xml'))).not.toContain('Designer');
  });

  it('has the points of a summary as a list of its own, with links to their bookmarks', async () => {
    const segments = [{ uuid: '00000000-0000-4000-8000-000000000000', start: 5 }];
    const points = { key_decisions: [], action_items: [], topics: [], follow_ups: [] };
    const summary = {
      language: null,
      made_without_model: false,
      out_of_date: false,
      coverage: { segments: 2, covered_segments: 2, gaps: [] },
      summary: { brief: [{ text: 'It was agreed.', segments }], ...points },
    };
    const { part, files, paragraphs } = await exported(undefined, { summary, options: { summary: true } });
    expect(schemaErrors(files)).toEqual([]);
    expect(paragraphs.map(({ text }) => text)).toContain('It was agreed. 00:00:05');
    const used = elementsIn(part('word/document2.xml'), 'w:numId').map(({ attributes }) => attributes['w:val']);
    const numbering = part('word/numbering.xml');
    expect(numbering.children.map((child) => (typeof child === 'string' ? child : child.name))).toEqual([
      'w:abstractNum',
      'w:abstractNum',
      'w:num',
      'w:num',
    ]);
    const [, own] = elementsIn(numbering, 'w:num');
    expect(used).toEqual([own?.attributes['w:numId']]);
    const definitions = elementsIn(numbering, 'w:abstractNum').map(({ attributes }) => attributes['w:abstractNumId']);
    expect(own && elementsIn(own, 'w:abstractNumId')[0]?.attributes['w:val']).toBe(definitions[1]);
    expect(new Set(definitions).size).toBe(2);
  });

  it('hides names in placeholders, too, when it shows none', async () => {
    const { part } = await exported(undefined, { options: { names: 'none' } });
    expect(textOf(part('word/footer.xml'))).toBe('1 of ACME, ');
  });

  it('has none of the authors and the place of the template', async () => {
    const { files } = await exported();
    const everything = Object.values(files)
      .map((bytes) => strFromU8(bytes))
      .join('');
    expect(everything).not.toMatch(/Designer|dotx/);
    expect(strFromU8(files['docProps/core.xml'] ?? new Uint8Array())).toContain('A {{date}} &amp; talk');
  });

  it('says in the standard layout that its template was deleted', async () => {
    const bytes = await writtenBytes('docx', passages, { about, wordTemplate: 'missing' });
    const { value } = await mammoth.extractRawText({ buffer: bytes });
    expect(value).toMatch(/^The Word template that was chosen for this export no longer exists\./);
    expect(value).toContain('Good bye.');
  });
});
