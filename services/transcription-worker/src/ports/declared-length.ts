import { open } from 'node:fs/promises';

/**
 * RIFF files (WAV, AVI) declare their length in the header. ffmpeg silently uses the file's length instead, so that a
 * truncated copy looks complete. Recorders that do not update the header leave 0 or the maximum.
 */
export async function declaresMore(source: string): Promise<boolean> {
  const file = await open(source, 'r');
  try {
    const head = Buffer.alloc(8);
    const { bytesRead } = await file.read(head, 0, 8, 0);
    if (bytesRead < 8 || head.toString('latin1', 0, 4) !== 'RIFF') return false;
    const declared = head.readUInt32LE(4);
    if (declared === 0 || declared >= 0xffffff00) return false;
    return declared + 8 > (await file.stat()).size + 1;
  } finally {
    await file.close();
  }
}
