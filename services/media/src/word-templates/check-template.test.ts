import { describe, expect, it } from '@jest/globals';
import { isAppError } from '@overtone/service-kit/errors';
import { growthOf, linearGrowth } from '@overtone/testkit/growth';
import { strFromU8, unzipSync } from 'fflate';
import {
  documentXml,
  letterheadFiles,
  relationshipsXml,
  zipped,
  type TemplateFiles,
} from '../../test/word-templates.ts';
import { checkTemplate } from './check-template.ts';

const macroType = 'application/vnd.ms-word.document.macroEnabled.main+xml';
const types = letterheadFiles()['[Content_Types].xml'] as string;

async function codeOf(document: Uint8Array): Promise<string> {
  try {
    await checkTemplate(document);
    return 'accepted';
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
}
function codeWith(changed: TemplateFiles): Promise<string> {
  return codeOf(zipped({ ...letterheadFiles(), ...changed }));
}
/** With one more relationship of the document. */
function related(...row: Parameters<typeof relationshipsXml>[0][number]): TemplateFiles {
  const relationships = letterheadFiles()['word/_rels/document2.xml.rels'] as string;
  const one = relationshipsXml([row]).replace(/^<Relationships[^>]*>/, '');
  return { 'word/_rels/document2.xml.rels': relationships.replace('</Relationships>', one) };
}
function body(xml: string): TemplateFiles {
  return { 'word/document2.xml': documentXml(xml) };
}
function field(...parts: string[]): TemplateFiles {
  const instructions = parts.map((part) => `<w:r><w:instrText>${part}</w:instrText></w:r>`).join('');
  return body(`<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r>${instructions}</w:p>`);
}
/** An archive whose directory states another size for its first file. */
function withStatedSize(archive: Uint8Array, size: number): Uint8Array {
  const bytes = new Uint8Array(archive);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length - 4; at += 1) {
    if (view.getUint32(at, true) !== 0x02014b50) continue;
    view.setUint32(at + 24, size, true);
    break;
  }
  return bytes;
}

