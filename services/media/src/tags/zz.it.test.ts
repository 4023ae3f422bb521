import { expect, it } from '@jest/globals';
const t = process.cpuUsage();
await import('../../test/start-media.ts');
const c = process.cpuUsage(t);
it('x', () => { process.stderr.write(`jest import ${((c.user + c.system) / 1e6).toFixed(2)} cpu s\n`); expect(1).toBe(1); });
