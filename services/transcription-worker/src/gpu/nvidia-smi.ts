import type { GpuDevice } from '@overtone/contracts';

/** Queried fields of the driver. Old drivers do not know `compute_cap` and `mig.mode.current`. */
export const fullQuery = ['index', 'uuid', 'name', 'memory.total', 'compute_cap', 'mig.mode.current'] as const;
export const oldQuery = ['index', 'uuid', 'name', 'memory.total'] as const;

/** The GPUs available to this process, the used one first; `note`: why there is none. */
export type GpuState = { devices: readonly GpuDevice[]; note: string | null };
type Listed = GpuDevice & { divided: boolean };

/** One row per GPU. A GPU that has fallen off the bus has errors instead of numbers and is skipped. */
export function parseDevices(csv: string): Listed[] {
  return csv
    .split('\n')
    .map((line) => line.split(',').map((field) => field.trim()))
    .flatMap(([index, uuid, name, memory, capability, mig]) => {
      const [number, mib] = [numberIn(index), numberIn(memory)];
      if (number === null || mib === null || !uuid?.startsWith('GPU-') || !name) return [];
      const divided = mig === 'Enabled';
      return [{ index: number, uuid, name, memory_mib: mib, capability: numberIn(capability), divided }];
    });
}

const gpuLine = /^GPU (\d+): /;
const instanceLine = /^\s+MIG ([^\s.]+\.(\d+)gb\S*)\s+Device\s+\d+: \(UUID: (MIG-[^)]+)\)/;

/** The instances of partitioned GPUs, from `nvidia-smi -L`; their profile name contains their memory. */
export function parseInstances(listing: string, devices: readonly Listed[]): GpuDevice[] {
  const found: GpuDevice[] = [];
  let parent: Listed | undefined;
  for (const line of listing.split('\n')) {
    const gpu = gpuLine.exec(line);
    if (gpu) parent = devices.find((device) => device.index === Number(gpu[1]) && device.divided);
    const [, profile, size, uuid] = instanceLine.exec(line) ?? [];
    if (!parent || profile === undefined || size === undefined || uuid === undefined) continue;
    const { index, name, capability } = parent;
    const memory = Math.round((Number(size) * 1e9) / 2 ** 20);
    found.push({ index, uuid, name: `${name} MIG ${profile}`, memory_mib: memory, capability });
  }
  return found;
}

/** Replaces a partitioned GPU by its instances, because it cannot be used as a whole. */
export function withInstances(devices: readonly Listed[], instances: readonly GpuDevice[]): GpuDevice[] {
  return devices.flatMap(({ divided, ...device }) =>
    divided ? instances.filter((i) => i.index === device.index) : [device],
  );
}

/** The GPUs selected by CUDA_VISIBLE_DEVICES, in its order. As in CUDA, an unknown name ends the list. */
export function visibleDevices(devices: readonly GpuDevice[], names: string | undefined): GpuDevice[] {
  if (names === undefined) return [...devices];
  const visible: GpuDevice[] = [];
  for (const name of names.split(',').map((part) => part.trim())) {
    const byNumber = /^\d+$/.test(name) ? devices.find((candidate) => candidate.index === Number(name)) : undefined;
    const device =
      byNumber ?? (/^(GPU|MIG)-/.test(name) ? devices.find((candidate) => candidate.uuid.startsWith(name)) : undefined);
    if (!device) break;
    visible.push(device);
  }
  return visible;
}

function numberIn(text: string | undefined): number | null {
  const value = Number(text);
  return text === undefined || text === '' || Number.isNaN(value) ? null : value;
}
