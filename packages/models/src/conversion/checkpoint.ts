import { isGlobal, readPickle, type PickleValue } from './pickle.ts';
import { openZip } from '../zip.ts';

/** A tensor of 32-bit floats, in the order of rows. */
export type Tensor = { readonly shape: readonly number[]; readonly values: Float32Array };

const largestPickle = 16 * 1024 ** 2;
const largestStorage = 1024 ** 3;

/**
 * The tensors of 32-bit floats of a checkpoint of PyTorch, by their name. The pickle in it is read as data; nothing of it is
 * executed. Tensors of other types are left out.
 */
export async function readCheckpoint(path: string): Promise<Map<string, Tensor>> {
  const zip = await openZip(path);
  try {
    const pickle = zip.names.find((name) => name.endsWith('/data.pkl'));
    if (pickle === undefined) throw new Error('it is not a checkpoint of PyTorch');
    const root = readPickle(await zip.read(pickle, largestPickle));
    const state = root instanceof Map && root.get('state_dict') instanceof Map ? root.get('state_dict') : root;
    if (!(state instanceof Map)) throw new Error('the checkpoint has no tensors');
    const tensors = new Map<string, Tensor>();
    for (const [name, value] of state) {
      const described = describeTensor(value);
      if (typeof name !== 'string' || !described) continue;
      const bytes = await zip.read(`${pickle.slice(0, -'data.pkl'.length)}data/${described.key}`, largestStorage);
      tensors.set(name, gather(bytes, described));
    }
    return tensors;
  } finally {
    zip.close();
  }
}

type Described = { key: string; offset: number; shape: number[]; strides: number[] };

function describeTensor(value: PickleValue): Described | undefined {
  if (typeof value !== 'object' || value === null || !('callee' in value) || !Array.isArray(value.args))
    return undefined;
  if (isGlobal(value.callee, 'torch._utils._rebuild_parameter')) return describeTensor(value.args[0] ?? null);
  if (!isGlobal(value.callee, 'torch._utils._rebuild_tensor_v2')) return undefined;
  const [storage, offset, shape, strides] = value.args;
  const id = typeof storage === 'object' && storage !== null && 'persistent' in storage ? storage.persistent : null;
  if (!Array.isArray(id) || !isGlobal(id[1], 'torch.FloatStorage') || typeof id[2] !== 'string') return undefined;
  return {
    key: id[2],
    offset: Number(offset),
    shape: (shape as PickleValue[]).map(Number),
    strides: (strides as PickleValue[]).map(Number),
  };
}

/** The elements in the order of rows, whatever their order in the storage is. */
function gather(bytes: Buffer, { offset, shape, strides }: Described): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  const values = new Float32Array(count);
  const index = shape.map(() => 0);
  let position = offset;
  for (let i = 0; i < count; i += 1) {
    values[i] = bytes.readFloatLE(position * 4);
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      index[axis]! += 1;
      position += strides[axis]!;
      if (index[axis]! < shape[axis]!) break;
      position -= strides[axis]! * shape[axis]!;
      index[axis] = 0;
    }
  }
  return { shape, values };
}
