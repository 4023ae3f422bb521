import { open } from 'node:fs/promises';
import { z } from 'zod';
import type { Tensor } from './checkpoint.ts';

const largestHeader = 16 * 1024 ** 2;
const described = z.object({
  dtype: z.string(),
  shape: z.array(z.int().min(0)),
  data_offsets: z.tuple([z.int().min(0), z.int().min(0)]),
});

/**
 * The tensors of 32-bit floats of a safetensors file, by their name: the length of the header (8 bytes, little endian), the
 * header (JSON), the data. Tensors of other types are left out.
 */
export async function readSafetensors(path: string): Promise<Map<string, Tensor>> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const read = async (bytes: number, position: number): Promise<Buffer> => {
      const buffer = Buffer.alloc(bytes);
      const { bytesRead } = await file.read(buffer, 0, bytes, position);
      if (bytesRead < bytes) throw new Error('the file is cut off');
      return buffer;
    };
    const length = Number((await read(8, 0)).readBigUInt64LE());
    if (length > Math.min(largestHeader, size - 8)) throw new Error('it is not a safetensors file');
    const header = z.record(z.string(), z.unknown()).parse(JSON.parse((await read(length, 8)).toString('utf8')));
    const tensors = new Map<string, Tensor>();
    for (const [name, value] of Object.entries(header)) {
      const tensor = described.safeParse(value).data;
      if (tensor?.dtype !== 'F32') continue;
      const [from, to] = tensor.data_offsets;
      const count = tensor.shape.reduce((product, side) => product * side, 1);
      if (to - from !== count * 4 || 8 + length + to > size) throw new Error(`the tensor ${name} has another size`);
      const bytes = await read(to - from, 8 + length + from);
      tensors.set(name, { shape: tensor.shape, values: new Float32Array(bytes.buffer, bytes.byteOffset, count) });
    }
    return tensors;
  } finally {
    await file.close();
  }
}
