import { unzipSync } from 'fflate';
import { SaxesParser } from 'saxes';
import { importErrors } from './import-errors.ts';

/** Of the text of a document with its markup. Ten hours of speech have 10 MB; an archive may declare any size. */
const maxXmlBytes = 64 * 1024 * 1024;
const document = 'word/document.xml';

export function isDocx(bytes: Uint8Array): boolean {
  return [0x50, 0x4b, 0x03, 0x04].every((byte, i) => bytes[i] === byte);
}

/** The paragraphs of a Word document (ISO/IEC 29500), separated by blank lines: Teams exports transcripts as such. */
export function textOfDocx(bytes: Uint8Array): string {
  const xml = new TextDecoder().decode(unpack(bytes));
  let text = '';
  let isText = false;
  const parser = new SaxesParser();
  parser.on('error', () => {
    throw importErrors.formatUnknown();
  });
  parser.on('doctype', () => {
    throw importErrors.formatUnknown();
  });
  parser.on('opentag', ({ name }) => {
    isText = name === 'w:t';
    if (name === 'w:br') text += '\n';
    if (name === 'w:tab') text += ' ';
  });
  parser.on('text', (content) => {
    if (isText) text += content;
  });
  parser.on('closetag', ({ name }) => {
    isText = false;
    if (name === 'w:p') text += '\n\n';
  });
  parser.write(xml).close();
  return text;
}

function unpack(bytes: Uint8Array): Uint8Array {
  let isLarge = false;
  const filter = ({ name, originalSize }: { name: string; originalSize: number }): boolean => {
    if (name !== document) return false;
    isLarge = originalSize > maxXmlBytes;
    return !isLarge;
  };
  let files: Record<string, Uint8Array> = {};
  try {
    files = unzipSync(bytes, { filter });
  } catch {
    throw importErrors.encodingUnknown('It is an archive.');
  }
  if (isLarge) throw importErrors.tooMuchMemory();
  const found = files[document];
  if (!found) throw importErrors.encodingUnknown('It is an archive without a Word document.');
  return found;
}
