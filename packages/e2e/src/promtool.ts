import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** The findings of promtool for a metrics text: format, names, types and help texts. */
export async function lint(metrics: string): Promise<string[]> {
  const child = spawn('promtool', ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {}); // it has ended already: its own words tell why
  child.stdin.end(metrics);
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return `${out}\n${error}`.split('\n').filter((line) => line.trim() !== '');
}
