import { readdirSync, readFileSync } from 'node:fs';

/** The living children of a process, by what the kernel says of every process. */
export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        // The name in parentheses may hold anything.
        const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return state !== 'Z' && Number(ppid) === parent ? [Number(name)] : [];
      } catch {
        return [];
      }
    });
}
