import { describe, expect, it } from '@jest/globals';
import { createLineSink } from './line-sink.ts';

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** A descriptor that does what the script says, then takes everything. */
function descriptor(...script: (number | string)[]) {
  let text = '';
  const writeBytes = (_fd: number, bytes: Buffer): number => {
    const step = script.shift();
    if (typeof step === 'string') throw failure(step);
    const taken = bytes.subarray(0, step ?? bytes.length);
    text += taken.toString();
    return taken.length;
  };
  return { writeBytes, text: () => text };
}

describe('line sink', () => {
  it.each(['ENOSPC', 'EPIPE', 'EIO', 'EBADF', 'EDQUOT'])('drops and counts a line that fails with %s', (code) => {
    const { writeBytes, text } = descriptor(code, code);
    const sink = createLineSink({ fd: 1, writeBytes });
    sink.write('one\n');
    sink.write('two\n');
    sink.write('three\n');
    expect(sink.dropped()).toBe(2);
    expect(text()).toBe('three\n');
  });

  it('reports the dropped lines once, after the first line that was written again', () => {
    const recovered: number[] = [];
    const { writeBytes } = descriptor('ENOSPC', 'ENOSPC');
    const sink = createLineSink({ fd: 1, writeBytes, onRecovery: (dropped) => recovered.push(dropped) });
    for (const line of ['one\n', 'two\n', 'three\n', 'four\n']) sink.write(line);
    expect(recovered).toEqual([2]);
  });

  it('writes the rest of a line that was taken in part', () => {
    const { writeBytes, text } = descriptor(2, 1);
    createLineSink({ fd: 1, writeBytes }).write('line\n');
    expect(text()).toBe('line\n');
  });

  it('starts a new line after one that was cut off', () => {
    const { writeBytes, text } = descriptor(2, 'ENOSPC');
    const sink = createLineSink({ fd: 1, writeBytes });
    sink.write('first\n');
    sink.write('second\n');
    expect(text()).toBe('fi\nsecond\n');
    expect(sink.dropped()).toBe(1);
  });

  it('waits a moment for a pipe that is full, and drops the line when it stays full', () => {
    const brief = descriptor('EAGAIN', 'EAGAIN');
    createLineSink({ fd: 1, writeBytes: brief.writeBytes }).write('line\n');
    expect(brief.text()).toBe('line\n');
    const stuck = createLineSink({ fd: 1, writeBytes: descriptor(...Array<string>(1_000).fill('EAGAIN')).writeBytes });
    stuck.write('line\n');
    expect(stuck.dropped()).toBe(1);
  });
});
