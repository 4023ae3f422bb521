import { msg, plural } from '@lingui/core/macro';
import type { ResponseBody } from '@overtone/client';
import { assertNever } from '../lib/assert-never.ts';
import { translateOnRead } from '../lib/language.ts';

export type ImportPreview = ResponseBody<'POST /api/transcripts/import/preview'>;
export type ImportFormat = ImportPreview['format'];
export type ImportEncoding = ImportPreview['encoding'];

export const importFormatNames: Record<ImportFormat, string> = translateOnRead({
  srt: 'SRT',
  webvtt: 'WebVTT',
  ttml: 'TTML',
  ass: 'Advanced SubStation Alpha',
  sbv: 'SubViewer',
  microdvd: 'MicroDVD',
  json: 'JSON',
  docx: msg`Word document`,
  text: msg`Plain text`,
});

export const encodingNames: Record<ImportEncoding, string> = translateOnRead({
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1252': msg`Windows-1252 (Western Europe)`,
  'windows-1250': msg`Windows-1250 (Central Europe)`,
  'windows-1251': msg`Windows-1251 (Cyrillic)`,
  'iso-8859-15': 'ISO 8859-15',
  shift_jis: msg`Shift JIS (Japanese)`,
  gb18030: msg`GB 18030 (Chinese)`,
  big5: msg`Big5 (Chinese)`,
  'euc-kr': msg`EUC-KR (Korean)`,
});

/** What was corrected while the file was read. */
export function noteText({ note, count }: ImportPreview['notes'][number]): string {
  switch (note) {
    case 'sorted':
      return plural(count, {
        one: '# cue was out of order and was sorted.',
        other: '# cues were out of order and were sorted.',
      });
    case 'overlapping':
      return plural(count, {
        one: '# cue begins before the one before it ends.',
        other: '# cues begin before the one before them ends.',
      });
    case 'negative_time':
      return plural(count, { one: '# negative time begins at 0 now.', other: '# negative times begin at 0 now.' });
    case 'no_length':
      return plural(count, { one: '# cue had no length and got one.', other: '# cues had no length and got one.' });
    case 'markup_removed':
      return plural(count, { one: 'Formatting of # cue was removed.', other: 'Formatting of # cues was removed.' });
    default:
      return assertNever(note);
  }
}

export const transcriptExtensions = '.srt,.vtt,.ttml,.dfxp,.xml,.ass,.ssa,.sbv,.sub,.json,.docx,.txt,.md';

/** Whether a dropped or chosen file is a transcript and not a recording. */
export function isTranscriptFile({ name, type }: Pick<File, 'name' | 'type'>): boolean {
  return !/^(audio|video)\//.test(type) && /\.(srt|vtt|ttml|dfxp|xml|ass|ssa|sbv|sub|json|docx|txt|md)$/i.test(name);
}