describe('a document that becomes a template', () => {
  it('is accepted as a document and as a Word template, which becomes a document', async () => {
    expect(await codeWith({})).toBe('accepted');
    const dotx = types.replace('document.main+xml', 'template.main+xml');
    const { content } = await checkTemplate(zipped({ ...letterheadFiles(), '[Content_Types].xml': dotx }));
    expect(strFromU8(unzipSync(content)['[Content_Types].xml'] ?? new Uint8Array())).toContain('document.main+xml');
  });

  it.each<[string, TemplateFiles]>([
    [
      'a document with macros by its type',
      { '[Content_Types].xml': types.replace(/application[^"]*document.main\+xml/, macroType) },
    ],
    ['a part with macros', { ...related('rId9', 'vbaProject', 'vbaProject.bin'), 'word/vbaProject.bin': 'x' }],
  ])('is refused with macros: %s', async (_, changed) => {
    expect(await codeWith(changed)).toBe('word_template_macros');
  });

  it.each<[string, TemplateFiles]>([
    ['a linked picture', related('rId9', 'image', 'http://192.0.2.1/a.png', 'External')],
    ['a picture of a share', related('rId9', 'image', '\\\\192.0.2.1\\share\\a.png', 'External')],
    ['a link to a file', related('rId9', 'hyperlink', 'file:///etc/passwd', 'External')],
    ['a linked object', related('rId9', 'oleObject', 'http://192.0.2.1/a.doc', 'External')],
    ['a source of data', related('rId9', 'mailMergeSource', 'file:///C:/people.xlsx', 'External')],
    ['a field split into runs', field(' INCLUDE', 'PICTURE "http://192.0.2.1/a.png" ')],
    ['a field that starts a program', field('DDEAUTO c:\\\\windows\\\\system32\\\\cmd.exe')],
    ['a simple field', body('<w:p><w:fldSimple w:instr=" INCLUDETEXT &quot;\\\\192.0.2.1\\a.docx&quot; "/></w:p>')],
    [
      'a drawing of another server',
      body(
        '<w:p><w:r><w:pict xmlns:v="urn:schemas-microsoft-com:vml"><v:imagedata src="//192.0.2.1/a"/></w:pict></w:r></w:p>',
      ),
    ],
  ])('is refused with content from elsewhere: %s', async (_, changed) => {
    expect(await codeWith(changed)).toBe('word_template_external');
  });

  it.each<[string, TemplateFiles]>([
    [
      'an object',
      { ...related('rId9', 'oleObject', 'a.bin'), 'word/a.bin': 'x', ...body('<w:p><w:object r:id="rId9"/></w:p>') },
    ],
    [
      'another document',
      { ...related('rId9', 'aFChunk', 'a.html'), 'word/a.html': 'x', ...body('<w:altChunk r:id="rId9"/>') },
    ],
    ['a picture that is none', { ...related('rId9', 'image', 'a.exe'), 'word/a.exe': 'x' }],
  ])('is refused with an embedded object: %s', async (_, changed) => {
    expect(await codeWith(changed)).toBe('word_template_embedded');
  });

  const entity = '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>';
  it.each<[string, TemplateFiles]>([
    ['a document type declaration', { 'word/styles.xml': `${entity}<w:styles>&b;</w:styles>` }],
    ['malformed XML', { 'word/styles.xml': '<w:styles>' }],
    [
      'another variant of the format',
      {
        'word/document2.xml': documentXml('').replaceAll(
          /http:[^"]*main"/g,
          'http://purl.oclc.org/ooxml/wordprocessingml/main"',
        ),
      },
    ],
    ['a part that is missing', related('rId9', 'image', 'media/none.png')],
    ['no text', { 'word/document2.xml': '<a/>' }],
    ['very deep elements', body(`${'<w:p>'.repeat(300)}${'</w:p>'.repeat(300)}`)],
    ['very many elements', body('<w:p/>'.repeat(410_000))],
    ['a path out of the archive', { '../../outside.xml': '<a/>' }],
    ['an absolute path', { '/etc/passwd': 'x' }],
    ['an invalid encoding', { 'word/styles.xml': new Uint8Array([0x3c, 0x61, 0x2f, 0x3e, 0xff]) }],
  ])('is refused when it cannot be read: %s', async (_, changed) => {
    expect(await codeWith(changed)).toBe('word_template_invalid');
  });

  it('is refused when it is no archive, another kind of archive, or an old or encrypted document', async () => {
    for (const bytes of [
      new Uint8Array(),
      Buffer.from('%PDF-1.7'),
      Buffer.from('D0CF11E0A1B11AE1', 'hex'),
      zipped({ a: 'b' }),
    ])
      expect(await codeOf(bytes)).toBe('word_template_invalid');
    expect(await codeWith({ '[Content_Types].xml': '<Types/>' })).toBe('word_template_invalid');
  });

  it('is refused when it is too large unpacked, whatever its directory states', async () => {
    const zeros = new Uint8Array(45 * 1024 * 1024);
    expect(await codeWith({ 'word/media/a.png': zeros })).toBe('word_template_too_large');
    const bomb = zipped({ 'a.xml': zeros, ...letterheadFiles() });
    expect(await codeOf(withStatedSize(bomb, 10))).toBe('word_template_invalid');
    expect(await codeWith({ 'a.xml': zeros.subarray(0, 11 * 1024 * 1024) })).toBe('word_template_too_large');
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`a${i}`, 'x']));
    expect(await codeWith(many)).toBe('word_template_too_large');
  });

  it('keeps links to web pages, and nothing that the document does not refer to', async () => {
    const files = {
      ...letterheadFiles(),
      ...related('rId9', 'hyperlink', 'https://acme.example', 'External'),
      'word/secret.xml': '<a/>',
      ...field('HYPERLINK "https://acme.example/link"'),
    };
    const parts = unzipSync((await checkTemplate(zipped(files))).content);
    expect(Object.keys(parts)).not.toContain('word/secret.xml');
    expect(strFromU8(parts['word/_rels/document2.xml.rels'] ?? new Uint8Array())).toContain('https://acme.example');
  });

  it.each<[string, (size: number) => string]>([
    ['paragraphs', (size) => '<w:p><w:r><w:t>{{title}} {{</w:t></w:r></w:p>'.repeat(size)],
    ['runs of one paragraph', (size) => `<w:p>${'<w:r><w:t>{{title}} {</w:t></w:r>'.repeat(size)}</w:p>`],
    ['pieces of one field', (size) => `<w:p>${'<w:r><w:instrText>a</w:instrText></w:r>'.repeat(size)}</w:p>`],
    ['braces', (size) => `<w:p><w:r><w:t>${'{{ '.repeat(size * 10)}</w:t></w:r></w:p>`],
  ])('is checked in a time that grows with its size: %s', async (_, content) => {
    const inputOf = (size: number) => zipped({ ...letterheadFiles(), ...body(content(size)) });
    expect(await growthOf(inputOf, 4_000, checkTemplate)).toBeLessThan(linearGrowth);
  });
});
