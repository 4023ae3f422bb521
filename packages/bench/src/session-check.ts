import { Agent, request } from 'node:http';
import { quantile, type Row } from './bench.ts';

const goalMs = 0.2;
const path = '/api/auth/methods';

/**
 * The cost of the edge's session check: the same route with and without a token, alternating, and the difference of the
 * medians. `fresh` are tokens that the edge has not cached yet.
 */
export async function sessionCheckRows(
  baseUrl: string,
  token: string,
  fresh: readonly string[],
  turns: number,
): Promise<Row[]> {
  const { time, close } = createTimer(baseUrl);
  const times = { with: [] as number[], without: [] as number[], first: [] as number[] };
  try {
    for (let turn = 0; turn < turns + 50; turn++) {
      const [first, second] = turn % 2 === 0 ? [null, token] : [token, null];
      const [one, other] = [await time(first), await time(second)];
      if (turn < 50) continue;
      times.without.push(first === null ? one : other);
      times.with.push(first === null ? other : one);
    }
    for (const unseen of fresh) times.first.push(await time(unseen));
  } finally {
    close();
  }
  const without = quantile(times.without, 0.5);
  return [
    rowOf('edge: session check', quantile(times.with, 0.5) - without, without, goalMs),
    rowOf('edge: session check, first use of a token', quantile(times.first, 0.5) - without, without),
  ];
}

/** One persistent connection, so that only the request is timed. */
function createTimer(baseUrl: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const time = (token: string | null): Promise<number> =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      const headers = token === null ? {} : { authorization: `Bearer ${token}` };
      request(baseUrl + path, { agent, headers }, (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === 200) resolve(performance.now() - started);
          else reject(new Error(`${path}: ${response.statusCode}`));
        });
      })
        .on('error', reject)
        .end();
    });
  return { time, close: () => agent.destroy() };
}

function rowOf(name: string, added: number, without: number, goal?: number): Row {
  return {
    name,
    ours: `${added.toFixed(3)} ms`,
    peer: `request without ${without.toFixed(2)} ms`,
    ...(goal === undefined ? {} : { goal: `adds <= ${goal} ms`, met: added <= goal }),
  };
}
