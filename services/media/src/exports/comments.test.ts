import { describe, expect, it } from '@jest/globals';
import type { CommentThread } from '@overtone/contracts';
import { exportFormatNames, formatTakes } from '@overtone/contracts/export-formats';
import { strFromU8, unzipSync } from 'fflate';
import { passage, pdfLines, timed, written, writtenBytes } from '../../test/exports.ts';
import { schemaErrors } from '../../test/word-schema.ts';

const comments: CommentThread[] = [
  {
    ...by('Ada <Lovelace>'),
    text: 'Who said\nthis? [phone]',
    start_time: 5,
    end_time: 6,
    quote: 'second & last',
    color: null,
    resolved: { at: '2026-01-02T03:04:05.000Z', by: null },
    replies: [{ ...by(null), text: 'Unsigned' }],
  },
  {
    ...by('Grace'),
    text: '',
    start_time: 5.5,
    end_time: 6,
    quote: 'last',
    color: 'green',
    resolved: null,
    replies: [],
  },
];
const passages = [
  passage(0, 2, 'the first one', null, timed('the first one', 0)),
  passage(5, 8, 'the second & last', null, timed('the second & last', 5)),
];
const textual = ['txt', 'markdown', 'html'] as const;

function by(name: string | null) {
  return {
    uuid: '00000000-0000-4000-8000-000000000001',
    author: name === null ? null : { uuid: '00000000-0000-4000-8000-000000000002', name },
    withheld: false,
    mentions: [],
    created_at: '2026-01-02T03:04:05.000Z',
    edited_at: null,
    can_edit: false,
    can_delete: false,
  };
}

describe('comments in an export', () => {
  it('are an option of documents and of JSON', () => {
    expect(exportFormatNames.filter((format) => formatTakes(format, 'comments'))).toEqual([
      'docx',
      'pdf',
      'html',
      'markdown',
      'txt',
      'json',
    ]);
  });

  it('follow a text, with their times, quotes, authors and replies', async () => {
    expect(await written('txt', passages, { comments, options: { paragraphs: 'passages' } })).toMatch(
      /last\n\nComments:\n- 00:00:05 “second & last” Ada <Lovelace>: Who said this\? \[phone\] \(resolved\)\n- 00:00:05 Reply\. Unknown: Unsigned\n- 00:00:05 “last” Grace: highlighted in green\.\n$/,
    );
    expect(await written('html', passages, { comments })).toContain('Ada &lt;Lovelace&gt;: Who said this?');
    expect(await written('markdown', passages, { comments })).toContain(String.raw`Ada \<Lovelace\>: Who said this?`);
    const pdf = (await pdfLines(await writtenBytes('pdf', passages, { comments }))).join(' ');
    expect(pdf).toContain('Ada <Lovelace>: Who said this?');
  });

  it.each(textual)('show masked parts as they are chosen in %s, and are missing without them', async (format) => {
    const bar = await written(format, passages, { comments, options: { masked: 'bar' } });
    expect(bar).toContain('Who said this? █████');
    expect(await written(format, passages, { comments: [] })).toBe(await written(format, passages));
    expect(await written(format, passages)).not.toContain('Comments');
  });

  it('are comments of Word on their paragraphs', async () => {
    const bytes = await writtenBytes('docx', passages, { comments, options: { paragraphs: 'passages' } });
    const parts = unzipSync(bytes);
    const [document, written] = ['word/document.xml', 'word/comments.xml'].map((name) => strFromU8(parts[name]!));
    expect(schemaErrors(parts)).toEqual([]);
    const [first = '', second = ''] = document!.split('first one');
    expect(first + second.split('second')[0]!).not.toContain('commentReference');
    expect([...document!.matchAll(/<w:commentReference w:id="(\d)"/g)].map(([, id]) => id)).toEqual(['0', '1']);
    expect(document).not.toContain('Comments');
    expect(written).toContain('w:author="Ada &lt;Lovelace&gt;"');
    expect(written).toContain('Unknown: Unsigned');
    expect(written).toContain('Grace: highlighted in green.');
  });

  it('are a field of JSON, without identifiers', async () => {
    const json = await written('json', passages, { comments });
    expect(JSON.parse(json)).toMatchObject({
      comments: [
        {
          start_time: 5,
          quote: 'second & last',
          author: 'Ada <Lovelace>',
          resolved: true,
          replies: [{ text: 'Unsigned' }],
        },
        { color: 'green', text: '' },
      ],
    });
    expect(json).not.toContain('uuid');
    expect(JSON.parse(await written('json', passages))).not.toHaveProperty('comments');
  });
});
