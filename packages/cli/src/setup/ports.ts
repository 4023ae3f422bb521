import { randomInt } from 'node:crypto';
import { isPortFree } from '../servers/ports.ts';

// Below the range from which the kernel takes the ports of outgoing connections: a server that restarts finds its own.
const firstPort = 20_000;
const lastPort = 31_999;

/** How ports are looked at and drawn. */
export type PortSource = {
  readonly isFree: (port: number) => Promise<boolean>;
  readonly draw: () => number;
};

const ofThisMachine: PortSource = { isFree: isPortFree, draw: () => randomInt(firstPort, lastPort + 1) };

/** Gives every name a free port, the one it had before where it still can. */
export async function assignPorts(
  names: readonly string[],
  before: Readonly<Record<string, number>>,
  { isFree, draw }: PortSource = ofThisMachine,
): Promise<Record<string, number>> {
  const assigned: Record<string, number> = {};
  const taken = new Set<number>();
  const isUsable = async (port: number) => !taken.has(port) && (await isFree(port));
  for (const name of names) {
    let port = before[name];
    while (port === undefined || !(await isUsable(port))) port = draw();
    taken.add(port);
    assigned[name] = port;
  }
  return assigned;
}
