import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import busboy, { type Busboy } from 'busboy';
import { uploadErrors } from '../uploads/uploads.ts';

export type Part = { filename: string | undefined; declaredType: string; body: Readable };
type Fields = Record<string, string>;

const limits = { files: 1, fields: 20, fieldNameSize: 100, fieldSize: 4096, parts: 22 };

const cutOffMessage = 'the client closed the connection';

// Browsers escape only these three characters of a file name (HTML, 4.10.21.8).
const escapes: Record<string, string> = { '%22': '"', '%0D': '\r', '%0A': '\n' };

/**
 * Reads a multipart body with one file in the field `file`, which `onFile` consumes as a stream; `ended` resolves with the
 * fields after the whole body. A truncated body fails the stream. @returns the result of `onFile`.
 */
export async function readMultipart<T>(
  req: IncomingMessage,
  onFile: (part: Part, ended: () => Promise<Fields>) => Promise<T>,
): Promise<T> {
  const parser = parserFor(req);
  // The parser emits its events in the async context of the connection; `onFile` needs that of the request.
  const handleFile = AsyncLocalStorage.bind(onFile);
  const fields: Fields = {};
  let fileResult: Promise<T> | undefined;
  let rejection: Error | undefined;
  const reject = (error: Error): void => {
    // A failure of `onFile` that only follows from an unreadable body is not a refusal.
    if (parser.errored || parser.destroyed) return;
    rejection = error;
    parser.destroy(error);
  };
  const ended = async (): Promise<Fields> => {
    await parsed;
    return fields;
  };

  parser.on('field', (name, value, info) => {
    if (info.valueTruncated || info.nameTruncated) reject(uploadErrors.malformed('A field is too long.'));
    else fields[name] = value;
  });
  parser.on('file', (name, body, info) => {
    // Its reader receives the error, too; without a reader the error has no meaning.
    body.on('error', () => undefined);
    // busboy parses the rest of a chunk in which it found an error.
    if (parser.destroyed) return void body.destroy();
    if (name !== 'file') return reject(uploadErrors.malformed('The file must be in the field "file".'));
    fileResult = handleFile({ filename: decodeFilename(info.filename), declaredType: info.mimeType, body }, ended);
    // A refusal ends the reading at once; it is reported below.
    fileResult.catch(reject);
  });
  parser.on('filesLimit', () => reject(uploadErrors.malformed('Only one file can be uploaded at a time.')));
  parser.on('fieldsLimit', () => reject(uploadErrors.malformed('There are too many fields.')));
  parser.on('partsLimit', () => reject(uploadErrors.malformed('There are too many parts.')));

  const parsed = feed(req, parser);
  try {
    await parsed;
  } catch (error) {
    await fileResult?.catch(() => undefined);
    throw rejection ?? toUploadError(error);
  }
  if (!fileResult) throw uploadErrors.malformed('The file must be in the field "file".');
  return fileResult;
}

function parserFor(req: IncomingMessage): Busboy {
  try {
    // oxlint-disable-next-line streams/error-handler -- readMultipart listens
    return busboy({ headers: req.headers, limits, defParamCharset: 'utf8', preservePath: true, fileHwm: 128 * 1024 });
  } catch (cause) {
    throw uploadErrors.malformed('The upload must be multipart/form-data with a boundary.', cause);
  }
}

function decodeFilename(filename: string | undefined): string | undefined {
  return filename?.replaceAll(/%(?:22|0D|0A)/g, (escape) => escapes[escape] ?? escape);
}

/**
 * Not `pipeline`: a refused body must leave the connection open for the response. The listeners stay for the life of
 * the streams: busboy emits some errors without destroying itself, and a second error without a listener would end the
 * process.
 */
function feed(req: IncomingMessage, parser: Busboy): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      reject(error);
      req.unpipe(parser);
      // Ends the part that is being read, too.
      parser.destroy();
    };
    const cutOff = (): void => fail(new Error(cutOffMessage));
    parser.on('error', fail).once('finish', resolve);
    req.on('error', cutOff).once('close', () => {
      if (!req.complete) cutOff();
    });
    // The connection may have ended before there was a listener.
    if (req.destroyed && !req.complete) return cutOff();
    req.pipe(parser);
  });
}

function toUploadError(cause: unknown): Error {
  const message = cause instanceof Error ? cause.message : '';
  if (message === cutOffMessage || message === 'Unexpected end of form') return uploadErrors.cutOff(cause);
  // In practice it is the name that makes the header of a part too long or unreadable.
  if (message === 'Malformed part header') {
    return uploadErrors.name('The file name is too long or holds characters that no name may hold.');
  }
  return uploadErrors.malformed('The multipart body could not be read.', cause);
}
