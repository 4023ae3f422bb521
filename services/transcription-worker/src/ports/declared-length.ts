import { open } from 'node:fs/promises';

/**
 * RIFF (WAV, AVI) says in its first bytes how long it is. ffmpeg quietly takes the file's own length instead, so a
 * copy that broke off looks whole. Recorders that never came back to fill the number in leave 0 or the maximum.
 */
export const declaresMore = async (source: string): Promise<boolean> => {
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
};
