import { createInterface } from 'node:readline';
import { styleText } from 'node:util';

/** Shows progress in the terminal. */
export type Terminal = {
  /** The current step; shown until the next line on a terminal, omitted in a file. */
  readonly busy: (text: string) => void;
  /** A step that takes minutes; also written to logs. */
  readonly step: (text: string) => void;
  readonly done: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly fail: (text: string) => void;
  readonly line: (text?: string) => void;
};

type Output = {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
};

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 90;

/** A terminal with marks and a spinner, or plain lines without a TTY. */
export function createTerminal(output: Output = process.stdout, noColor = process.env['NO_COLOR']): Terminal {
  const lively = output.isTTY === true && (noColor === undefined || noColor === '');
  let timer: NodeJS.Timeout | undefined;
  const calm = () => {
    if (timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
    output.write('\r\u001B[K');
  };
  const line = (text = '') => {
    calm();
    output.write(`${text}\n`);
  };
  const marked = (color: 'green' | 'yellow' | 'red', mark: string) => (text: string) =>
    line(lively ? `${styleText(color, mark, { validateStream: false })} ${text}` : `${mark} ${text}`);
  const busy = (text: string) => {
    if (!lively) return;
    calm();
    let frame = 0;
    const draw = () => output.write(`\r\u001B[K${frames[frame++ % frames.length]} ${text}`);
    draw();
    timer = setInterval(draw, frameMs).unref();
  };
  return {
    busy,
    step: (text) => (lively ? busy(text) : line(`… ${text}`)),
    done: marked('green', '✓'),
    warn: marked('yellow', '!'),
    fail: marked('red', '✗'),
    line,
  };
}

/** Asks on the terminal. @returns the line that was typed; undefined when the input ends before (Ctrl-D). */
export async function ask(question: string): Promise<string | undefined> {
  // The terminal edits the line itself, so that Ctrl-C stays a signal.
  const prompt = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  try {
    return await new Promise((resolve) => {
      prompt.once('close', () => resolve(undefined));
      // The terminal may disappear.
      prompt.on('error', () => resolve(undefined));
      prompt.question(question, resolve);
    });
  } finally {
    prompt.close();
  }
}
